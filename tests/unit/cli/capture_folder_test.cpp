#include "cli/capture_folder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include "tests/support/captures.h"

namespace hangstack::cli {
namespace {

using testing::HasSubstr;

class CaptureFolder : public testing::Test {
 protected:
  void SetUp() override {
    std::string name = testing::TempDir() + "/hangstack-session-XXXXXX";
    ASSERT_NE(::mkdtemp(name.data()), nullptr);
    root_ = name;
    folder_ = root_ / "kept";
  }
  void TearDown() override { std::filesystem::remove_all(root_); }

  static Session session() {
    Session s;
    s.tool_version = "1.2.3";
    s.created_unix_s = 1764400000;
    s.sampling = {2, 0.5, "never", 0, 0, {}, {}};
    s.samples = {{{tests::sample_capture(), std::nullopt}}, {{tests::sample_capture(), std::nullopt}}};
    s.sources = {{"/srv/caf\xc3\xa9/train.py", "def f():\n    pass\n"}, {"/srv/latin.py", "# caf\xe9\n"}};
    s.left_out = {{"gpu07", 101, 3, "gpu07:29500"}};
    s.sampling.asked = {"NCCL RAS 127.0.0.1:28028"};
    s.ras = {{model::RecordStatus::ok, "", "", "127.0.0.1:28028", "gpu07", {7, 8}, 7, 1764400001, 0.25, "OK\n\xff\n"},
             {model::RecordStatus::timed_out, "late", "again", "[::1]:4711", "gpu07", {9}, 9, 1764400002, 6, ""}};
    s.failed = {{"gpu07", 99, {}, 'Z', {model::ErrorCode::zombie, "pid 99 is a zombie", "wait for its parent"}}};
    return s;
  }

  std::filesystem::path root_;
  std::filesystem::path folder_;
};

TEST_F(CaptureFolder, BringsBackTheSession) {
  const Session s = session();
  ASSERT_TRUE(save_session(s, "{}", folder_).has_value());
  const auto saved = load_session(folder_);
  ASSERT_TRUE(saved.has_value()) << saved.error().message;
  EXPECT_EQ(saved->facts_json, "{}");
  EXPECT_EQ(saved->session.tool_version, s.tool_version);
  EXPECT_EQ(saved->session.created_unix_s, s.created_unix_s);
  EXPECT_EQ(saved->session.sampling, s.sampling);
  ASSERT_EQ(saved->session.samples.size(), 2U);
  EXPECT_EQ(saved->session.samples[1].at(0).capture, s.samples[1].at(0).capture);
  EXPECT_EQ(saved->session.failed, s.failed);
  EXPECT_EQ(saved->session.sources, s.sources);
  EXPECT_EQ(saved->session.left_out, s.left_out);
  EXPECT_EQ(saved->session.ras, s.ras);
}

TEST_F(CaptureFolder, IsClosedToOthers) {
  ASSERT_TRUE(save_session(session(), "{}", folder_).has_value());
  const auto mode_of = [](const std::filesystem::path& path) {
    struct stat info{};
    EXPECT_EQ(::stat(path.c_str(), &info), 0);
    return info.st_mode & 0777;
  };
  EXPECT_EQ(mode_of(folder_), 0700U);
  int files = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder_)) {
    EXPECT_EQ(mode_of(entry.path()), entry.is_directory() ? 0700U : 0600U) << entry.path();
    files += entry.is_directory() ? 0 : 1;
  }
  EXPECT_GE(files, 6);
}

TEST_F(CaptureFolder, ASourceThatIsGoneIsNamed) {
  ASSERT_TRUE(save_session(session(), "{}", folder_).has_value());
  std::filesystem::remove(folder_ / "sources" / "2");
  EXPECT_THAT(load_session(folder_).error().message, HasSubstr("sources/2"));
}

TEST_F(CaptureFolder, AFolderWithFilesIsNotWrittenInto) {
  std::filesystem::create_directories(folder_);
  std::ofstream(folder_ / "mine") << "keep";
  const auto saved = save_session(session(), "{}", folder_);
  ASSERT_FALSE(saved.has_value());
  EXPECT_THAT(saved.error().message, HasSubstr("not an empty folder"));
}

TEST_F(CaptureFolder, DamageIsASentenceThatNamesTheFile) {
  EXPECT_THAT(load_session(folder_).error().message, HasSubstr("session.json"));
  ASSERT_TRUE(save_session(session(), "{}", folder_).has_value());
  for (const char* text : {"", "{", "[]", "{\"schema\": 1}", R"({"schema": "hangstack-session/1", "samples": 3})"}) {
    std::ofstream(folder_ / "session.json") << text;
    const auto saved = load_session(folder_);
    ASSERT_FALSE(saved.has_value()) << text;
    EXPECT_THAT(saved.error().message, HasSubstr("session.json")) << text;
  }
}

}  // namespace
}  // namespace hangstack::cli
