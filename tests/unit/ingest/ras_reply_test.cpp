#include "ingest/ras/ras_reply.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <string>

namespace hangstack::ingest {
namespace {

using model::RasPresence;
using model::RasRank;
using model::RasReport;
using ::testing::Optional;

constexpr std::size_t kBroadcast = 0;
constexpr std::size_t kAllReduce = 4;

/// What RAS of a real job in the lab sent: rank 0 is in its second all_reduce, rank 1 never joins it.
std::string recorded(const std::string& name) {
  const std::string path = std::string(HANGSTACK_SOURCE_DIR) + "/tests/fuzz/corpus/ras/" + name;
  std::ifstream file(path, std::ios::binary);
  EXPECT_TRUE(file.is_open()) << path;
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

RasReport report_of(const std::string& text) {
  auto report = read_ras_reply(text);
  EXPECT_TRUE(report.has_value()) << report.error().message;
  return report ? std::move(*report) : RasReport{};
}

/// A text report with these sections; of one group of one communicator of `ranks` ranks.
std::string text_with(int ranks, const std::string& errors, const std::string& warnings) {
  return "NCCL version 2.27.3 compiled with CUDA 12.9\n\nJob summary\n===========\n\n"
         "Communicators... (0.00s)\n=============\n\n"
         "Group     Comms     Nodes     Ranks     Ranks     Ranks    Status  Errors\n"
         "    #  in group  per comm  per node  per comm  in group\n"
         "    0         1         1       1-2  " +
         std::to_string(ranks) + "        12   RUNNING  MISMATCH\n\nErrors\n======\n\n" + errors +
         "Warnings\n========\n\n" + warnings;
}

TEST(RasReply, TextTellsTheCountsOfEachRank) {
  for (const char* name : {"2.28.9.txt", "2.32.3.txt"}) {
    const RasReport report = report_of(recorded(name));
    EXPECT_FALSE(report.json);
    EXPECT_TRUE(std::string(name).starts_with(report.nccl_version)) << report.nccl_version;
    EXPECT_EQ(report.communicators_in_all, 1);
    ASSERT_EQ(report.communicators.size(), 1U) << name;
    const auto& communicator = report.communicators[0];
    EXPECT_NE(communicator.hash, 0U);
    EXPECT_EQ(communicator.ranks, 2);
    ASSERT_EQ(communicator.members.size(), 2U);
    EXPECT_THAT(communicator.members[0].launched[kAllReduce], Optional(2));
    EXPECT_THAT(communicator.members[1].launched[kAllReduce], Optional(1));
    EXPECT_EQ(communicator.members[1].launched[kBroadcast], std::nullopt) << "text tells what differs";
    EXPECT_GT(communicator.members[1].pid, 0);
    EXPECT_EQ(communicator.members[1].host, "127.0.0.1");
    EXPECT_THAT(communicator.members[1].device, Optional(1));
  }
}

TEST(RasReply, OldTextTellsAllCollectivesTogether) {
  const RasReport report = report_of(recorded("2.24.3.txt"));
  ASSERT_EQ(report.communicators.size(), 1U);
  EXPECT_EQ(report.communicators[0].hash, 0xa8e2d66a333683a4U);
  ASSERT_EQ(report.communicators[0].members.size(), 2U);
  EXPECT_THAT(report.communicators[0].members[0].launched_in_all, Optional(2));
  EXPECT_THAT(report.communicators[0].members[1].launched_in_all, Optional(1));
  EXPECT_EQ(report.communicators[0].members[1].launched[kAllReduce], std::nullopt);
}

TEST(RasReply, JsonAndTextOfOneJobAgree) {
  for (const std::string version : {"2.28.9", "2.32.3"}) {
    const RasReport json = report_of(recorded(version + ".json"));
    const RasReport text = report_of(recorded(version + ".txt"));
    EXPECT_TRUE(json.json);
    EXPECT_EQ(json.nccl_version, text.nccl_version);
    ASSERT_EQ(json.communicators.size(), 1U);
    EXPECT_EQ(json.communicators[0].hash, text.communicators.at(0).hash);
    ASSERT_EQ(json.communicators[0].members.size(), 2U);
    for (std::size_t i = 0; i < 2; ++i) {
      const RasRank& rank = json.communicators[0].members[i];
      EXPECT_EQ(rank.pid, text.communicators[0].members.at(i).pid);
      EXPECT_EQ(rank.launched[kAllReduce], text.communicators[0].members[i].launched[kAllReduce]);
      EXPECT_THAT(rank.launched[kBroadcast], Optional(0)) << "JSON tells all counts";
      EXPECT_THAT(rank.async_error, Optional(0));
    }
  }
}

TEST(RasReply, ASilentRankIsNamed) {
  for (const char* name : {"2.24.3-stopped.txt", "2.28.9-stopped.txt", "2.28.9-stopped.json", "2.32.3-stopped.json"}) {
    const RasReport report = report_of(recorded(name));
    ASSERT_EQ(report.communicators.size(), 1U) << name;
    const auto& members = report.communicators[0].members;
    const auto last = members.empty() ? RasRank{} : members.back();
    EXPECT_EQ(last.rank, 1) << name;
    EXPECT_EQ(last.presence, RasPresence::silent) << name;
  }
}

TEST(RasReply, TheJsonOf2289LacksACommaAndIsReadAllTheSame) {
  const std::string reply = recorded("2.28.9-dead.json");
  ASSERT_NE(reply.find("\"nvml_dev\": 1\n"), std::string::npos) << "the fault that this test is about";
  EXPECT_EQ(report_of(reply).communicators.at(0).members.at(1).presence, RasPresence::dead);
}

TEST(RasReply, ADeadProcessIsNamed) {
  for (const char* name : {"2.24.3-dead.txt", "2.28.9-dead.txt"}) {
    const RasReport report = report_of(recorded(name));
    EXPECT_EQ(report.dead_processes, 1) << name;
    ASSERT_EQ(report.lost.size(), 1U) << name;
    EXPECT_TRUE(report.lost[0].dead);
    EXPECT_EQ(report.lost[0].host, "127.0.0.1");
  }
}

TEST(RasReply, RanksThatAreNotListedHaveTheCountOfTheMany) {
  const RasReport report = report_of(text_with(4, "",
                                               "#0-0 (7a) MISMATCH\n"
                                               "  Communicator ranks have different AllReduce operation counts\n"
                                               "  3 ranks have launched up to operation 9\n"
                                               "  Rank 2 has not launched any operations -- GPU 2 (NVML 6) managed by "
                                               "process 12 on node 10.0.0.2\n\n"));
  ASSERT_EQ(report.communicators.size(), 1U);
  const auto& members = report.communicators[0].members;
  ASSERT_EQ(members.size(), 4U);
  EXPECT_THAT(members[0].launched[kAllReduce], Optional(9));
  EXPECT_THAT(members[3].launched[kAllReduce], Optional(9));
  EXPECT_THAT(members[2].launched[kAllReduce], Optional(0));
  EXPECT_EQ(members[2].pid, 12);
  EXPECT_THAT(members[2].device, Optional(2));
  EXPECT_EQ(members[0].pid, 0) << "not told";
}

TEST(RasReply, ARankThatDidNotAnswerIsNotOneOfTheMany) {
  const RasReport report = report_of(text_with(
      4,
      "INCOMPLETE\n  Missing communicator data from 1 job process\n  Process 13 on node 10.0.0.3 managing GPU 3\n\n"
      "#0-0 (7a) INCOMPLETE\n  Missing communicator data from 1 rank\n  The missing rank: 3\n\n",
      "#0-0 (7a) MISMATCH\n"
      "  Communicator ranks have different AllReduce operation counts\n"
      "  2 ranks have launched up to operation 9\n"
      "  Rank 2 has launched up to operation 8 -- [process information not found]\n\n"));
  EXPECT_EQ(report.silent_processes, 1);
  ASSERT_EQ(report.communicators.size(), 1U);
  const auto& members = report.communicators[0].members;
  ASSERT_EQ(members.size(), 4U);
  EXPECT_THAT(members[1].launched[kAllReduce], Optional(9));
  EXPECT_THAT(members[2].launched[kAllReduce], Optional(8));
  EXPECT_EQ(members[3].launched[kAllReduce], std::nullopt);
  EXPECT_EQ(members[3].presence, RasPresence::silent);
}

TEST(RasReply, TwoUnlistedGroupsAreLeftOut) {
  const RasReport report = report_of(text_with(8, "",
                                               "#0-0 (7a) MISMATCH\n"
                                               "  Communicator ranks have different AllReduce operation counts\n"
                                               "  4 ranks have launched up to operation 9\n"
                                               "  4 ranks have launched up to operation 8\n\n"));
  ASSERT_EQ(report.communicators.size(), 1U);
  EXPECT_TRUE(report.communicators[0].members.empty()) << "nothing says which is which";
}

TEST(RasReply, StatesAndErrorsOfRanks) {
  const RasReport report = report_of(
      text_with(4,
                "#0-0 (7a) ERROR\n  Asynchronous errors on 2 ranks\n  2 ranks reported System error\n"
                "  Rank 0 -- GPU 0 managed by process 10 on node 10.0.0.1\n"
                "  Rank 1 -- GPU 1 managed by process 11 on node 10.0.0.1\n\n",
                "#0-0 (7a) MISMATCH\n  Communicator ranks have different status\n  2 ranks have status RUNNING\n"
                "  Rank 2 has status ABORT -- GPU 2 managed by process 12 on node 10.0.0.1\n"
                "  Rank 3 has status NOCOMM -- GPU 3 managed by process 13 on node 10.0.0.1\n\n"));
  ASSERT_EQ(report.communicators.size(), 1U);
  const auto& members = report.communicators[0].members;
  ASSERT_EQ(members.size(), 4U);
  EXPECT_THAT(members[0].async_error, Optional(2));
  EXPECT_THAT(members[1].async_error, Optional(2));
  EXPECT_THAT(members[0].init_state, Optional(0));
  EXPECT_TRUE(members[2].aborted);
  EXPECT_EQ(members[3].presence, RasPresence::no_communicator);
}

TEST(RasReply, WhatIsNoReportIsRefused) {
  for (const std::string text : {"", "OK\n", "SERVER PROTOCOL 2\nOK\n", "HTTP/1.1 400 Bad Request\n\n", "{", "{}",
                                 "[1]", "{\"nccl_version\": \"2.30.7\", \"communicators\": 7}"}) {
    EXPECT_FALSE(read_ras_reply(text).has_value()) << text;
  }
}

TEST(RasReply, ACutReplyIsRefused) {
  for (const char* name : {"2.28.9.txt", "2.28.9.json"}) {
    const std::string whole = recorded(name);
    EXPECT_FALSE(read_ras_reply(std::string_view(whole).substr(0, whole.size() / 2)).has_value()) << name;
  }
}

TEST(RasReply, ALargeCountOfRanksCostsNothing) {
  const std::string heading =
      "#0-0 (7a) MISMATCH\n  Communicator ranks have different AllReduce operation counts\n"
      "  2000000000 ranks have launched up to operation 9\n";
  std::string warnings;
  for (int i = 0; i < 1000; ++i) warnings += heading;
  const RasReport report = report_of(text_with(2000000000, "", warnings));
  ASSERT_EQ(report.communicators.size(), 1U);
  EXPECT_TRUE(report.communicators[0].members.empty());
}

}  // namespace
}  // namespace hangstack::ingest
