#include "symbolizer/records/flight_recorder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>

#include "tests/support/recorder_builder.h"

namespace hangstack::symbolizer {
namespace {

using model::ErrorCode;
using tests::RecorderBuilder;

model::Expected<model::FlightRecorder> read(RecorderBuilder& recorder, const RecorderLayout& layout) {
  const auto runtimes = RecorderBuilder::runtimes();
  TracebackReader tracebacks(runtimes, recorder.memory());
  return read_flight_recorder(recorder.memory(), RecorderBuilder::address(), tracebacks, layout);
}

model::Expected<model::FlightRecorder> read(RecorderBuilder& recorder) {
  const auto runtimes = RecorderBuilder::runtimes();
  TracebackReader tracebacks(runtimes, recorder.memory());
  return read_flight_recorder(recorder.memory(), RecorderBuilder::address(), tracebacks);
}

class EveryLayout : public testing::TestWithParam<const RecorderLayout*> {};

TEST_P(EveryLayout, GivesWhatWasRecorded) {
  RecorderBuilder recorder(*GetParam(), 4);
  recorder.add({.name = "gloo:all_reduce", .sequence = 1, .retired = true});
  recorder.add({.name = "nccl2:_all_gather_base", .sequence = 2, .sizes = {3, 5, 6, 5}, .dimensions = {2}, .type = 15});
  const auto found = read(recorder);
  ASSERT_TRUE(found) << found.error().message;
  ASSERT_EQ(found->operations.size(), 2U);
  EXPECT_EQ(found->recorded, 2U);
  const model::RecordedOperation& first = found->operations[0];
  EXPECT_EQ(first.backend, "gloo");
  EXPECT_EQ(first.name, "all_reduce");
  EXPECT_EQ(first.sequence, 1U);
  EXPECT_TRUE(first.finished());
  EXPECT_EQ(first.group, "0");
  EXPECT_EQ(first.group_description, "default_pg, whose name is long");
  const model::RecordedOperation& second = found->operations[1];
  EXPECT_EQ(second.name, "_all_gather_base");
  EXPECT_FALSE(second.finished());
  EXPECT_EQ(second.inputs, (std::vector<model::RecordedTensor>{{{3, 5}, "BFloat16"}}));
  EXPECT_EQ(second.outputs, (std::vector<model::RecordedTensor>{{{6, 5}, "BFloat16"}}));
}

TEST_P(EveryLayout, AFullRingBeginsAtItsNextPlace) {
  RecorderBuilder recorder(*GetParam(), 3);
  for (std::uint64_t i = 1; i <= 7; ++i) recorder.add({.name = "gloo:all_reduce", .sequence = i});
  const auto found = read(recorder);
  ASSERT_TRUE(found) << found.error().message;
  std::vector<std::uint64_t> sequence;
  for (const auto& operation : found->operations) sequence.push_back(operation.sequence);
  EXPECT_THAT(sequence, testing::ElementsAre(5, 6, 7));
  EXPECT_EQ(found->recorded, 7U);
}

TEST_P(EveryLayout, GroupsAndTheirStatusComeFromTheTrees) {
  RecorderBuilder recorder(*GetParam(), 4);
  recorder.add_group("0", "default_pg", {0, 1, 2});
  recorder.add_group("1", "dp", {0, 2});
  if (GetParam()->all_pg_status != 0) recorder.add_status(0, 5, 4, 3);
  const auto found = read(recorder, *GetParam());
  ASSERT_TRUE(found) << found.error().message;
  EXPECT_EQ(found->groups, (std::vector<model::RecordedGroup>{{"0", "default_pg", {0, 1, 2}}, {"1", "dp", {0, 2}}}));
  const bool has_status = GetParam()->all_pg_status != 0;
  EXPECT_EQ(found->group_status, has_status ? (std::vector<model::RecordedGroupStatus>{{0, 5, 4, 3}})
                                            : std::vector<model::RecordedGroupStatus>{});
}

TEST_P(EveryLayout, UnfinishedAndLastOperationsHaveTheFramesThatCalled) {
  RecorderBuilder recorder(*GetParam(), 4);
  const std::uint64_t library = recorder.add_code("all_reduce", "/v/site-packages/torch/distributed/c10d.py", 4174);
  const std::uint64_t script = recorder.add_code("Trainer.step", "/job/train.py", 88);
  const std::uint64_t called = recorder.add_traceback({{library, 0}, {script, 4}, {script, 400}});
  recorder.add({.name = "gloo:all_reduce", .sequence = 1, .retired = true, .traceback = called});
  recorder.add({.name = "gloo:all_reduce", .sequence = 2, .traceback = called});
  recorder.add({.name = "gloo:all_reduce", .sequence = 3, .retired = true, .traceback = called});
  const auto found = read(recorder, *GetParam());
  ASSERT_TRUE(found) << found.error().message;
  ASSERT_EQ(found->operations.size(), 2U) << "the first one is over, and others followed";
  const std::vector<model::RecordedFrame> frames = {{"all_reduce", "/v/site-packages/torch/distributed/c10d.py", 4174},
                                                    {"Trainer.step", "/job/train.py", 88},
                                                    {"Trainer.step", "/job/train.py", 0}};
  EXPECT_EQ(found->operations[0].frames, frames) << "the last one is of no instruction";
  EXPECT_EQ(found->operations[1].frames, frames);
}

TEST_P(EveryLayout, AfterAResetOnlyWhatCameSinceCounts) {
  RecorderBuilder recorder(*GetParam(), 4);
  for (std::uint64_t i = 1; i <= 3; ++i) recorder.add({.name = "gloo:all_reduce", .sequence = i});
  recorder.reset();
  auto found = read(recorder);
  ASSERT_TRUE(found) << found.error().message;
  EXPECT_TRUE(found->operations.empty());
  for (std::uint64_t i = 8; i <= 9; ++i) recorder.add({.name = "gloo:broadcast", .sequence = i});
  found = read(recorder);
  ASSERT_TRUE(found) << found.error().message;
  ASSERT_EQ(found->operations.size(), 2U);
  EXPECT_EQ(found->operations[0].sequence, 8U);
  EXPECT_EQ(found->operations[1].sequence, 9U);
}

INSTANTIATE_TEST_SUITE_P(FlightRecorder, EveryLayout,
                         testing::ValuesIn(recorder_layouts().begin(), recorder_layouts().end()), [](const auto& info) {
                           std::string name = "torch_" + std::string(info.param->torch);
                           std::ranges::replace(name, '.', '_');
                           return name;
                         });

TEST(FlightRecorder, SwitchedOffIsSaidWithTheVariable) {
  RecorderBuilder recorder(kRecorderTorch2_15, 4);
  recorder.switch_off();
  const auto found = read(recorder);
  ASSERT_FALSE(found);
  EXPECT_EQ(found.error().code, ErrorCode::not_found);
  EXPECT_THAT(found.error().fix, testing::HasSubstr("TORCH_FR_BUFFER_SIZE"));
}

TEST(FlightRecorder, OtherBytesAreNone) {
  RecorderBuilder recorder(kRecorderTorch2_15, 4);
  recorder.add({.name = "gloo:all_reduce", .sequence = 1});
  recorder.add({.name = "gloo:all_reduce", .sequence = 2});
  recorder.overwrite_names();
  const auto found = read(recorder);
  ASSERT_FALSE(found);
  EXPECT_EQ(found.error().code, ErrorCode::malformed_input);
  TracebackReader tracebacks({}, recorder.memory());
  EXPECT_EQ(read_flight_recorder(recorder.memory(), model::RemoteAddress{8}, tracebacks).error().code,
            ErrorCode::unreadable_memory);
}

TEST(FlightRecorder, AnEntryThatChangesWhileItIsReadIsLeftOut) {
  RecorderBuilder recorder(kRecorderTorch2_15, 4);
  for (std::uint64_t i = 1; i <= 3; ++i) recorder.add({.name = "gloo:all_reduce", .sequence = i});
  recorder.set_id(1, 77);
  const auto found = read(recorder);
  ASSERT_TRUE(found) << found.error().message;
  EXPECT_EQ(found->operations.size(), 2U);
}

}  // namespace
}  // namespace hangstack::symbolizer
