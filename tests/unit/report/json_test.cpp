#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <ctime>
#include <iostream>
#include <limits>
#include <nlohmann/json.hpp>

#include "report/json/json_writer.h"
#include "report/report.h"
#include "tests/support/report_builder.h"
#include "tests/unit/report/cases.h"

namespace hangstack::tests {
namespace {

using nlohmann::ordered_json;
using report::JsonWriter;

std::vector<std::string> keys_of(const ordered_json& object) {
  std::vector<std::string> keys;
  for (const auto& [key, value] : object.items()) keys.push_back(key);
  return keys;
}

std::string text_of(std::string_view value) {
  std::string out;
  JsonWriter(out).value(value);
  return out;
}

TEST(JsonWriter, EscapesWhatJsonAndTerminalsNeed) {
  EXPECT_EQ(text_of("a\"b\\c"), R"("a\"b\\c")");
  EXPECT_EQ(text_of("\n\x1b\x7f"), R"("\u000a\u001b\u007f")");
  EXPECT_EQ(text_of("\u202E"), R"("\u202e")");
  EXPECT_EQ(text_of("\U000E0041"), R"("\udb40\udc41")") << "beyond the basic plane as a surrogate pair";
  EXPECT_EQ(text_of("é訓"), "\"é訓\"");
  EXPECT_EQ(text_of("\xff\xc3("), "\"\uFFFD\uFFFD(\"");
  EXPECT_EQ(text_of(std::string_view("\0", 1)), R"("\u0000")");
}

TEST(JsonWriter, ReadsBackAsWritten) {
  const std::string text = "tab\t \"q\" \\ \u202E é 訓 😀 \x01";
  EXPECT_EQ(ordered_json::parse(text_of(text)).get<std::string>(), text);
}

TEST(JsonWriter, NumbersThatAreNoneAreNull) {
  std::string out;
  JsonWriter json(out);
  json.begin_array(JsonWriter::Layout::one_line);
  json.value(std::numeric_limits<double>::quiet_NaN());
  json.value(std::numeric_limits<double>::infinity());
  json.value(2.5);
  json.value(std::optional<int>());
  json.value(std::numeric_limits<std::uint64_t>::max());
  json.end_array();
  EXPECT_EQ(out, "[null, null, 2.5, null, 18446744073709551615]");
}

TEST(JsonReport, KeysStandInTheOrderOfTheSchema) {
  const auto json = ordered_json::parse(report::write_json(hung_gloo_straggler()));
  EXPECT_EQ(keys_of(json), (std::vector<std::string>{"schema", "tool", "created", "sampling", "jobs", "missing_hosts",
                                                     "processes", "errors"}));
  EXPECT_EQ(keys_of(json["jobs"][0]), (std::vector<std::string>{"job", "verdict", "alternatives", "groups", "ranks",
                                                                "missing_ranks", "records", "gpu"}));
}

TEST(JsonReport, ShapesAreThoseOfTheDesign) {
  const auto json = ordered_json::parse(report::write_json(hung_gloo_straggler()));
  const auto& job = json["jobs"][0];
  EXPECT_EQ(job["verdict"]["culprit_ranks"], ordered_json::array({3}));
  EXPECT_EQ(job["groups"][1]["ranks"], "0-2");
  EXPECT_EQ(job["records"]["ras"]["status"], "absent");
  EXPECT_TRUE(job["verdict"]["first_cause"].is_null());
  const auto& thread = json["processes"][0]["threads"][0];
  EXPECT_EQ(thread["how"], "looked");
  EXPECT_EQ(thread["frames"][0]["function"], "pthread_cond_wait");
  EXPECT_EQ(thread["frames"][0]["address"], "0x7f1000002000");
  EXPECT_EQ(json["created"], "2026-11-29T03:13:20Z");
}

TEST(JsonReport, AFirstCauseStandsBesideTheVerdictInBothForms) {
  model::Report report = hung_gloo_straggler();
  report.jobs.front().verdict.first_cause = {"collective_mismatch", {2, 3}, "Ranks 2-3 are in all_gather #7."};
  const auto json = ordered_json::parse(report::write_json(report));
  const auto& cause = json["jobs"][0]["verdict"]["first_cause"];
  EXPECT_EQ(cause["pattern"], "collective_mismatch");
  EXPECT_EQ(cause["ranks"], "2-3");
  EXPECT_THAT(report::write_text(report, {}),
              testing::HasSubstr("cause    collective_mismatch: Ranks 2-3 are in all_gather #7."));
}

TEST(JsonReport, UnknownIsNull) {
  const auto json = ordered_json::parse(report::write_json(single_native_process()));
  EXPECT_TRUE(json["processes"][0]["rank"].is_null());
  EXPECT_TRUE(json["processes"][0]["python"].is_null());
  EXPECT_TRUE(json["processes"][0]["threads"][0]["frames"][0]["file"].is_null());
  EXPECT_TRUE(json["processes"][0]["threads"][0]["frames"][0]["line"].is_null());
  EXPECT_TRUE(json["jobs"][0]["ranks"][0]["rank"].is_null());
}

TEST(JsonReport, ProblemsOfProcessesAndThreadsAreErrors) {
  const auto json = ordered_json::parse(report::write_json(hostile_names()));
  ASSERT_EQ(json["errors"].size(), 2U);
  EXPECT_EQ(json["errors"][1]["scope"], "thread");
  EXPECT_EQ(json["errors"][1]["code"], "unreadable_memory");
}

TEST(JsonReport, ARecordedOperationHasTheLineThatCalledIt) {
  model::Report report = hung_gloo_straggler();
  const std::string library = "/v/lib/python3.12/site-packages/torch/distributed/distributed_c10d.py";
  model::FlightRecorder recorder;
  recorder.status = model::RecordStatus::ok;
  recorder.operations.resize(2);
  recorder.operations[0].group = "other";
  recorder.operations[1].frames = {{"all_reduce", library, 4174}, {"step", "/job/train.py", 88}, {"main", "<exec>", 0}};
  report.processes.front().samples.back().flight_recorders.push_back(recorder);
  const auto json = ordered_json::parse(report::write_json(report));
  const auto& items = json["jobs"][0]["records"]["flight_recorder"]["items"];
  ASSERT_EQ(items.size(), 2U);
  EXPECT_TRUE(items[0]["call_site"].is_null());
  EXPECT_EQ(items[0]["frames"], ordered_json::array());
  EXPECT_EQ(items[1]["call_site"], "/job/train.py:88");
  EXPECT_EQ(items[1]["frames"][0], (ordered_json{{"function", "all_reduce"}, {"file", library}, {"line", 4174}}));
  EXPECT_TRUE(items[1]["frames"][2]["line"].is_null());
}

TEST(JsonReport, AnEmptyReportIsValidJson) {
  const auto json = ordered_json::parse(report::write_json(model::Report{}));
  EXPECT_TRUE(json["jobs"].empty());
}

TEST(JsonReport, LargeReportsAreWrittenInTimeProportionalToTheirSize) {
  const auto milliseconds_for = [](int threads) {
    ReportBuilder b;
    std::vector<model::Thread> all;
    Frames stack;
    for (int i = 0; i < 30; ++i) {
      stack.push_back(py("train_step", "/home/u/project/package/module.py", i));
      stack.push_back(native("torch::autograd::Engine::thread_main(std::shared_ptr<torch::autograd::GraphTask> const&)",
                             "/usr/lib/python3/site-packages/torch/lib/libtorch_cpu.so"));
    }
    for (int i = 0; i < threads; ++i) all.push_back(ThreadBuilder(1000 + i, "worker").stack(stack));
    b.process({0, 1000}, all);
    double best = 1e9;
    for (int i = 0; i < 3; ++i) {
      const auto start = std::chrono::steady_clock::now();
      EXPECT_FALSE(report::write_json(b.report()).empty());
      best =
          std::min(best, std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count());
    }
    return best;
  };
  const double small = milliseconds_for(125);
  const double large = milliseconds_for(500);
  std::cout << "[ figures  ] 500 threads of 60 frames as JSON: " << large << " ms of processor; 125 threads: " << small
            << " ms\n";
  EXPECT_LT(large, 4 * small * 3) << "four times the threads";
}

}  // namespace
}  // namespace hangstack::tests
