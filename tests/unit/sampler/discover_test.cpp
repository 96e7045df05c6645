#include "sampler/discover/discover.h"

#include <gmock/gmock.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>

#include "sampler/discover/role.h"
#include "sampler/discover/scan.h"
#include "tests/support/proc_folder.h"

namespace hangstack::sampler {
namespace {

using testing::ElementsAre;

class Discover : public testing::Test {
 protected:
  Discover() {
    folder.add({.pid = 10, .comm = "pt_elastic", .command_line = {"python", "/usr/bin/torchrun", "train.py"}});
    for (int rank = 0; rank < 2; ++rank)
      folder.add(
          {.pid = 20 + rank,
           .parent = 10,
           .command_line = {"python", "train.py"},
           .environment = {{"RANK", std::to_string(rank)}, {"LOCAL_RANK", std::to_string(rank)}, {"WORLD_SIZE", "2"}}});
    folder.add({.pid = 30, .parent = 20, .comm = "pt_data_worker", .command_line = {"python", "train.py"}});
    folder.add({.pid = 40, .parent = 1, .command_line = {"vim", "train.py"}});
    folder.add({.pid = 50, .parent = 2, .comm = "kworker", .flags = 0x200000});
  }
  tests::ProcFolder folder;
  ProcFiles proc{folder.path()};
};

TEST_F(Discover, RanksAreFoundInOnePass) { EXPECT_THAT(find_ranks(proc), ElementsAre(20, 21)); }

TEST_F(Discover, AZombieBesideTheRanksIsFoundWithThem) {
  folder.add({.pid = 22, .parent = 10, .state = 'Z'});
  folder.add({.pid = 23, .parent = 10, .comm = "nvidia-smi", .state = 'Z'});
  folder.add({.pid = 24, .parent = 20, .state = 'Z'});
  EXPECT_THAT(find_ranks(proc), ElementsAre(20, 21, 22));
}

TEST_F(Discover, EachProcessKnowsItsRole) {
  EXPECT_EQ(identify(proc, 21).rank, 1);
  EXPECT_EQ(identify(proc, 21).job_key, "parent 10");
  EXPECT_EQ(identify(proc, 10).role, model::Role::launcher);
  EXPECT_EQ(identify(proc, 30).rank_pid, 20);
  EXPECT_EQ(identify(proc, 40).role, model::Role::other);
  EXPECT_EQ(identify(proc, 50).role, model::Role::other);
  EXPECT_EQ(identify(proc, 999).role, model::Role::other);
}

TEST_F(Discover, CommandLinesAreMatchedByExtendedExpressions) {
  EXPECT_THAT(find_by_command_line(proc, "^python (train|eval)\\.py$").value(), ElementsAre(20, 21, 30));
  EXPECT_THAT(find_by_command_line(proc, "vim|torchrun").value(), ElementsAre(10, 40));
  EXPECT_TRUE(find_by_command_line(proc, "nothing")->empty());
}

TEST_F(Discover, BrokenExpressionIsAUsageError) {
  const auto found = find_by_command_line(proc, "(");
  ASSERT_FALSE(found);
  EXPECT_EQ(found.error().code, model::ErrorCode::usage);
}

TEST_F(Discover, DescendantsAreAdded) {
  const std::vector<std::int32_t> pids{10, 40};
  EXPECT_THAT(with_descendants(proc, pids), ElementsAre(10, 20, 21, 30, 40));
}

TEST_F(Discover, HangstackAndItsAncestorsAreLeftOut) {
  folder.add({.pid = ::getpid(), .parent = 60, .command_line = {"hangstack", "--pgrep", "train.py"}});
  folder.add({.pid = 60, .command_line = {"bash", "-c", "hangstack --pgrep train.py"}, .environment = {{"RANK", "7"}}});
  EXPECT_THAT(find_by_command_line(proc, "train.py").value(), ElementsAre(10, 20, 21, 30, 40));
  EXPECT_THAT(find_ranks(proc), ElementsAre(20, 21));
  const std::vector<std::int32_t> shell{60};
  EXPECT_THAT(with_descendants(proc, shell), ElementsAre(60));
}

TEST_F(Discover, AStuckProcessDoesNotStopTheScan) {
  // Nobody writes to it: opening it blocks, as a read of cmdline does while the mmap_lock is held.
  std::filesystem::remove(folder.path() + "/20/cmdline");
  ASSERT_EQ(::mkfifo((folder.path() + "/20/cmdline").c_str(), 0600), 0);
  ProcessTree tree = read_tree(proc);
  const std::vector<std::int32_t> pids{10, 20, 21, 30};
  const auto begin = std::chrono::steady_clock::now();
  read_facts(proc, pids, tree, std::chrono::milliseconds(300));
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(10));
  EXPECT_TRUE(tree.find(20)->facts.command_line.empty());
  EXPECT_THAT(tree.find(21)->facts.command_line, ElementsAre("python", "train.py"));
  EXPECT_EQ(tree.find(30)->facts.command_line.size(), 2U);
  EXPECT_THAT(ranks_in(tree), ElementsAre(20, 21));
}

TEST_F(Discover, ScanLeavesNoChildBehind) {
  (void)find_ranks(proc);
  EXPECT_FALSE(std::filesystem::exists("/proc/self/task/" + std::to_string(::getpid()) + "/children") &&
               !ProcFiles().read("self/task/" + std::to_string(::getpid()) + "/children").value_or("").empty());
}

TEST(DiscoverNothing, AnEmptyFolderHasNoRanks) {
  const tests::ProcFolder folder;
  EXPECT_TRUE(find_ranks(ProcFiles(folder.path())).empty());
  EXPECT_TRUE(find_ranks(ProcFiles(folder.path() + "/none")).empty());
}

}  // namespace
}  // namespace hangstack::sampler
