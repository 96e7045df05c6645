// Files of a file server that is stopped.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <string>

#include "sampler/proc/maps.h"
#include "sampler/proc/proc_files.h"
#include "sampler/proc/reachable_files.h"
#include "tests/support/program.h"

namespace hangstack::sampler {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;

TEST(UnreachableFiles, LoseTheirPathsAndTheOthersKeepThem) {
  tests::Target target({HANGSTACK_TARGETS "/target_fuse_page"});
  const std::string line = target.read_line();
  if (line.starts_with("skip")) GTEST_SKIP() << "no FUSE here: " << line;
  ASSERT_EQ(target.read_line(), "ready");
  const ProcFiles proc;
  const std::string pid = std::to_string(target.pid());
  const auto mappings = parse_maps(*proc.read(pid + "/maps"));
  const auto mapping =
      std::ranges::find_if(*mappings, [](const auto& m) { return m.path.find("hangstack-fuse") != std::string::npos; });
  ASSERT_NE(mapping, mappings->end());
  const std::string folder = "/proc/" + pid + "/root" + mapping->path.substr(0, mapping->path.rfind('/'));
  const auto server = std::stoi(*proc.read(pid + "/task/" + pid + "/children"));
  ASSERT_EQ(::kill(server, SIGSTOP), 0);

  // Names that nobody looked up before: the kernel asks the server.
  std::vector<model::MappedFile> files{{"/on/a", "", 1, "1:1", false, {"/proc/self/exe"}},
                                       {"/off/b", "", 2, "2:2", false, {folder + "/b", "/proc/self/exe"}},
                                       {"/off/c", "", 3, "2:2", false, {folder + "/c"}},
                                       {"/on/d", "", 4, "1:1", false, {"/no/such/file", "/proc/self/exe"}}};
  const auto before = std::chrono::steady_clock::now();
  EXPECT_THAT(drop_unreachable(files, FileSystems(), 200ms), ElementsAre("/off/b", "/off/c"));
  EXPECT_LT(std::chrono::steady_clock::now() - before, 5s);
  EXPECT_FALSE(files[0].open_paths.empty());
  EXPECT_TRUE(files[1].open_paths.empty());
  EXPECT_TRUE(files[2].open_paths.empty());
  EXPECT_FALSE(files[3].open_paths.empty());

  ASSERT_EQ(::kill(server, SIGCONT), 0);
  EXPECT_EQ(target.finish(), 0);
}

TEST(UnreachableFiles, FilesOfALocalDiskAreNotTried) {
  FileSystems disks;
  disks.add("36 35 8:1 / / rw - ext4 /dev/root rw\n");
  std::vector<model::MappedFile> files{{"/x", "", 1, "08:01", false, {"/no/such/file"}}};
  EXPECT_TRUE(drop_unreachable(files, disks, 1ms).empty());
  EXPECT_EQ(files[0].open_paths.size(), 1U);
}

}  // namespace
}  // namespace hangstack::sampler
