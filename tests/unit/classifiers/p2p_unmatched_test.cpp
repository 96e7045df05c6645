#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/job_builder.h"
#include "tests/unit/classifiers/judged_job.h"

namespace hangstack::classifiers {
namespace {

using model::Confidence;
using model::Hung;
using model::Job;
using model::RankSet;
using ::testing::HasSubstr;
using tests::in_user_code;
using tests::JobBuilder;

/// A rank that has waited long for the device, with what its recorder holds, a line each.
std::string waits(int rank, int world, const std::string& recorded) {
  std::string text = in_device_wait(rank, world);
  std::string members;
  for (int i = 0; i < world; ++i) members += (i == 0 ? "" : "+") + std::to_string(i);
  std::istringstream lines(recorded);
  for (std::string line; std::getline(lines, line);)
    text += fmt::format("recorded {} backend=nccl members={} age=60\n", line, members);
  return text;
}

TEST(P2pUnmatched, ARecvWithoutASendNamesThePairAndWhoWentOn) {
  JobBuilder job;
  job.still(waits(0, 2, "recv:0<-1 #1 p2p=1 called=train.py:8"));
  job.still(waits(1, 2, "all_reduce #2"));
  const Job judged = only_job(job);
  EXPECT_EQ(judged.verdict.pattern, "p2p_unmatched");
  EXPECT_EQ(judged.verdict.shape, "recv without a send");
  EXPECT_EQ(judged.verdict.culprit_ranks, RankSet{1});
  EXPECT_EQ(judged.verdict.hung, Hung::yes);
  EXPECT_EQ(judged.verdict.confidence, Confidence::likely);
  EXPECT_THAT(
      judged.verdict.summary,
      HasSubstr("Rank 0 is in recv from rank 1 of nccl group \"default_pg\", [256] Float, called at train.py:8; "
                "rank 1 has no such send under way"));
  EXPECT_THAT(observations(judged), HasSubstr("0 | recv from rank 1 of nccl group"));
}

TEST(P2pUnmatched, AtTheEndOfAPipelineOnlyTheStageThatSkippedIsNamed) {
  JobBuilder job;
  for (const int rank : {0, 1}) job.still(waits(rank, 4, "all_reduce #2"));
  job.still(waits(2, 4, "recv:2<-1 #1 p2p=3"));
  job.still(waits(3, 4, "recv:3<-2 #1 p2p=3"));
  const Job judged = only_job(job);
  EXPECT_EQ(judged.verdict.pattern, "p2p_unmatched");
  EXPECT_EQ(judged.verdict.culprit_ranks, RankSet{1}) << "rank 2 would send, once it has received";
}

TEST(P2pUnmatched, TwoThatBothSendFirstAreBothNamed) {
  JobBuilder job;
  for (const int rank : {0, 1})
    job.still(waits(rank, 2, fmt::format("send:{0}->{1} #0 p2p=3\nrecv:{0}<-{1} #0 p2p=4", rank, 1 - rank)));
  const Job judged = only_job(job);
  EXPECT_EQ(judged.verdict.pattern, "p2p_unmatched");
  EXPECT_EQ(judged.verdict.shape, "in crossed order");
  EXPECT_EQ(judged.verdict.culprit_ranks, (RankSet{0, 1}));
}

TEST(P2pUnmatched, InARingOfBatchesTheRankThatTurnsTheOtherWayIsNamed) {
  JobBuilder job;
  for (int rank = 0; rank < 4; ++rank) {
    const int to = rank == 2 ? 1 : (rank + 1) % 4;
    const int from = rank == 2 ? 3 : (rank + 3) % 4;
    job.still(waits(
        rank, 4, fmt::format("send:{0}->{1} #0 p2p=9\nrecv:{0}<-{2} #0 p2p=9\ncoalesced #0 closes=9", rank, to, from)));
  }
  const Job judged = only_job(job);
  EXPECT_EQ(judged.verdict.pattern, "p2p_unmatched");
  EXPECT_EQ(judged.verdict.shape, "between other ranks than the peers expect");
  EXPECT_EQ(judged.verdict.culprit_ranks, RankSet{2});
}

TEST(P2pUnmatched, NumbersInAGroupAreThoseOfItsMembers) {
  JobBuilder job;
  const std::string group = "backend=nccl group=pp members=1+3 age=60\n";
  job.still(waits(0, 4, "all_gather #7"));
  job.still(waits(1, 4, "") + "recorded recv:0<-1 #0 p2p=1 " + group);
  job.still(waits(2, 4, "all_gather #7"));
  job.still(waits(3, 4, "all_gather #7"));
  const Job judged = only_job(job);
  EXPECT_EQ(judged.verdict.pattern, "p2p_unmatched");
  EXPECT_EQ(judged.verdict.culprit_ranks, RankSet{3});
}

TEST(P2pUnmatched, TransfersThatHaveMetAreNot) {
  JobBuilder job;
  job.still(waits(0, 2, "send:0->1 #0 p2p=1"));
  job.still(waits(1, 2, "recv:1<-0 #0 p2p=5"));
  EXPECT_EQ(only_job(job).verdict.pattern, "unknown");
}

TEST(P2pUnmatched, IsNotSaidOfAPeerThatIsElsewhereOnItsHostOrTellsNothing) {
  JobBuilder straggler;
  straggler.still(waits(0, 2, "recv:0<-1 #1 p2p=1"));
  straggler.still(in_user_code(1, 2, "asleep=60 syscall=clock_nanosleep", kSleep));
  EXPECT_EQ(only_job(straggler).verdict.pattern, "host_straggler");
  JobBuilder silent;
  silent.still(waits(0, 2, "recv:0<-1 #1 p2p=1"));
  silent.still(waits(1, 2, ""));
  EXPECT_EQ(only_job(silent).verdict.pattern, "unknown");
}

TEST(P2pUnmatched, IsNotSaidWhereAnOlderCollectiveHoldsTheRecvUp) {
  JobBuilder job;
  job.still(waits(0, 2, "all_reduce #1\nrecv:0<-1 #1 p2p=1"));
  job.still(waits(1, 2, "all_gather #1"));
  EXPECT_EQ(only_job(job).verdict.pattern, "collective_mismatch");
}

TEST(P2pUnmatched, NamesThatNoRecorderWritesAreIgnored) {
  for (const char* name : {"send:0->", "send:->1", "recv:0->1", "send:0->9999999999999", "send:0->1x", "send:-1->0"}) {
    JobBuilder job;
    job.still(waits(0, 2, fmt::format("{} #1 p2p=1", name)));
    job.still(waits(1, 2, "all_reduce #2"));
    EXPECT_NE(only_job(job).verdict.pattern, "p2p_unmatched") << name;
  }
}

}  // namespace
}  // namespace hangstack::classifiers
