#include "sampler/discover/command.h"

#include <algorithm>
#include <array>

#include "model/file_path.h"

namespace hangstack::sampler {
namespace {

using std::string_view;

constexpr std::array kLauncherPrograms{"torchrun",
                                       "accelerate",
                                       "accelerate-launch",
                                       "deepspeed",
                                       "horovodrun",
                                       "composer",
                                       "colossalai",
                                       "mpirun",
                                       "mpiexec",
                                       "mpiexec.hydra",
                                       "orterun",
                                       "orted",
                                       "prterun",
                                       "prted",
                                       "prun",
                                       "prte",
                                       "hydra_pmi_proxy",
                                       "srun",
                                       "slurmstepd",
                                       "salloc",
                                       "sbatch",
                                       "pmi_proxy",
                                       "jsrun",
                                       "aprun",
                                       "flux",
                                       "pdsh",
                                       "clush",
                                       "parallel",
                                       "hydra_bstrap_proxy"};
constexpr std::array kLauncherModules{"torch.distributed.run",
                                      "torch.distributed.launch",
                                      "torchrun",
                                      "accelerate",
                                      "accelerate.commands.launch",
                                      "deepspeed.launcher.launch",
                                      "deepspeed.launcher.runner",
                                      "horovod.runner.launch",
                                      "composer.cli.launcher"};
constexpr std::array kLauncherScripts{"torch/distributed/run.py", "torch/distributed/launch.py",
                                      "accelerate/commands/launch.py", "deepspeed/launcher/launch.py",
                                      "deepspeed/launcher/runner.py"};
constexpr std::array kWrappers{"sh",      "bash",    "dash",          "zsh",         "ksh",        "fish",    "busybox",
                               "env",     "numactl", "taskset",       "time",        "timeout",    "nohup",   "sudo",
                               "su",      "setsid",  "stdbuf",        "script",      "xargs",      "nsys",    "ncu",
                               "strace",  "gdb",     "perf",          "singularity", "apptainer",  "starter", "enroot",
                               "docker",  "podman",  "conda",         "mamba",       "micromamba", "uv",      "poetry",
                               "pixi",    "kubectl", "nvidia-docker", "ssh",         "chrt",       "nice",    "ionice",
                               "unshare", "nsenter", "enroot-exec",   "prlimit"};
constexpr std::array kSessions{"systemd",    "init",    "sshd",       "tmux",      "screen",       "login",  "slurmd",
                               "containerd", "dockerd", "tini",       "dumb-init", "catatonit",    "conmon", "crond",
                               "cron",       "raylet",  "gcs_server", "kubelet",   "sshd-session", "pause"};
constexpr std::array kSideTools{"tee",        "tail", "head",   "cat",         "grep",   "sed",        "awk",
                                "gawk",       "mawk", "less",   "more",        "watch",  "nvidia-smi", "dcgmi",
                                "sleep",      "date", "rsync",  "tensorboard", "top",    "htop",       "nvtop",
                                "wandb-core", "tqdm", "logger", "tr",          "py-spy", "hangstack"};
constexpr std::array kCompilers{"ninja",   "nvcc",     "ptxas",     "cicc",      "cudafe++", "fatbinary", "nvlink",
                                "cc",      "c++",      "gcc",       "g++",       "cc1",      "cc1plus",   "clang",
                                "clang++", "ld",       "collect2",  "as",        "make",     "nvvm",      "hipcc",
                                "icpx",    "nvdisasm", "cuobjdump", "clang-cpp", "ld.lld",   "ld.gold"};

template <typename List>
bool contains(const List& list, string_view name) {
  return std::ranges::find(list, name) != list.end();
}

bool is_python(string_view name) { return name.starts_with("python") || name.starts_with("pypy"); }

CommandKind classify_python(const PythonCommand& python) {
  if (!python.code.empty()) {
    const auto imports = [&](string_view module) { return python.code.find(module) != string_view::npos; };
    if (imports("multiprocessing.spawn")) return CommandKind::spawn_child;
    if (imports("multiprocessing.forkserver")) return CommandKind::fork_server;
    if (imports("multiprocessing.resource_tracker") || imports("multiprocessing.semaphore_tracker"))
      return CommandKind::tracker;
    return CommandKind::program;
  }
  if (python.module.starts_with("torch._inductor.compile_worker") ||
      python.script.find("/torch/_inductor/compile_worker") != string_view::npos)
    return CommandKind::compile_worker;
  if (contains(kLauncherModules, python.module)) return CommandKind::launcher;
  const string_view script = model::base_name(python.script);
  if (contains(kLauncherPrograms, script)) return CommandKind::launcher;
  if (contains(kSideTools, script)) return CommandKind::side_tool;
  const bool by_path =
      std::ranges::any_of(kLauncherScripts, [&](string_view end) { return python.script.ends_with(end); });
  return by_path ? CommandKind::launcher : CommandKind::program;
}

/// Titles that servers write over their arguments: vLLM v1 ("VLLM::EngineCore", which runs the model itself on one
/// device), SGLang ("sglang::detokenizer"), Ray ("ray::IDLE").
CommandKind classify_title(string_view title) {
  if (title.starts_with("VLLM::APIServer") || title.starts_with("VLLM::DPCoordinator") ||
      title.starts_with("sglang::detokenizer") || title.starts_with("sglang::data_parallel_controller") ||
      title.starts_with("ray::IDLE"))
    return CommandKind::side_tool;
  return CommandKind::program;
}

}  // namespace

PythonCommand parse_python_command(std::span<const std::string> arguments) {
  if (arguments.empty() || !is_python(model::base_name(arguments[0]))) return {};
  for (std::size_t i = 1; i < arguments.size(); ++i) {
    const string_view argument = arguments[i];
    if (!argument.starts_with('-') || argument == "-") return {.script = argument};
    if (argument.starts_with("--")) {
      if (argument == "--check-hash-based-pycs") ++i;
      continue;
    }
    // Letters may stand together; the first that takes a value takes the rest, or else the next argument.
    const std::size_t letter = argument.find_first_of("cmWXQ", 1);
    if (letter == string_view::npos) continue;
    string_view value = argument.substr(letter + 1);
    if (value.empty() && i + 1 < arguments.size()) value = arguments[++i];
    if (argument[letter] == 'c') return {.code = value};
    if (argument[letter] == 'm') return {.module = value};
  }
  return {};
}

CommandKind classify_command(std::span<const std::string> arguments, string_view comm) {
  // Daemons write a title over their arguments: "sshd: root@pts/0".
  const string_view first = arguments.empty() ? comm : string_view(arguments[0]);
  string_view name = model::base_name(first.substr(0, first.find(": ")));
  if (name.starts_with('-')) name.remove_prefix(1);        // a login shell
  if (comm == "pt_elastic") return CommandKind::launcher;  // torchrun's agent, since 2.5 (torch/distributed/run.py)
  if (is_python(name)) return classify_python(parse_python_command(arguments));
  if (first.find("::") != string_view::npos) return classify_title(first);
  if (contains(kLauncherPrograms, name)) return CommandKind::launcher;
  if (contains(kWrappers, name)) return CommandKind::wrapper;
  if (contains(kSessions, name) || name.starts_with("containerd-shim")) return CommandKind::session;
  if (contains(kSideTools, name)) return CommandKind::side_tool;
  if (contains(kCompilers, name)) return CommandKind::compile_worker;
  return CommandKind::program;
}

}  // namespace hangstack::sampler
