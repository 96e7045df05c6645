#include "model/records.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

namespace hangstack::model {
namespace {

using testing::ElementsAre;

RecordedOperation operation(const std::string& group, bool retired) {
  RecordedOperation made;
  made.backend = "gloo";
  made.group = group;
  made.retired = retired;
  return made;
}

TEST(CallSite, IsTheUsersInnermostFrame) {
  RecordedOperation made;
  EXPECT_EQ(made.call_site(), nullptr);
  made.frames = {{"all_reduce", "/v/lib/python3.12/site-packages/torch/distributed/distributed_c10d.py", 4174},
                 {"call", "/tmp/torchinductor_me/ab/cab.py", 7},
                 {"", "", 0}};
  EXPECT_EQ(made.call_site(), nullptr) << "torch's own, and what its compiler wrote";
  made.frames.push_back({"fit", "/v/lib/python3.12/site-packages/lightning/trainer.py", 20});
  made.frames.push_back({"run", "/usr/lib/python3.12/threading.py", 30});
  EXPECT_EQ(made.call_site()->line, 20) << "a package's, if the user has none";
  made.frames.push_back({"step", "/job/train.py", 88});
  made.frames.push_back({"<module>", "/job/train.py", 99});
  EXPECT_EQ(made.call_site()->line, 88);
}

TEST(WorthTelling, IsTheFirstUnfinishedAndTheLastOfEachGroup) {
  std::vector<RecordedOperation> operations;
  for (const bool retired : {true, false, true}) {
    operations.push_back(operation("0", retired));
    operations.push_back(operation("1", true));
  }
  EXPECT_THAT(worth_telling(operations), ElementsAre(2, 4, 5));
}

TEST(Unfinished, OneThatALaterOneOfItsGroupHasOvertakenHasEndedExceptOnGloo) {
  std::vector<RecordedOperation> operations{operation("0", false), operation("1", false), operation("0", true),
                                            operation("0", false)};
  for (auto& made : operations) made.backend = "nccl";
  EXPECT_THAT(unfinished(operations), ElementsAre(1, 3));
  EXPECT_THAT(worth_telling(operations), ElementsAre(1, 3)) << "what has been overtaken does not come back";
  for (auto& made : operations) made.backend = "gloo";
  EXPECT_THAT(unfinished(operations), ElementsAre(0, 1, 3));
  for (auto& made : operations) {
    made.backend = "nccl";
    made.point_to_point = true;
  }
  EXPECT_THAT(unfinished(operations), ElementsAre(0, 1, 3));
}

RecordedOperation transfer(const std::string& name, std::uint64_t number, bool finished = false) {
  RecordedOperation made = operation("0", finished);
  made.backend = "nccl";
  made.name = name;
  made.point_to_point = name != "coalesced";
  made.point_to_point_sequence = number;
  return made;
}

TEST(Unfinished, SendsOfABatchEndWithItOrWithALaterOneAndAreNoCollectives) {
  std::vector<RecordedOperation> operations{
      transfer("send 0->1", 1),       transfer("coalesced", 1), transfer("send 0->1", 2), transfer("recv 0<-1", 2),
      transfer("coalesced", 2, true), transfer("send 0->1", 3), transfer("send 0->1", 4), transfer("coalesced", 4)};
  mark_batches(operations);
  EXPECT_TRUE(operations[1].closes_transfers);
  EXPECT_THAT(unfinished(operations), ElementsAre(5, 6, 7)) << "the third is of no batch";
  EXPECT_THAT(worth_telling(operations), ElementsAre(5, 6, 7));
}

TEST(Unfinished, ABatchOfCollectivesClosesNoTransfers) {
  std::vector<RecordedOperation> operations{transfer("send 0->1", 1, true), operation("0", false),
                                            transfer("coalesced", 1)};
  operations[1].backend = "nccl";
  mark_batches(operations);
  EXPECT_FALSE(operations[2].closes_transfers);
  EXPECT_THAT(unfinished(operations), ElementsAre(1, 2));
}

TEST(WorthTelling, ManyUnfinishedOfOneGroupLeaveRoomForTheOthers) {
  std::vector<RecordedOperation> operations;
  operations.assign(2000, operation("0", false));
  operations.push_back(operation("1", false));
  const auto told = worth_telling(operations);
  ASSERT_EQ(told.size(), 128U);
  EXPECT_EQ(told[0], 0U);
  EXPECT_EQ(told[125], 125U);
  EXPECT_EQ(told[126], 1999U);
  EXPECT_EQ(told[127], 2000U);
}

TEST(WorthTelling, NoGroupIsLeftOutHoweverManyThereAre) {
  std::vector<RecordedOperation> operations;
  for (int i = 0; i < 300; ++i) operations.push_back(operation(std::to_string(i), i != 299));
  EXPECT_EQ(worth_telling(operations).size(), 300U);
}

TEST(WorthTelling, PartsOfABatchOfSendsDoNotPushOutCollectives) {
  std::vector<RecordedOperation> operations(500, operation("0", false));
  for (auto& sent : operations) sent.point_to_point = true;
  for (int i = 0; i < 50; ++i) operations.push_back(operation("0", false));
  const auto told = worth_telling(operations);
  EXPECT_EQ(std::ranges::count_if(told, [](std::size_t i) { return i >= 500; }), 50);
}

}  // namespace
}  // namespace hangstack::model
