#include <fmt/format.h>
#include <gmock/gmock.h>

#include <string>

#include "ingest/ingest.h"

namespace hangstack::ingest {
namespace {

using testing::HasSubstr;

constexpr std::int64_t kSecond = 1'000'000'000;

std::string dump(std::string_view world, std::string_view backend = "nccl") {
  return fmt::format(
      R"({{"version":"2.9","pg_config":{{"0":{{"name":"0","desc":"default_pg","ranks":"{}"}}}},"entries":[)"
      R"({{"record_id":0,"pg_id":0,"process_group":["0","default_pg"],"collective_seq_id":1,)"
      R"("profiling_name":"{}:all_reduce","time_created_ns":1000000000,"timeout_ms":60000}}]}})",
      world, backend);
}

Imported import(const std::vector<DumpFile>& files) {
  Importer importer;
  for (const DumpFile& file : files) importer.add(file);
  return std::move(importer).take();
}

TEST(Import, TheRankIsInTheFilesName) {
  EXPECT_EQ(rank_in_name("/tmp/nccl_trace_rank_12"), 12);
  EXPECT_EQ(rank_in_name("rank3.json"), 3);
  EXPECT_EQ(rank_in_name("Rank-4.pickle"), 4);
  EXPECT_EQ(rank_in_name("set_7/_dump_14"), 14);
  EXPECT_EQ(rank_in_name("dump_5.pkl"), 5);
  EXPECT_EQ(rank_in_name("ranks_of_job/trace_2"), 2);
  EXPECT_EQ(rank_in_name("rank_1/dump"), std::nullopt);
  EXPECT_EQ(rank_in_name("dump_5b"), std::nullopt);
  EXPECT_EQ(rank_in_name("trace"), std::nullopt);
  EXPECT_EQ(rank_in_name("rank99999999999"), std::nullopt);
}

TEST(Import, WhatTheUserSaysComesBeforeTheName) {
  const Imported imported = import({{"rank_0", 1, 0, dump("[0, 1]")}});
  ASSERT_EQ(imported.snapshot.processes.size(), 1U);
  const model::ProcessSnapshot& process = imported.snapshot.processes[0].last();
  EXPECT_EQ(process.identity.rank, 1);
  EXPECT_EQ(process.identity.world_size, 2);
  EXPECT_EQ(process.dump, "rank_0");
  EXPECT_EQ(process.flight_recorders.size(), 1U);
}

TEST(Import, AFileThatIsNoDumpCostsTheOthersNothing) {
  const Imported imported = import({{"rank_0", {}, 0, dump("[0, 1]")}, {"rank_1", {}, 0, "\x80\x02}("}});
  EXPECT_EQ(imported.snapshot.processes.size(), 1U);
  ASSERT_EQ(imported.problems.size(), 1U);
  EXPECT_EQ(imported.problems[0].subject, "rank_1");
  EXPECT_THAT(imported.problems[0].error.message, HasSubstr("rank_1: at byte 4: the file ends within"));
}

TEST(Import, ADumpOfNobodyIsLeftOutWithTheFix) {
  const Imported imported = import({{"trace", {}, 0, dump("[0, 1]")}});
  EXPECT_TRUE(imported.snapshot.processes.empty());
  ASSERT_EQ(imported.problems.size(), 1U);
  EXPECT_THAT(imported.problems[0].error.message, HasSubstr("nothing says whose it is"));
  EXPECT_THAT(imported.problems[0].error.fix, HasSubstr("RANK=trace"));
}

TEST(Import, ASecondDumpOfARankIsLeftOutUnlessOfAnotherBackend) {
  const Imported imported =
      import({{"a_0", {}, 0, dump("[0, 1]")}, {"b_0", {}, 0, dump("[0, 1]")}, {"c_0", {}, 0, dump("[0, 1]", "gloo")}});
  ASSERT_EQ(imported.snapshot.processes.size(), 1U);
  EXPECT_EQ(imported.snapshot.processes[0].last().flight_recorders.size(), 2U);
  ASSERT_EQ(imported.problems.size(), 1U);
  EXPECT_THAT(imported.problems[0].error.message, HasSubstr("b_0: rank 0 is in a_0 already"));
}

TEST(Import, ARankThatIsNoMemberIsOfAnotherJob) {
  const Imported imported = import({{"dump_7", {}, 0, dump("[0, 1]")}});
  EXPECT_TRUE(imported.snapshot.processes.empty());
  EXPECT_THAT(imported.problems.at(0).error.message, HasSubstr("no member of the default group"));
}

TEST(Import, AnotherRankThanTheGroupsSayIsDoubted) {
  const std::string own = R"({"version":"2.9","pg_config":{"0":{"name":"0","desc":"default_pg","ranks":"[0, 1]"},)"
                          R"("1":{"name":"1","desc":"","ranks":"[1]"}},"entries":[]})";
  const Imported imported = import({{"dump_0", {}, 0, own}});
  EXPECT_EQ(imported.snapshot.processes.size(), 1U);
  EXPECT_THAT(imported.problems.at(0).error.message, HasSubstr("its groups are those of rank 1"));
}

TEST(Import, JobsWithOtherWorldsAreToldApart) {
  const Imported imported = import({{"a_0", {}, 0, dump("[0, 1]")}, {"b_0", {}, 0, dump("[0, 1, 2]")}});
  ASSERT_EQ(imported.snapshot.processes.size(), 2U);
  EXPECT_NE(imported.snapshot.processes[0].last().identity.job_key,
            imported.snapshot.processes[1].last().identity.job_key);
  EXPECT_TRUE(imported.problems.empty());
}

TEST(Import, AFilesTimeCountsOnlyNearTheLastRecord) {
  const auto at = [](std::int64_t modified_s) {
    return import({{"_0", {}, modified_s * kSecond, dump("[0]")}}).snapshot.processes[0].last().captured_at_unix_ns;
  };
  EXPECT_EQ(at(61), 61 * kSecond);
  EXPECT_EQ(at(86'400), 1 * kSecond) << "a copy of another day";
  EXPECT_EQ(at(0), 1 * kSecond);
}

}  // namespace
}  // namespace hangstack::ingest
