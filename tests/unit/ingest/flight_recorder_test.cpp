#include "ingest/flight_recorder/flight_recorder.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <string>

namespace hangstack::ingest {
namespace {

using namespace std::string_literals;
using testing::HasSubstr;

/// As _dump_nccl_trace_json() of PyTorch 2.8 writes an entry.
std::string entry(int id, int group_id, std::string_view group, int sequence, bool retired,
                  std::string_view more = R"("input_sizes":[[4,2]],"input_dtypes":["Float"])") {
  return fmt::format(
      R"({{"record_id":{},"pg_id":{},"process_group":["{}","g{}"],"collective_seq_id":{},"p2p_seq_id":0,"op_id":{},)"
      R"("profiling_name":"nccl:all_reduce","time_created_ns":1000,"state":"scheduled","retired":{},)"
      R"("time_discovered_started_ns":0,"time_discovered_completed_ns":0,"timeout_ms":600000,"is_p2p":false,{}}})",
      id, group_id, group, group, sequence, sequence, retired, more);
}

std::string dump(const std::string& entries, const std::string& groups = "", const std::string& status = "") {
  return fmt::format(R"({{"version":"2.9","pg_config":{{{}}},"pg_status":{{{}}},"entries":[{}]}})", groups, status,
                     entries);
}

std::string group(std::string_view name, std::string_view ranks) {
  return fmt::format(R"("{}":{{"name":"{}","desc":"d{}","ranks":"{}"}})", name, name, name, ranks);
}

std::string status(int id, int enqueued) {
  return fmt::format(R"("{}":{{"last_enqueued_collective":"{}","last_started_collective":"-1",)"
                     R"("last_completed_collective":"{}"}})",
                     id, enqueued, enqueued);
}

std::string error_of(const std::string& bytes) {
  const auto read = read_flight_recorder_dump(bytes);
  return read ? "no error" : read.error().message;
}

TEST(FlightRecorderDump, JsonGivesWhatTheReaderOfMemoryGives) {
  const auto read = read_flight_recorder_dump(dump(entry(7, 3, "5", 9, false)));
  ASSERT_TRUE(read) << read.error().message;
  ASSERT_EQ(read->recorder.operations.size(), 1U);
  const model::RecordedOperation& operation = read->recorder.operations.front();
  EXPECT_EQ(operation.id, 7U);
  EXPECT_EQ(operation.group_id, 3U);
  EXPECT_EQ(operation.group, "5");
  EXPECT_EQ(operation.group_description, "g5");
  EXPECT_EQ(operation.sequence, 9U);
  EXPECT_EQ(operation.backend, "nccl");
  EXPECT_EQ(operation.name, "all_reduce");
  EXPECT_EQ(operation.inputs, (std::vector<model::RecordedTensor>{{{4, 2}, "Float"}}));
  EXPECT_EQ(operation.created_unix_ns, 1000);
  EXPECT_EQ(operation.timeout_ms, 600'000);
  EXPECT_FALSE(operation.finished()) << "0 is no time of completion";
  EXPECT_EQ(read->recorder.recorded, 8U);
  EXPECT_TRUE(read->recorder.forgot);
  EXPECT_EQ(read->latest_unix_ns, 1000);
}

TEST(FlightRecorderDump, RetiredDecidesNotTheState) {
  const auto read = read_flight_recorder_dump(dump(entry(0, 0, "0", 1, true)));
  ASSERT_TRUE(read);
  EXPECT_TRUE(read->recorder.operations.front().finished());
}

TEST(FlightRecorderDump, FramesNameTheLineThatCalled) {
  const auto read = read_flight_recorder_dump(
      dump(entry(0, 0, "0", 1, false, R"("frames":[{"name":"step","filename":"/job/train.py","line":88}])")));
  ASSERT_TRUE(read);
  const model::RecordedFrame* site = read->recorder.operations.front().call_site();
  ASSERT_NE(site, nullptr);
  EXPECT_EQ(site->line, 88);
  EXPECT_EQ(site->file, "/job/train.py");
}

/// {"version": "2.9", "pg_config": {}, "entries": [{...}]} as PyTorch's pickler writes it.
TEST(FlightRecorderDump, PicklesAreReadAlike) {
  const auto text = [](const std::string& content) {
    return "X"s + static_cast<char>(content.size()) + "\0\0\0"s + content;
  };
  const std::string bytes = "\x80\x02}("s + text("version") + text("2.9") + text("pg_config") + "}" + text("entries") +
                            "](" + "}(" + text("record_id") + "K\x02" + text("pg_id") + "K\x03" +
                            text("process_group") + text("5") + text("dp") + "\x86" + text("collective_seq_id") +
                            "M\x00\x01"s + text("profiling_name") + text("nccl:all_gather") +
                            text("time_discovered_completed_ns") + "N" + text("retired") + "\x89" +
                            text("input_sizes") + "](](K\x04" + "ee" + "ueu.";
  const auto read = read_flight_recorder_dump(bytes);
  ASSERT_TRUE(read) << read.error().message;
  ASSERT_EQ(read->recorder.operations.size(), 1U);
  const model::RecordedOperation& operation = read->recorder.operations.front();
  EXPECT_EQ(operation.name, "all_gather");
  EXPECT_EQ(operation.sequence, 256U);
  EXPECT_EQ(operation.inputs, (std::vector<model::RecordedTensor>{{{4}, ""}}));
  EXPECT_FALSE(operation.finished());
}

TEST(FlightRecorderDump, TheRankIsTheOneMemberOfAllGroups) {
  const auto read = read_flight_recorder_dump(dump("", group("0", "[0, 1, 2, 3]") + "," + group("1", "[1, 3]") + "," +
                                                           group("2", "[2, 3]") + "," + group("", "[0]")));
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(read->rank, 3);
  EXPECT_EQ(read->world_size, 4);
  const auto open = read_flight_recorder_dump(dump("", group("0", "[0, 1, 2, 3]") + "," + group("1", "[1, 3]")));
  ASSERT_TRUE(open);
  EXPECT_EQ(open->rank, std::nullopt);
}

TEST(FlightRecorderDump, GroupsAreNamedInTheStatusByTheOrderOfCreation) {
  const auto read = read_flight_recorder_dump(
      dump(entry(0, 4, "10", 1, false), group("0", "[0]") + "," + group("9", "[0]") + "," + group("10", "[0]"),
           status(0, 5) + "," + status(2, 6) + "," + status(4, 7)));
  ASSERT_TRUE(read) << read.error().message;
  ASSERT_EQ(read->recorder.group_status.size(), 3U);
  EXPECT_EQ(read->recorder.group_status[0].group, "0");
  EXPECT_EQ(read->recorder.group_status[1].group, "9");
  EXPECT_EQ(read->recorder.group_status[2].group, "10");
  EXPECT_EQ(read->recorder.group_status[2].last_enqueued, 7);
}

TEST(FlightRecorderDump, AnOrderThatTheOperationsContradictNamesNoMore) {
  const auto read = read_flight_recorder_dump(
      dump(entry(0, 0, "9", 1, false), group("0", "[0]") + "," + group("9", "[0]"), status(0, 5) + "," + status(2, 6)));
  ASSERT_TRUE(read);
  EXPECT_EQ(read->recorder.group_status[0].group, "9");
  EXPECT_EQ(read->recorder.group_status[1].group, "");
}

TEST(FlightRecorderDump, WhatIsNoDumpIsSaid) {
  EXPECT_THAT(error_of(""), HasSubstr("empty"));
  EXPECT_THAT(error_of("hello"), HasSubstr("neither as a pickle nor as JSON"));
  EXPECT_THAT(error_of("\x1f\x8b..."), HasSubstr("compressed"));
  EXPECT_THAT(error_of("{}"), HasSubstr("no dump of a flight recorder"));
  EXPECT_THAT(error_of("\x80\x02N."), HasSubstr("no dump of a flight recorder"));
  EXPECT_THAT(error_of(R"({"version":"2.9","entries":3})"), HasSubstr("no list"));
  EXPECT_THAT(error_of(dump(entry(0, 0, "0", 1, false) + ",{\"record_id\":1}")), HasSubstr("entry 1 has no number"));
  EXPECT_THAT(error_of(dump("3")), HasSubstr("entry 0 is no dictionary"));
}

TEST(FlightRecorderDump, SizesThatMakeNoSenseAreNotCompared) {
  const auto read = read_flight_recorder_dump(dump(entry(0, 0, "0", 1, false, R"("input_sizes":[[4],["x"]])")));
  ASSERT_TRUE(read);
  EXPECT_TRUE(read->recorder.operations.front().inputs.empty());
}

}  // namespace
}  // namespace hangstack::ingest
