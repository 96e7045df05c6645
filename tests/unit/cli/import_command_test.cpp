#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "cli/commands.h"

namespace hangstack::cli {
namespace {

using testing::HasSubstr;

constexpr auto kDump =
    R"({"version":"2.9","pg_config":{"0":{"name":"0","desc":"default_pg","ranks":"[0, 1]"}},"entries":[)"
    R"({"record_id":0,"pg_id":0,"process_group":["0","default_pg"],"collective_seq_id":1,)"
    R"("profiling_name":"nccl:all_reduce","time_created_ns":1000000000,"input_sizes":[[4]],"input_dtypes":["Float"]}]})";

class Import : public testing::Test {
 protected:
  void SetUp() override {
    std::string name = (std::filesystem::temp_directory_path() / "hangstack-import-XXXXXX").string();
    ASSERT_NE(::mkdtemp(name.data()), nullptr);
    folder_ = name;
    std::filesystem::create_directory(folder_ / "dumps");
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  void write(const std::string& name, std::string_view text) { std::ofstream(folder_ / "dumps" / name) << text; }

  ExitStatus import(const std::vector<std::string>& dumps) {
    Options options;
    options.quiet = true;
    for (const std::string& dump : dumps) options.dumps.push_back(dump.ends_with('/') ? dumps_folder() : path(dump));
    options.outputs = {{(folder_ / "report.json").string(), Format::json}};
    return run_import(options);
  }

  std::string dumps_folder() { return (folder_ / "dumps").string(); }
  std::string path(const std::string& name) {
    const auto sign = name.find('=');
    if (sign == std::string::npos) return (folder_ / "dumps" / name).string();
    return name.substr(0, sign + 1) + (folder_ / "dumps" / name.substr(sign + 1)).string();
  }
  std::string report() {
    std::ifstream stream(folder_ / "report.json");
    return {std::istreambuf_iterator<char>(stream), {}};
  }

  std::filesystem::path folder_;
};

TEST_F(Import, AReportIsNotWrittenOverAFileThatIsRead) {
  write("rank0.json", kDump);
  write("rank1.json", kDump);
  Options options;
  options.quiet = true;
  options.dumps = {dumps_folder()};
  options.outputs = {{(folder_ / "dumps" / ".." / "dumps" / "rank1.json").string(), Format::json}};
  EXPECT_EQ(run_import(options), ExitStatus::usage);
  std::ifstream kept(folder_ / "dumps" / "rank1.json");
  EXPECT_EQ(std::string(std::istreambuf_iterator<char>(kept), {}), kDump);
}

TEST_F(Import, AFileThatIsNoReportIsNotWrittenOver) {
  write("rank0.json", kDump);
  const auto wanted = folder_ / "report.json";
  std::ofstream(wanted) << "somebody's words";
  EXPECT_EQ(import({"rank0.json"}), ExitStatus::usage);
  EXPECT_EQ(report(), "somebody's words");
  std::filesystem::remove(wanted);
  EXPECT_EQ(import({"rank0.json"}), ExitStatus::report_made);
  EXPECT_EQ(import({"rank0.json"}), ExitStatus::report_made) << "a report of before may be replaced";
}

TEST_F(Import, AFolderGivesAReportAndSaysWhatInItIsNoDump) {
  write("rank0.json", kDump);
  write("rank1.json", kDump);
  write("README", "words");
  EXPECT_EQ(import({"/"}), ExitStatus::report_made);
  EXPECT_THAT(report(), HasSubstr(R"("rank": 1, "dump": ")"));
  EXPECT_THAT(report(), HasSubstr("README: it begins neither as a pickle nor as JSON"));
}

TEST_F(Import, ANamedFileThatIsNoDumpIsAPartialReport) {
  write("rank0.json", kDump);
  write("rank1.json", "{");
  EXPECT_EQ(import({"rank0.json", "rank1.json"}), ExitStatus::partial);
  EXPECT_THAT(report(), HasSubstr("rank1.json: at line 1"));
}

TEST_F(Import, TheRankMayStandBeforeTheFile) {
  write("a", kDump);
  EXPECT_EQ(import({"1=a"}), ExitStatus::report_made);
  EXPECT_THAT(report(), HasSubstr(R"("rank": 1)"));
}

TEST_F(Import, WithoutAnyDumpThereIsNoReport) {
  write("rank0", "words");
  EXPECT_EQ(import({"rank0"}), ExitStatus::nothing_sampled);
  EXPECT_EQ(import({"rank9"}), ExitStatus::nothing_sampled);
  EXPECT_EQ(report(), "");
}

TEST_F(Import, APipeIsNotWaitedFor) {
  write("rank0.json", kDump);
  ASSERT_EQ(::mkfifo((folder_ / "dumps" / "rank1").c_str(), 0600), 0);
  EXPECT_EQ(import({"rank0.json", "rank1"}), ExitStatus::partial);
  EXPECT_THAT(report(), HasSubstr("it is no ordinary file"));
}

TEST_F(Import, AFolderHasNoRank) {
  Options options;
  options.dumps = {"3=" + dumps_folder()};
  EXPECT_EQ(run_import(options), ExitStatus::usage);
}

}  // namespace
}  // namespace hangstack::cli
