#include "sampler/discover/role.h"

#include <gmock/gmock.h>

#include <deque>

namespace hangstack::sampler {
namespace {

using model::Role;
using testing::ElementsAre;
using Arguments = std::vector<std::string>;

const Arguments kTrain{"python", "-u", "train.py"};
const Arguments kTorchrun{"python", "/usr/bin/torchrun", "train.py"};
const Arguments kSpawned{"python", "-c", "from multiprocessing.spawn import spawn_main; spawn_main()",
                         "--multiprocessing-fork"};
const Arguments kForkServer{"python", "-c", "from multiprocessing.forkserver import main; main()"};

Variables torchrun(int rank, int world = 2) {
  return {{"RANK", std::to_string(rank)},
          {"LOCAL_RANK", std::to_string(rank)},
          {"WORLD_SIZE", std::to_string(world)},
          {"MASTER_ADDR", "gpu01"},
          {"MASTER_PORT", "29500"}};
}

class Roles : public testing::Test {
 protected:
  ProcessFacts& process(std::int32_t pid, std::int32_t parent, const Arguments& arguments,
                        const Variables& environment = {}, const std::string& comm = "python3") {
    ProcessFacts facts;
    facts.pid = pid;
    facts.parent_pid = parent;
    facts.comm = comm;
    facts.command_line = arguments;
    facts.environment = environment;
    facts.environment_read = true;
    facts.thread_count = 1;
    facts_.push_back(facts);
    return facts_.back();
  }
  [[nodiscard]] ProcessTree tree() const {
    ProcessTree built("gpu07");
    for (const ProcessFacts& facts : facts_) built.add(facts);
    return built;
  }
  [[nodiscard]] Role role(std::int32_t pid) const { return identity_in(tree(), pid).role; }
  std::deque<ProcessFacts> facts_;
};

TEST_F(Roles, TorchrunWithDataWorkersByFork) {
  process(1, 0, {"/sbin/init"}, {}, "systemd");
  process(5, 1, {"-bash"}, {}, "bash");
  process(10, 5, kTorchrun, {}, "pt_elastic");
  process(20, 10, kTrain, torchrun(0));
  process(21, 10, kTrain, torchrun(1));
  process(30, 20, kTrain, torchrun(0), "pt_data_worker");
  process(31, 21, kTrain, torchrun(1));  // before torch 2.5 they have no name
  process(32, 20, {"python", "-c", "from multiprocessing.resource_tracker import main;main(5)"}, torchrun(0));
  EXPECT_THAT(ranks_in(tree()), ElementsAre(20, 21));
  const auto rank = identity_in(tree(), 21);
  EXPECT_EQ(rank, (model::RankIdentity{Role::rank, 1, 1, 2, "RANK", "gpu01:29500", 0}));
  const auto worker = identity_in(tree(), 31);
  EXPECT_EQ(worker.role, Role::dataloader_worker);
  EXPECT_EQ(worker.rank_pid, 21);
  EXPECT_EQ(worker.rank, std::nullopt);
  EXPECT_EQ(worker.job_key, "gpu01:29500");
  EXPECT_EQ(role(30), Role::dataloader_worker);
  EXPECT_EQ(role(32), Role::helper);
  EXPECT_EQ(role(10), Role::launcher);
  EXPECT_EQ(role(5), Role::launcher);
  EXPECT_EQ(role(1), Role::other);
  EXPECT_EQ(role(999), Role::other);
}

TEST_F(Roles, WorkersOfAForkServer) {
  process(20, 1, kTrain, torchrun(0));
  process(30, 20, kForkServer, torchrun(0));
  process(31, 30, kForkServer, torchrun(0));
  process(32, 20, kSpawned, torchrun(0));
  EXPECT_THAT(ranks_in(tree()), ElementsAre(20));
  EXPECT_EQ(role(30), Role::helper);
  EXPECT_EQ(role(31), Role::dataloader_worker);
  EXPECT_EQ(identity_in(tree(), 31).rank_pid, 20);
  EXPECT_EQ(role(32), Role::dataloader_worker);
}

TEST_F(Roles, CompilersOfARank) {
  const Arguments pool{"python", "/v/torch/_inductor/compile_worker/__main__.py", "--workers=32"};
  process(20, 1, kTrain, torchrun(0));
  process(30, 20, pool, torchrun(0));
  process(31, 30, pool, torchrun(0));
  process(32, 31, {"/usr/local/cuda/bin/ptxas"}, torchrun(0), "ptxas");
  process(40, 1, {"ninja"}, {}, "ninja");
  process(41, 1, pool, torchrun(0));
  for (const int pid : {30, 31, 32, 41}) EXPECT_EQ(role(pid), Role::compile_worker) << pid;
  EXPECT_EQ(role(40), Role::other);
  EXPECT_THAT(ranks_in(tree()), ElementsAre(20));
}

TEST_F(Roles, OrphanedDataWorkerIsNoRank) {
  process(30, 1, kTrain, torchrun(0), "pt_data_worker");
  EXPECT_EQ(role(30), Role::dataloader_worker);
  EXPECT_TRUE(ranks_in(tree()).empty());
}

TEST_F(Roles, OtherProgramsOfARankAreHelpers) {
  process(20, 1, kTrain, torchrun(0));
  process(30, 20, {"python", "eval.py"}, torchrun(0));
  process(31, 20, {"/bin/sh", "-c", "gcc"}, torchrun(0), "sh");
  process(32, 31, {"gcc"}, torchrun(0), "gcc");
  EXPECT_EQ(role(30), Role::helper);
  EXPECT_EQ(role(31), Role::helper);
  EXPECT_EQ(role(32), Role::compile_worker);
  EXPECT_THAT(ranks_in(tree()), ElementsAre(20));
}

TEST_F(Roles, ShellAndLogPipeOfASlurmTask) {
  const Variables task{{"SLURM_PROCID", "3"},
                       {"SLURM_LOCALID", "1"},
                       {"SLURM_NTASKS", "8"},
                       {"SLURM_STEP_ID", "0"},
                       {"SLURM_JOB_ID", "9"}};
  process(10, 1, {"slurmstepd: [9.0]"}, {}, "slurmstepd");
  process(20, 10, {"bash", "run.sh"}, task, "bash");
  process(30, 20, kTrain, task);
  process(31, 20, {"tee", "log"}, task, "tee");
  EXPECT_THAT(ranks_in(tree()), ElementsAre(30));
  EXPECT_EQ(identity_in(tree(), 30), (model::RankIdentity{Role::rank, 3, 1, 8, "SLURM_PROCID", "slurm 9.0", 0}));
  EXPECT_EQ(role(20), Role::launcher);
  EXPECT_EQ(role(31), Role::helper);
}

TEST_F(Roles, TorchrunUnderSrunIsNoRank) {
  const Variables task{{"SLURM_PROCID", "0"}, {"SLURM_NTASKS", "2"}, {"SLURM_STEP_ID", "0"}, {"SLURM_JOB_ID", "9"}};
  process(20, 1, kTorchrun, task);
  Variables environment = torchrun(0, 16);
  environment.insert(task.begin(), task.end());
  process(30, 20, kTrain, environment);
  EXPECT_THAT(ranks_in(tree()), ElementsAre(30));
  EXPECT_EQ(identity_in(tree(), 30).world_size, 16);
}

TEST_F(Roles, LauncherOfItsOwnMakingWithTheRankOfItsPod) {
  process(20, 1, {"python", "launch.py"},
          {{"RANK", "0"}, {"WORLD_SIZE", "2"}, {"MASTER_ADDR", "gpu01"}, {"MASTER_PORT", "29500"}});
  process(30, 20, kTrain, torchrun(0, 16));
  process(31, 20, kTrain, torchrun(1, 16));
  EXPECT_THAT(ranks_in(tree()), ElementsAre(30, 31));
  EXPECT_EQ(role(20), Role::launcher);
}

TEST_F(Roles, ARankMayStartAnotherJob) {
  process(20, 1, kTrain, torchrun(0));
  Variables inner = torchrun(0, 1);
  inner["MASTER_PORT"] = "4000";
  process(30, 20, kTorchrun, torchrun(0));
  process(40, 30, {"python", "serve.py"}, inner);
  EXPECT_THAT(ranks_in(tree()), ElementsAre(20, 40));
  EXPECT_EQ(identity_in(tree(), 40).job_key, "gpu01:4000");
  EXPECT_EQ(role(30), Role::launcher);
}

TEST_F(Roles, SpawnedRanksHaveNoNumber) {
  process(20, 5, {"python", "main.py"});
  for (const int pid : {30, 31}) process(pid, 20, kSpawned).maps_torch = true;
  process(40, 30, kSpawned).maps_torch = true;
  process(41, 30, kSpawned).maps_torch = true;
  process(32, 20, {"python", "-c", "from multiprocessing.resource_tracker import main;main(5)"});
  EXPECT_THAT(ranks_in(tree()), ElementsAre(30, 31));
  const auto rank = identity_in(tree(), 31);
  EXPECT_EQ(rank.rank, std::nullopt);
  EXPECT_EQ(rank.job_key, "parent 20");
  EXPECT_EQ(role(40), Role::dataloader_worker);
  EXPECT_EQ(identity_in(tree(), 40).rank_pid, 30);
  EXPECT_EQ(role(20), Role::launcher);
  EXPECT_EQ(role(32), Role::helper);
}

TEST_F(Roles, SpawnedProcessesThatAreNoRanks) {
  process(20, 5, {"python", "main.py"});
  process(30, 20, kSpawned).maps_torch = true;  // one alone is no job
  process(21, 5, {"python", "main.py"});
  for (const int pid : {40, 41}) process(pid, 21, kSpawned, {}, "pt_data_worker").maps_torch = true;
  process(22, 5, {"python", "pool.py"});
  for (const int pid : {50, 51}) process(pid, 22, kSpawned);
  EXPECT_TRUE(ranks_in(tree()).empty());
  EXPECT_EQ(role(40), Role::dataloader_worker);
  EXPECT_EQ(role(50), Role::other);
}

TEST_F(Roles, ThreadsOfACommunicatorMakeARank) {
  process(20, 5, {"ray::Trainer.step"}, {}, "ray::Trainer").communicates = true;
  process(21, 5, {"VLLM::Worker_TP1"}, {}, "VLLM::Worker_TP");
  EXPECT_THAT(ranks_in(tree()), ElementsAre(20, 21));
  EXPECT_EQ(identity_in(tree(), 21).rank, 1);
  EXPECT_EQ(identity_in(tree(), 21).rank_source, "process title");
}

TEST_F(Roles, UnreadableChildOfALauncherIsARankWithoutNumber) {
  process(10, 5, kTorchrun, {}, "pt_elastic");
  process(20, 10, kTrain).environment_read = false;
  EXPECT_THAT(ranks_in(tree()), ElementsAre(20));
  EXPECT_EQ(identity_in(tree(), 20).rank, std::nullopt);
}

TEST_F(Roles, MonitorNextToTheTrainingScriptIsNoSecondRank) {
  process(10, 5, {"bash", "run.sh"}, torchrun(0), "bash");
  process(20, 10, {"python", "monitor.py"}, torchrun(0));
  process(21, 10, kTrain, torchrun(0)).thread_count = 60;
  EXPECT_THAT(ranks_in(tree()), ElementsAre(21));
}

TEST_F(Roles, EverybodyInAPodHasItsRank) {
  const Variables pod{{"RANK", "1"}, {"WORLD_SIZE", "2"}, {"MASTER_ADDR", "job-0"}, {"MASTER_PORT", "23456"}};
  process(20, 1, kTrain, pod);
  process(30, 1, {"/bin/node_exporter"}, pod, "node_exporter").thread_count = 99;
  process(40, 7, {"vim", "train.py"}, pod, "vim");
  EXPECT_THAT(ranks_in(tree()), ElementsAre(20));
}

TEST_F(Roles, EndedProcessesAreNotFound) {
  process(20, 5, kTrain, torchrun(0)).ended = true;
  EXPECT_TRUE(ranks_in(tree()).empty());
}

TEST_F(Roles, CirclesAndDeepChainsEnd) {
  process(20, 21, kTrain, torchrun(0));
  process(21, 20, kTrain, torchrun(0));
  process(22, 22, kTrain, torchrun(0));
  for (int pid = 100; pid < 3000; ++pid) process(pid, pid - 1, kSpawned).maps_torch = true;
  const ProcessTree built = tree();
  EXPECT_LE(ranks_in(built).size(), 3U);
  EXPECT_EQ(built.ancestors(2999).size(), 64U);
  EXPECT_EQ(built.descendants(100).size(), 2899U);
  EXPECT_EQ(identity_in(built, 2999).role, Role::other);
}

}  // namespace
}  // namespace hangstack::sampler
