#include "sampler/proc/proc_files.h"

#include <gmock/gmock.h>
#include <unistd.h>

#include <array>

#include "tests/support/proc_folder.h"

namespace hangstack::sampler {
namespace {

TEST(ProcFiles, ReadIsBounded) {
  const tests::ProcFolder folder;
  folder.write("1/maps", std::string(100'000, 'x'));
  const ProcFiles proc(folder.path());
  EXPECT_EQ(proc.read("1/maps")->size(), 100'000U);
  EXPECT_EQ(proc.read("1/maps", 20'000)->size(), 20'000U);
  EXPECT_EQ(proc.read("1/maps", 0)->size(), 0U);
}

TEST(ProcFiles, ReadOnceFillsTheBufferAtMost) {
  const tests::ProcFolder folder;
  folder.write("1/stat", "abcdef");
  const ProcFiles proc(folder.path());
  std::array<char, 4> small{};
  EXPECT_EQ(proc.read_once("1/stat", small).value(), "abcd");
  std::array<char, 64> large{};
  EXPECT_EQ(proc.read_once("1/stat", large).value(), "abcdef");
}

TEST(ProcFiles, WhatIsNotThereIsNotFoundAndNamed) {
  const tests::ProcFolder folder;
  folder.write("1/stat", "");
  const ProcFiles proc(folder.path());
  for (const char* path : {"2/stat", "1/stat/deeper", "1/none"}) {
    const auto text = proc.read(path);
    ASSERT_FALSE(text);
    EXPECT_EQ(text.error().code, model::ErrorCode::not_found);
    EXPECT_THAT(text.error().message, testing::HasSubstr(path));
  }
  EXPECT_EQ(proc.read("1").error().code, model::ErrorCode::unavailable);
  EXPECT_EQ(proc.read_link("1/exe").error().code, model::ErrorCode::not_found);
  EXPECT_EQ(proc.list_numbers("7/task").error().code, model::ErrorCode::not_found);
  EXPECT_EQ(proc.owner("7").error().code, model::ErrorCode::not_found);
}

TEST(ProcFiles, NumbersAreSortedAndNothingElseIsANumber) {
  const tests::ProcFolder folder;
  for (const char* name : {"10", "9", "self", "1x", "0", "-5", "99999999999"})
    folder.write(std::string(name) + "/a", "");
  EXPECT_THAT(ProcFiles(folder.path()).list_numbers("").value(), testing::ElementsAre(9, 10));
}

TEST(ProcFiles, ExeIsWithoutTheDeletedSuffix) {
  const tests::ProcFolder folder;
  folder.write("1/task/1/comm", "");
  ASSERT_EQ(::symlink("/opt/my (deleted) python (deleted)", (folder.path() + "/1/task/1/exe").c_str()), 0);
  EXPECT_EQ(ProcFiles(folder.path()).exe(1, 1), "/opt/my (deleted) python");
  EXPECT_EQ(ProcFiles(folder.path()).exe(1, 2), "");
}

}  // namespace
}  // namespace hangstack::sampler
