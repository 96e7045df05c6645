#include "sampler/doctor.h"

#include <gmock/gmock.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>

#include "sampler/doctor/symbol_tables.h"
#include "tests/support/proc_folder.h"

namespace hangstack::sampler {
namespace {

using testing::HasSubstr;

const Check* find(const std::vector<Check>& checks, std::string_view name, std::int32_t pid = 0) {
  for (const Check& check : checks)
    if (check.name == name && check.pid == pid) return &check;
  return nullptr;
}

TEST(Doctor, EveryFailedCheckSaysWhatToDo) {
  const tests::ProcFolder folder;
  folder.add({.pid = 77, .state = 'Z'});
  folder.write("sys/kernel/yama/ptrace_scope", "3\n");
  const std::vector<std::int32_t> pids{77, 78};
  for (const Check& check : examine(ProcFiles(folder.path()), pids)) {
    EXPECT_FALSE(check.name.empty());
    EXPECT_FALSE(check.finding.empty()) << check.name;
    if (!check.ok) {
      EXPECT_FALSE(check.fix.empty()) << check.name;
    }
  }
}

TEST(Doctor, YamaScopesAreJudged) {
  const tests::ProcFolder folder;
  folder.write("sys/kernel/yama/ptrace_scope", "3\n");
  const auto strict = examine_host(ProcFiles(folder.path()));
  EXPECT_FALSE(find(strict, "yama")->ok);
  EXPECT_THAT(find(strict, "yama")->finding, HasSubstr("is 3"));
  folder.write("sys/kernel/yama/ptrace_scope", "1\n");
  EXPECT_FALSE(find(examine_host(ProcFiles(folder.path())), "yama")->ok);  // the folder's reader has no capability
  folder.write("sys/kernel/yama/ptrace_scope", "0\n");
  EXPECT_TRUE(find(examine_host(ProcFiles(folder.path())), "yama")->ok);
}

TEST(Doctor, ProcessThatIsRefusedHasOneFailedCheck) {
  const tests::ProcFolder folder;
  folder.add({.pid = 77, .state = 'Z'});
  const std::vector<std::int32_t> pids{77};
  const auto checks = examine(ProcFiles(folder.path()), pids);
  const Check* access = find(checks, "access", 77);
  ASSERT_NE(access, nullptr);
  EXPECT_FALSE(access->ok);
  EXPECT_TRUE(access->needed);
  EXPECT_THAT(access->finding, HasSubstr("has ended"));
}

TEST(Doctor, AProcessThatBlocksKeepsWhatWasFound) {
  const tests::ProcFolder folder;
  folder.add({.pid = 77, .command_line = {"python", "train.py"}, .environment = {{"RANK", "1"}}});
  // Nobody writes to it: opening it blocks, as reading maps does while the mmap_lock is held.
  ASSERT_EQ(::mkfifo((folder.path() + "/77/task/77/maps").c_str(), 0600), 0);
  const std::vector<std::int32_t> pids{77};
  const auto checks = examine(ProcFiles(folder.path()), pids, std::chrono::milliseconds(1500));
  EXPECT_TRUE(find(checks, "access", 77)->ok);
  ASSERT_NE(find(checks, "identity", 77), nullptr);
  EXPECT_THAT(find(checks, "identity", 77)->finding, HasSubstr("rank 1"));
  ASSERT_NE(find(checks, "answers", 77), nullptr);
  EXPECT_THAT(find(checks, "answers", 77)->finding, HasSubstr("did not end within 1500 ms"));
}

TEST(SymbolTables, OfThisTest) {
  const auto tables = read_symbol_tables("/proc/self/exe");
  ASSERT_TRUE(tables) << tables.error().message;
  EXPECT_EQ(*tables, (SymbolTables{true, true, true, true}));
}

TEST(SymbolTables, EveryTruncationOfAHeadIsAnError) {
  const std::string whole = ProcFiles("/proc/self").read("exe", 300).value();
  const tests::ProcFolder folder;
  for (std::size_t size = 0; size < whole.size(); size += 3) {
    folder.write("cut", std::string_view(whole).substr(0, size));
    const auto tables = read_symbol_tables(folder.path() + "/cut");
    ASSERT_FALSE(tables) << size;
    EXPECT_EQ(tables.error().code, model::ErrorCode::bad_elf);
  }
  EXPECT_EQ(read_symbol_tables(folder.path() + "/none").error().code, model::ErrorCode::not_found);
}

}  // namespace
}  // namespace hangstack::sampler
