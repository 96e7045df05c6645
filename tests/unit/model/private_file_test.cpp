#include "model/private_file.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>

namespace hangstack::model {
namespace {

struct PrivateFile : ::testing::Test {
  std::string pattern = ::testing::TempDir() + "private_file_XXXXXX";
  std::filesystem::path folder = ::mkdtemp(pattern.data());
  ~PrivateFile() override { std::filesystem::remove_all(folder); }
};

TEST_F(PrivateFile, ALinkIsReplacedAndNotFollowed) {
  std::filesystem::create_symlink(folder / "elsewhere", folder / "kept");
  ASSERT_TRUE(write_private_file(folder / "kept", "secret"));
  EXPECT_FALSE(std::filesystem::exists(folder / "elsewhere"));
  EXPECT_FALSE(std::filesystem::is_symlink(folder / "kept"));
  EXPECT_EQ(read_kept_file(folder / "kept"), "secret");
  EXPECT_EQ(std::filesystem::status(folder / "kept").permissions(), std::filesystem::perms(0600));
}

TEST_F(PrivateFile, AnErrorNamesTheFile) {
  const auto written = write_private_file(folder / "no" / "such", "x");
  ASSERT_FALSE(written);
  EXPECT_EQ(written.error().code, ErrorCode::unavailable);
  EXPECT_NE(written.error().message.find("no/such"), std::string::npos);
  EXPECT_EQ(read_kept_file(folder / "none").error().code, ErrorCode::not_found);
}

}  // namespace
}  // namespace hangstack::model
