#include "sampler/discover/command.h"

#include <gmock/gmock.h>

namespace hangstack::sampler {
namespace {

using Arguments = std::vector<std::string>;

CommandKind kind(const Arguments& arguments, std::string_view comm = "python3") {
  return classify_command(arguments, comm);
}

TEST(Command, Launchers) {
  for (const Arguments& arguments :
       std::vector<Arguments>{{"/usr/bin/python3", "/usr/local/bin/torchrun", "--nproc-per-node=2", "train.py"},
                              {"python", "-m", "torch.distributed.run", "train.py"},
                              {"python3.11", "-u", "-mtorch.distributed.launch", "train.py"},
                              {"python", "-X", "faulthandler", "-Wignore", "-m", "accelerate.commands.launch", "t.py"},
                              {"python", "/opt/bin/accelerate", "launch", "t.py"},
                              {"python", "-u", "-m", "deepspeed.launcher.launch", "--world_info=e30="},
                              {"python", "/venv/lib/python3.11/site-packages/torch/distributed/run.py", "t.py"},
                              {"mpirun", "-np", "4", "python", "t.py"},
                              {"/usr/bin/srun", "python", "t.py"},
                              {"slurmstepd: [7.0]"}})
    EXPECT_EQ(kind(arguments), CommandKind::launcher) << arguments.back();
  EXPECT_EQ(kind({"python", "x.py"}, "pt_elastic"), CommandKind::launcher);
}

TEST(Command, Programs) {
  for (const Arguments& arguments : std::vector<Arguments>{{"python", "-u", "train.py", "-m", "torch.distributed.run"},
                                                           {"python", "-c", "import torch"},
                                                           {"python", "-m", "train"},
                                                           {"./a.out", "--rank=3"},
                                                           {"VLLM::Worker_TP0"},
                                                           {"python"}})
    EXPECT_EQ(kind(arguments), CommandKind::program) << arguments.back();
  EXPECT_EQ(kind({}, "a.out"), CommandKind::program);
}

TEST(Command, ChildrenOfMultiprocessing) {
  EXPECT_EQ(
      kind({"python", "-c", "from multiprocessing.spawn import spawn_main; spawn_main(tracker_fd=5, pipe_handle=7)",
            "--multiprocessing-fork"}),
      CommandKind::spawn_child);
  EXPECT_EQ(kind({"python", "-u", "-c", "from multiprocessing.forkserver import main; main(5, 6)"}),
            CommandKind::fork_server);
  EXPECT_EQ(kind({"python", "-c", "from multiprocessing.resource_tracker import main;main(5)"}), CommandKind::tracker);
  EXPECT_EQ(kind({"python", "-sc", "from multiprocessing.resource_tracker import main;main(5)"}), CommandKind::tracker);
}

TEST(Command, CompileWorkers) {
  EXPECT_EQ(
      kind({"python", "/v/lib/python3.12/site-packages/torch/_inductor/compile_worker/__main__.py", "--workers=32"}),
      CommandKind::compile_worker);
  EXPECT_EQ(kind({"/usr/local/cuda/bin/nvcc", "-c", "k.cu"}), CommandKind::compile_worker);
  EXPECT_EQ(kind({"ninja", "-v"}), CommandKind::compile_worker);
}

TEST(Command, ShellsSessionsAndTools) {
  EXPECT_EQ(kind({"-bash"}, "bash"), CommandKind::wrapper);
  EXPECT_EQ(kind({"/bin/sh", "run.sh"}), CommandKind::wrapper);
  EXPECT_EQ(kind({"numactl", "-N", "0", "python"}), CommandKind::wrapper);
  EXPECT_EQ(kind({"/sbin/init"}), CommandKind::session);
  EXPECT_EQ(kind({"sshd: root@pts/0"}), CommandKind::session);
  EXPECT_EQ(kind({"containerd-shim-runc-v2", "-id"}), CommandKind::session);
  EXPECT_EQ(kind({"tee", "log"}), CommandKind::side_tool);
  EXPECT_EQ(kind({"python", "/opt/bin/tensorboard"}), CommandKind::side_tool);
  EXPECT_EQ(kind({"ray::IDLE"}), CommandKind::side_tool);
}

TEST(PythonCommand, ValueOfAnOptionIsNoScript) {
  const Arguments arguments{"python3", "-W",   "ignore", "-uO", "--check-hash-based-pycs", "always", "-X",
                            "dev",     "t.py", "-m",     "x"};
  EXPECT_EQ(parse_python_command(arguments).script, "t.py");
  EXPECT_EQ(parse_python_command(Arguments{"python3", "-Ium", "pkg.mod"}).module, "pkg.mod");
  EXPECT_EQ(parse_python_command(Arguments{"python3", "-"}).script, "-");
  EXPECT_EQ(parse_python_command(Arguments{"python3", "-m"}).module, "");
  EXPECT_EQ(parse_python_command(Arguments{"bash", "t.py"}).script, "");
  EXPECT_EQ(parse_python_command(Arguments{}).script, "");
}

}  // namespace
}  // namespace hangstack::sampler
