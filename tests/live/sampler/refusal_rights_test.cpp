// Refusals by rights: the kernel refuses for real, and the sentence says why.
#include <fmt/core.h>
#include <gmock/gmock.h>
#include <sched.h>
#include <sys/mount.h>
#include <unistd.h>

#include <cerrno>

#include "sampler/proc/preflight.h"
#include "tests/support/program.h"
#include "tests/support/restricted.h"

namespace hangstack::sampler {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

constexpr unsigned kNobody = 65534;

/// "ok LIVE_TID | LIMIT..." or "CODE | MESSAGE | FIX".
std::string told(std::int32_t pid) {
  const ProcFiles proc;
  const auto access = check_target(proc, read_tracer_rights(proc), pid);
  if (!access)
    return fmt::format("{} | {} | {}", model::error_code_name(access.error().code), access.error().message,
                       access.error().fix);
  std::string text = fmt::format("ok {}", access->live_tid);
  for (const model::Error& limit : access->limits) text += " | " + limit.message;
  return text;
}

std::string told_to(const std::function<bool()>& restrict, std::int32_t pid) {
  return tests::in_child(restrict, [pid] { return told(pid); });
}

bool as_nobody() { return tests::become_user(kNobody); }

const std::vector<std::string> kWait{HANGSTACK_TARGETS "/target_family", "wait"};
const std::vector<std::string> kWaitAsNobody{
    "/usr/bin/setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", HANGSTACK_TARGETS "/target_family", "wait"};

class RefusedRights : public testing::Test {
 protected:
  void SetUp() override {
    if (::getuid() != 0) GTEST_SKIP() << "needs root to become other users";
  }
};

TEST_F(RefusedRights, AnotherUsersProcess) {
  tests::Target target(kWait);
  ASSERT_EQ(target.read_line(), "ready");
  ASSERT_TRUE(tests::wait_for_state(target.pid(), target.pid(), "S"));
  EXPECT_THAT(told(target.pid()), StartsWith("ok"));
  const std::string text = told_to(as_nobody, target.pid());
  EXPECT_THAT(text, StartsWith("no_permission"));
  EXPECT_THAT(text, HasSubstr(fmt::format("pid {} belongs to uid 0, hangstack runs as uid 65534", target.pid())));
  EXPECT_THAT(text, HasSubstr(fmt::format("sudo hangstack --pids {}", target.pid())));
  EXPECT_THAT(text, HasSubstr("/proc shows state S, 1 thread"));
}

TEST_F(RefusedRights, TheSameUsersProcessIsNotRefused) {
  tests::Target target(kWaitAsNobody);
  ASSERT_EQ(target.read_line(), "ready");
  EXPECT_EQ(told_to(as_nobody, target.pid()), fmt::format("ok {}", target.pid()));
}

TEST_F(RefusedRights, UndumpableProcessOfTheSameUser) {
  tests::Target target({HANGSTACK_TARGETS "/target_undumpable", "65534"});
  ASSERT_EQ(target.read_line(), "ready");
  const std::string text = told_to(as_nobody, target.pid());
  EXPECT_THAT(text, StartsWith("no_permission"));
  EXPECT_THAT(text, HasSubstr(fmt::format("pid {} is not dumpable", target.pid())));
  EXPECT_THAT(told(target.pid()), StartsWith("ok"));
}

TEST_F(RefusedRights, RootWithoutTheCapability) {
  tests::Target target(kWaitAsNobody);
  ASSERT_EQ(target.read_line(), "ready");
  const auto drop = [] { return tests::drop_capability(kCapSysPtrace); };
  const std::string text = told_to(drop, target.pid());
  EXPECT_THAT(text, StartsWith("no_permission"));
  EXPECT_THAT(text, HasSubstr("belongs to uid 65534, hangstack runs as uid 0 without CAP_SYS_PTRACE"));
  EXPECT_THAT(text, HasSubstr("--cap-add SYS_PTRACE"));
}

TEST_F(RefusedRights, ProcessWithMoreCapabilities) {
  tests::Target target(kWait);
  ASSERT_EQ(target.read_line(), "ready");
  const auto drop = [] { return tests::drop_capability(kCapSysPtrace); };
  EXPECT_THAT(told_to(drop, target.pid()), HasSubstr("has capabilities that hangstack lacks"));
}

TEST_F(RefusedRights, PtraceCapabilityAloneDoesNotOpenFiles) {
  tests::Target target(kWaitAsNobody);
  ASSERT_EQ(target.read_line(), "ready");
  const auto drop = [] { return tests::drop_capability(kCapDacReadSearch) && tests::drop_capability(kCapDacOverride); };
  const std::string text = told_to(drop, target.pid());
  EXPECT_THAT(text, StartsWith("no_permission"));
  EXPECT_THAT(text, HasSubstr("lacks CAP_DAC_READ_SEARCH"));
}

TEST_F(RefusedRights, ReaderInAUserNamespaceOfItsOwn) {
  tests::Target target(kWaitAsNobody);
  ASSERT_EQ(target.read_line(), "ready");
  const auto enter = [] { return as_nobody() && ::unshare(CLONE_NEWUSER) == 0; };
  const std::string text = told_to(enter, target.pid());
  EXPECT_THAT(text, StartsWith("no_permission"));
  EXPECT_THAT(text, HasSubstr("another user namespace"));
}

TEST_F(RefusedRights, FilterOnHangstackIsALimitWhileTheMemFileOpens) {
  tests::Target target(kWait);
  ASSERT_EQ(target.read_line(), "ready");
  for (const bool kill : {false, true}) {
    const std::string text = told_to([kill] { return tests::forbid_reading_others(kill); }, target.pid());
    EXPECT_THAT(text, StartsWith(fmt::format("ok {}", target.pid())));
    EXPECT_THAT(text, HasSubstr("forbids process_vm_readv"));
    EXPECT_THAT(text, HasSubstr("forbids ptrace"));
  }
}

TEST_F(RefusedRights, WhereNoStopIsAllowedPtraceIsNotEvenTried) {
  const std::string tried = tests::in_child([] { return tests::forbid_reading_others(false); },
                                            [] {
                                              TracerRights rights = read_tracer_rights(ProcFiles());
                                              const int with_stops = try_system_calls(rights).ptrace;
                                              rights.may_stop = false;
                                              return fmt::format("{} {}", with_stops, try_system_calls(rights).ptrace);
                                            });
  EXPECT_EQ(tried, fmt::format("{} 0", EPERM));
}

TEST_F(RefusedRights, ProcMountThatHidesOtherUsers) {
  tests::Target target(kWait);
  ASSERT_EQ(target.read_line(), "ready");
  const auto hide = [] {
    return ::unshare(CLONE_NEWNS) == 0 && ::mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0 &&
           ::mount("proc", "/proc", "proc", 0, "hidepid=2") == 0 && as_nobody();
  };
  const std::string text = told_to(hide, target.pid());
  ASSERT_FALSE(text.empty()) << "no private mount of /proc here";
  EXPECT_THAT(text, StartsWith("no_permission"));
  EXPECT_THAT(text, HasSubstr("hidepid"));
}

}  // namespace
}  // namespace hangstack::sampler
