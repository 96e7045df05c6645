#include "sampler/proc/preflight.h"

#include <gmock/gmock.h>
#include <unistd.h>

#include <filesystem>

#include "tests/support/proc_folder.h"

namespace hangstack::sampler {
namespace {

using model::ErrorCode;
using testing::HasSubstr;

constexpr std::int32_t kPid = 77;

TracerRights plain_user() {
  TracerRights rights;
  rights.own_pids = {::getpid()};
  rights.uid = rights.gid = 1000;
  return rights;
}

TargetRights target_of(std::uint32_t uid) {
  TargetRights target;
  target.pid = kPid;
  target.status.uids.fill(uid);
  target.status.gids.fill(uid);
  return target;
}

void expect_refusal(const model::Error& error, const std::string& reason, const std::string& fix) {
  EXPECT_EQ(error.code, ErrorCode::no_permission);
  EXPECT_THAT(error.message, HasSubstr("pid 77"));
  EXPECT_THAT(error.message, HasSubstr(reason));
  EXPECT_THAT(error.fix, HasSubstr(fix));
}

TEST(ExplainRefusal, OtherUser) {
  expect_refusal(explain_refusal(plain_user(), target_of(1001)), "belongs to uid 1001, hangstack runs as uid 1000",
                 "sudo hangstack --pids 77, or sudo -u '#1001'");
}

TEST(ExplainRefusal, OtherGroupOfTheSameUser) {
  TargetRights target = target_of(1000);
  target.status.gids[1] = 5;
  expect_refusal(explain_refusal(plain_user(), target), "other user or group ids", "sudo");
}

TEST(ExplainRefusal, RootInAContainerIsToldToAddTheCapability) {
  TracerRights root = plain_user();
  root.uid = root.gid = 0;
  expect_refusal(explain_refusal(root, target_of(1000)), "without CAP_SYS_PTRACE", "--cap-add SYS_PTRACE");
}

TEST(ExplainRefusal, NotDumpable) {
  TargetRights target = target_of(1000);
  target.root_owned = true;
  expect_refusal(explain_refusal(plain_user(), target), "not dumpable", "sudo hangstack --pids 77");
}

TEST(ExplainRefusal, MoreCapabilitiesThanTheReader) {
  TargetRights target = target_of(1000);
  target.status.cap_permitted = 0x2000;
  expect_refusal(explain_refusal(plain_user(), target), "capabilities that hangstack lacks", "sudo");
}

TEST(ExplainRefusal, EachYamaScopeHasItsOwnFix) {
  TargetRights target = target_of(1000);
  target.yama_scope = 1;
  expect_refusal(explain_refusal(plain_user(), target), "ptrace_scope is 1", "sysctl kernel.yama.ptrace_scope=0");
  target.yama_scope = 2;
  expect_refusal(explain_refusal(plain_user(), target), "ptrace_scope is 2", "sudo hangstack --pids 77");
  target.yama_scope = 3;
  expect_refusal(explain_refusal(plain_user(), target), "ptrace_scope is 3", "boot");
  TracerRights root = plain_user();
  root.cap_effective = root.cap_permitted = ~0ULL;
  expect_refusal(explain_refusal(root, target), "ptrace_scope is 3", "boot");
}

TEST(ExplainRefusal, UserNamespace) {
  TracerRights rights = plain_user();
  rights.user_namespace = "user:[1]";
  TargetRights target = target_of(1000);
  target.user_namespace = "user:[2]";
  expect_refusal(explain_refusal(rights, target), "another user namespace", "nsenter -t 77 -U");
  target.user_namespace.clear();
  target.other_user_map = true;
  expect_refusal(explain_refusal(rights, target), "another user namespace", "inside that container");
}

TEST(ExplainRefusal, PtraceWithoutDacReadSearch) {
  TracerRights rights = plain_user();
  rights.cap_effective = rights.cap_permitted = 1ULL << kCapSysPtrace;
  expect_refusal(explain_refusal(rights, target_of(1001)), "CAP_DAC_READ_SEARCH", "setcap");
}

TEST(ExplainRefusal, WhatNoRuleExplainsIsASecurityModule) {
  TargetRights target = target_of(1000);
  target.security_label = "docker-default (enforce)";
  expect_refusal(explain_refusal(plain_user(), target), "docker-default", "aa-status");
}

class CheckTarget : public testing::Test {
 protected:
  model::Expected<Access> check(std::int32_t pid = kPid) {
    const ProcFiles proc(folder.path());
    TracerRights rights;
    rights.own_pids = {5};
    return check_target(proc, rights, pid);
  }
  void expect_error(std::int32_t pid, ErrorCode code, const std::string& text, const std::string& fix) {
    const auto access = check(pid);
    ASSERT_FALSE(access);
    EXPECT_EQ(access.error().code, code);
    EXPECT_THAT(access.error().message, HasSubstr(text));
    EXPECT_THAT(access.error().fix, HasSubstr(fix));
  }
  tests::ProcFolder folder;
  tests::FakeProcess process{.pid = kPid, .parent = 70};
};

TEST_F(CheckTarget, NothingSpeaksAgainst) {
  folder.add(process);
  const auto access = check();
  ASSERT_TRUE(access) << access.error().message;
  EXPECT_EQ(access->live_tid, kPid);
  EXPECT_TRUE(access->limits.empty());
}

TEST_F(CheckTarget, NoSuchProcess) { expect_error(123, ErrorCode::not_found, "no process 123", "pid namespace"); }

TEST_F(CheckTarget, HangstackItself) {
  process.pid = 5;
  folder.add(process);
  expect_error(5, ErrorCode::unsupported_target, "hangstack itself", "--pgrep");
}

TEST_F(CheckTarget, AThreadIsNotAProcess) {
  process.status_lines = "Tgid:\t70\n";
  folder.add(process);
  expect_error(kPid, ErrorCode::unsupported_target, "77 is a thread of process 70", "--pids 70");
}

TEST_F(CheckTarget, KernelThread) {
  process.flags = 0x208040;
  folder.add(process);
  expect_error(kPid, ErrorCode::kernel_thread, "kernel thread", "/proc/77/stack");
}

TEST_F(CheckTarget, Zombie) {
  process.state = 'Z';
  folder.add(process);
  expect_error(kPid, ErrorCode::zombie, "waits for its parent 70", "--pids 70");
}

TEST_F(CheckTarget, LeaderThatEndedBeforeItsThreadsIsNoZombie) {
  process.state = 'Z';
  folder.add(process);
  tests::FakeProcess worker{.pid = 78, .parent = 70};
  folder.write("77/task/78/stat", tests::stat_line(worker));
  folder.write("77/task/78/syscall", "running\n");
  const auto access = check();
  ASSERT_TRUE(access) << access.error().message;
  EXPECT_EQ(access->live_tid, 78);
}

TEST_F(CheckTarget, ThirtyTwoBitProgram) {
  folder.add(process);
  const std::array<std::uint32_t, 4> auxv{3, 0x8048034, 4, 32};
  folder.write("77/task/77/auxv", {reinterpret_cast<const char*>(auxv.data()), sizeof(auxv)});
  expect_error(kPid, ErrorCode::unsupported_target, "32-bit", "gdb -p 77");
}

TEST_F(CheckTarget, SixtyFourBitProgramIsNotMistakenForOne) {
  folder.add(process);
  const std::array<std::uint64_t, 6> auxv{3, 0x8048034, 4, 56, 5, 32};
  folder.write("77/task/77/auxv", {reinterpret_cast<const char*>(auxv.data()), sizeof(auxv)});
  EXPECT_TRUE(check());
}

TEST_F(CheckTarget, TracerIsAFactAndNoRefusal) {
  process.status_lines = "TracerPid:\t99\n";
  folder.add(process);
  folder.write("99/stat", tests::stat_line({.pid = 99, .comm = "gdb"}));
  const auto access = check();
  ASSERT_TRUE(access);
  EXPECT_EQ(access->tracer_pid, 99);
  EXPECT_EQ(access->tracer_name, "gdb");
  ASSERT_EQ(access->limits.size(), 1U);
  EXPECT_THAT(access->limits[0].message, HasSubstr("traced by gdb (pid 99)"));
}

TEST_F(CheckTarget, TruncatedFilesFailCleanly) {
  folder.add(process);
  for (const char* name : {"stat", "status"}) {
    const std::string whole = ProcFiles(folder.path()).read("77/" + std::string(name)).value();
    for (std::size_t size = 0; size < whole.size(); size += 7) {
      folder.write("77/" + std::string(name), whole.substr(0, size));
      EXPECT_FALSE(check()) << name << size;
    }
    folder.write("77/" + std::string(name), whole);
  }
}

TEST(SystemCalls, BothWorkWithoutAFilter) {
  const SystemCallTrial trial = try_system_calls(read_tracer_rights(ProcFiles()));
  EXPECT_EQ(trial.ptrace, 0);
  EXPECT_EQ(trial.process_vm_readv, 0);
}

}  // namespace
}  // namespace hangstack::sampler
