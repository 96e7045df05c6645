// The doctor's verdicts are true of this machine and of real processes.
#include "sampler/doctor.h"

#include <gmock/gmock.h>
#include <unistd.h>

#include "sampler/proc/tracer_rights.h"
#include "tests/support/program.h"
#include "tests/support/restricted.h"

namespace hangstack::sampler {
namespace {

using testing::HasSubstr;
using testing::Not;

const ProcFiles kProc;

std::string text_of(const std::vector<Check>& checks) {
  std::string text;
  for (const Check& check : checks)
    text += std::string(check.ok ? "ok " : "FAILED ") + check.name + ": " + check.finding + " | " + check.fix + "\n";
  return text;
}

TEST(Doctor, HostOfTheTestsLetsEverythingNeeded) {
  const auto checks = examine_host(kProc);
  for (const Check& check : checks)
    if (check.needed) {
      EXPECT_TRUE(check.ok) << check.name << ": " << check.finding;
    }
  EXPECT_THAT(text_of(checks), HasSubstr("ok look without a stop"));
  EXPECT_THAT(text_of(checks), HasSubstr("ok ptrace"));
}

TEST(Doctor, FilterOnHangstackIsFound) {
  const std::string text =
      tests::in_child([] { return tests::forbid_reading_others(false); }, [] { return text_of(examine_host(kProc)); });
  EXPECT_THAT(text, HasSubstr("FAILED seccomp: the seccomp filter on hangstack forbids ptrace process_vm_readv"));
  EXPECT_THAT(text, HasSubstr("FAILED ptrace: threads that run cannot be stopped"));
  EXPECT_THAT(text, HasSubstr("ok memory: process_vm_readv does not work"));
}

TEST(Doctor, MissingPrivilegesAreFound) {
  if (::getuid() != 0) GTEST_SKIP() << "needs root to become another user";
  const std::string text =
      tests::in_child([] { return tests::become_user(65534); }, [] { return text_of(examine_host(kProc)); });
  EXPECT_THAT(text, HasSubstr("FAILED privileges: uid 65534 without CAP_SYS_PTRACE"));
  EXPECT_THAT(text, HasSubstr("FAILED deleted files"));
}

TEST(Doctor, ProcessIsExaminedWithoutBeingDisturbed) {
  tests::Target target({HANGSTACK_TARGETS "/target_family", "wait"}, {{"RANK", "2"}, {"WORLD_SIZE", "4"}});
  ASSERT_EQ(target.read_line(), "ready");
  const std::int32_t pid = target.pid();
  const std::string text = text_of(examine(kProc, std::span(&pid, 1)));
  EXPECT_THAT(text, HasSubstr("ok access"));
  EXPECT_THAT(text, HasSubstr("ok identity: rank 2 of 4, from RANK"));
  EXPECT_THAT(text, HasSubstr("ok files"));
  EXPECT_THAT(text, HasSubstr("symbols of libc.so.6"));
  EXPECT_THAT(text, Not(HasSubstr("FAILED access")));
  EXPECT_EQ(target.finish(), 0);
}

}  // namespace
}  // namespace hangstack::sampler
