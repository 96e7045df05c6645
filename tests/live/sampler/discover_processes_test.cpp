// Processes that real launchers' environments and forks make.
#include <gmock/gmock.h>
#include <unistd.h>

#include <functional>
#include <iterator>
#include <map>
#include <span>
#include <sstream>

#include "sampler/discover/discover.h"
#include "tests/support/program.h"
#include "tests/support/restricted.h"

namespace hangstack::sampler {
namespace {

using model::Role;
using testing::AllOf;
using testing::Contains;
using testing::Not;

const ProcFiles kProc;
const std::vector<std::string> kWait{HANGSTACK_TARGETS "/target_family", "wait"};

/// hangstack leaves out its own children, which all targets of a test are: another child of the test asks.
std::vector<std::int32_t> seen_by_a_sibling(const std::function<std::vector<std::int32_t>()>& ask) {
  const std::string text = tests::in_child([] { return true; },
                                           [&] {
                                             std::string joined;
                                             for (const std::int32_t pid : ask()) joined += std::to_string(pid) + "\n";
                                             return joined;
                                           });
  std::istringstream lines(text);
  return {std::istream_iterator<std::int32_t>(lines), {}};
}

class Family : public testing::Test {
 protected:
  Family() {
    for (int i = 0; i < 7; ++i) {
      std::istringstream line(target.read_line());
      std::string what;
      line >> what;
      if (what == "rank") {
        int number = -1;
        std::int32_t pid = 0;
        line >> number >> pid;
        ranks[number] = pid;
      } else {
        line >> pids[what].emplace_back();
      }
    }
  }
  tests::Target target{{HANGSTACK_TARGETS "/target_family", "launch", "2"}};
  std::map<int, std::int32_t> ranks;
  std::map<std::string, std::vector<std::int32_t>> pids;
};

TEST_F(Family, RanksAreFoundAndTheirForksAreNot) {
  const auto found = seen_by_a_sibling([] { return find_ranks(kProc); });
  EXPECT_THAT(found, AllOf(Contains(ranks[0]), Contains(ranks[1])));
  for (const auto& [what, others] : pids)
    for (const std::int32_t pid : others) EXPECT_THAT(found, Not(Contains(pid))) << what;
}

TEST_F(Family, OwnChildrenAreNeverFound) {
  EXPECT_THAT(find_ranks(kProc), Not(Contains(ranks[0])));
  EXPECT_THAT(find_by_command_line(kProc, "^train work [01]$").value(), Not(Contains(ranks[0])));
}

TEST_F(Family, EachKnowsItsPlace) {
  for (const int number : {0, 1}) {
    const auto rank = identify(kProc, ranks[number]);
    EXPECT_EQ(rank.role, Role::rank);
    EXPECT_EQ(rank.rank, number);
    EXPECT_EQ(rank.local_rank, number);
    EXPECT_EQ(rank.world_size, 2);
    EXPECT_EQ(rank.rank_source, "RANK");
    EXPECT_EQ(rank.job_key, "parent " + std::to_string(target.pid()));
  }
  EXPECT_EQ(identify(kProc, target.pid()).role, Role::launcher);
  for (const char* what : {"named", "unnamed"})
    for (const std::int32_t pid : pids[what]) {
      const auto worker = identify(kProc, pid);
      EXPECT_EQ(worker.role, Role::dataloader_worker) << what;
      EXPECT_TRUE(worker.rank_pid == ranks[0] || worker.rank_pid == ranks[1]);
      EXPECT_FALSE(worker.rank);
    }
}

TEST_F(Family, DescendantsAreTheWholeFamily) {
  const std::int32_t root = target.pid();
  const auto all = seen_by_a_sibling([root] { return with_descendants(kProc, std::span(&root, 1)); });
  EXPECT_EQ(all.size(), 7U);
  EXPECT_THAT(all, testing::IsSupersetOf({root, ranks[0], ranks[1]}));
}

TEST_F(Family, CommandLinesAreMatched) {
  const auto found = seen_by_a_sibling([] { return find_by_command_line(kProc, "^train work [01]$").value(); });
  EXPECT_THAT(found, testing::IsSupersetOf({ranks[0], ranks[1]}));
  EXPECT_THAT(found, Not(Contains(target.pid())));
}

struct Launcher {
  const char* name;
  tests::Environment environment;
  model::RankIdentity identity;
};

class EnvironmentOf : public testing::TestWithParam<Launcher> {};

TEST_P(EnvironmentOf, GivesTheRank) {
  tests::Target target(kWait, GetParam().environment);
  ASSERT_EQ(target.read_line(), "ready");
  model::RankIdentity expected = GetParam().identity;
  if (expected.job_key.empty()) expected.job_key = "parent " + std::to_string(::getpid());
  EXPECT_EQ(identify(kProc, target.pid()), expected);
}

INSTANTIATE_TEST_SUITE_P(Launchers, EnvironmentOf,
                         testing::Values(Launcher{"torchrun",
                                                  {{"RANK", "9"},
                                                   {"LOCAL_RANK", "1"},
                                                   {"WORLD_SIZE", "16"},
                                                   {"MASTER_ADDR", "gpu01"},
                                                   {"MASTER_PORT", "29500"}},
                                                  {Role::rank, 9, 1, 16, "RANK", "gpu01:29500", 0}},
                                         Launcher{
                                             "openmpi",
                                             {{"OMPI_COMM_WORLD_RANK", "3"},
                                              {"OMPI_COMM_WORLD_LOCAL_RANK", "1"},
                                              {"OMPI_COMM_WORLD_SIZE", "4"},
                                              {"PMIX_NAMESPACE", "prterun-a-1@1"}},
                                             {Role::rank, 3, 1, 4, "OMPI_COMM_WORLD_RANK", "mpi prterun-a-1@1", 0}},
                                         Launcher{"mpich",
                                                  {{"PMI_RANK", "2"}, {"PMI_SIZE", "4"}, {"MPI_LOCALRANKID", "0"}},
                                                  {Role::rank, 2, 0, 4, "PMI_RANK", "", 0}},
                                         Launcher{"slurm",
                                                  {{"SLURM_PROCID", "5"},
                                                   {"SLURM_LOCALID", "1"},
                                                   {"SLURM_NTASKS", "8"},
                                                   {"SLURM_JOB_ID", "77"},
                                                   {"SLURM_STEP_ID", "0"}},
                                                  {Role::rank, 5, 1, 8, "SLURM_PROCID", "slurm 77.0", 0}},
                                         Launcher{"mvapich",
                                                  {{"MV2_COMM_WORLD_RANK", "1"},
                                                   {"MV2_COMM_WORLD_LOCAL_RANK", "1"},
                                                   {"MV2_COMM_WORLD_SIZE", "2"}},
                                                  {Role::rank, 1, 1, 2, "MV2_COMM_WORLD_RANK", "", 0}}),
                         [](const auto& parameter) { return std::string(parameter.param.name); });

TEST(SlurmBatchShell, IsNoRank) {
  tests::Target target({"/bin/sh", "-c", "echo ready; read line"},
                       {{"SLURM_PROCID", "0"}, {"SLURM_NTASKS", "8"}, {"SLURM_JOB_ID", "77"}});
  ASSERT_EQ(target.read_line(), "ready");
  EXPECT_EQ(identify(kProc, target.pid()).role, Role::other);
}

}  // namespace
}  // namespace hangstack::sampler
