// Refusals by what the target is: kernel thread, zombie, hangstack itself, a 32-bit program, nothing at all.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <cstring>
#include <functional>

#include "sampler/proc/preflight.h"
#include "sampler/proc/process_evidence.h"
#include "sampler/proc/thread_evidence.h"
#include "tests/support/program.h"

namespace hangstack::sampler {
namespace {

using model::ErrorCode;
using testing::HasSubstr;

const ProcFiles kProc;

void expect_refused(std::int32_t pid, ErrorCode code, const std::string& text) {
  const auto access = check_target(kProc, read_tracer_rights(kProc), pid);
  ASSERT_FALSE(access);
  EXPECT_EQ(access.error().code, code);
  EXPECT_THAT(access.error().message, HasSubstr(text));
  EXPECT_THAT(access.error().message, HasSubstr(std::to_string(pid)));
  EXPECT_FALSE(access.error().fix.empty());
}

/// A child that ends, or waits, by `body`; reaped with the object.
class Child {
 public:
  explicit Child(const std::function<void()>& body) : pid_(::fork()) {
    if (pid_ != 0) return;
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    body();
    ::_exit(0);
  }
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;
  ~Child() {
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
  }
  [[nodiscard]] pid_t pid() const { return pid_; }

 private:
  pid_t pid_;
};

TEST(RefusedKind, KernelThread) {
  const auto comm = kProc.read("2/comm");
  if (!comm || *comm != "kthreadd\n") GTEST_SKIP() << "pid 2 is no kernel thread in this pid namespace";
  expect_refused(2, ErrorCode::kernel_thread, "kernel thread");
}

TEST(RefusedKind, ZombieNamesItsParent) {
  const Child child([] {});
  siginfo_t ended{};
  ASSERT_EQ(::waitid(P_PID, static_cast<id_t>(child.pid()), &ended, WEXITED | WNOWAIT), 0);
  expect_refused(child.pid(), ErrorCode::zombie, "its parent " + std::to_string(::getpid()));
  const auto evidence = read_process_evidence(kProc, child.pid());
  ASSERT_FALSE(evidence);
  EXPECT_EQ(evidence.error().kernel_state, 'Z');
}

TEST(RefusedKind, HangstackItselfAndItsReadingChild) {
  expect_refused(::getpid(), ErrorCode::unsupported_target, "hangstack itself");
  const Child child([] { ::pause(); });
  TracerRights as_child = read_tracer_rights(kProc);
  EXPECT_THAT(as_child.own_pids, testing::Contains(::getpid()));
}

TEST(RefusedKind, NoSuchProcess) {
  std::int32_t gone = 0;
  {
    const Child child([] { ::pause(); });
    gone = child.pid();
  }
  expect_refused(gone, ErrorCode::not_found, "there is no process");
  expect_refused(0x7fffffff, ErrorCode::not_found, "there is no process");
}

TEST(RefusedKind, ThreadOfAProcess) {
  tests::Target target({HANGSTACK_TARGETS "/target_ended_leader"});
  const std::int32_t tid = std::stoi(target.read_line());
  expect_refused(tid, ErrorCode::unsupported_target, "is a thread of process " + std::to_string(target.pid()));
}

TEST(RefusedKind, LeaderThatEndedIsReadThroughALiveThread) {
  tests::Target target({HANGSTACK_TARGETS "/target_ended_leader"});
  const std::int32_t tid = std::stoi(target.read_line());
  ASSERT_TRUE(tests::wait_for_state(target.pid(), target.pid(), "Z"));
  const auto access = check_target(kProc, read_tracer_rights(kProc), target.pid());
  ASSERT_TRUE(access) << access.error().message;
  EXPECT_EQ(access->live_tid, tid);
  const auto evidence = read_process_evidence(kProc, target.pid());
  ASSERT_TRUE(evidence);
  EXPECT_THAT(evidence->exe, testing::EndsWith("/target_ended_leader"));
}

TEST(RefusedKind, TracerIsNamed) {
  tests::Target target({HANGSTACK_TARGETS "/target_family", "wait"});
  ASSERT_EQ(target.read_line(), "ready");
  ASSERT_EQ(::ptrace(PTRACE_SEIZE, target.pid(), nullptr, nullptr), 0);
  const auto access = check_target(kProc, read_tracer_rights(kProc), target.pid());
  ASSERT_TRUE(access);
  EXPECT_EQ(access->tracer_pid, ::getpid());
  EXPECT_FALSE(access->tracer_name.empty());
  ASSERT_EQ(access->limits.size(), 1U);
  EXPECT_EQ(access->limits[0].code, ErrorCode::already_traced);
  ASSERT_EQ(::ptrace(PTRACE_INTERRUPT, target.pid(), nullptr, nullptr), 0);
  ASSERT_EQ(::waitpid(target.pid(), nullptr, 0), target.pid());
  ASSERT_EQ(::ptrace(PTRACE_DETACH, target.pid(), nullptr, nullptr), 0);
}

/// A static i386 program of 93 bytes: `again: mov $29, %eax (pause); int $0x80; jmp again`.
std::vector<unsigned char> i386_program() {
  std::vector<unsigned char> file(84);
  const auto put16 = [&](std::size_t at, unsigned value) {
    file[at] = static_cast<unsigned char>(value);
    file[at + 1] = static_cast<unsigned char>(value >> 8);
  };
  const auto put32 = [&](std::size_t at, unsigned value) { put16(at, value), put16(at + 2, value >> 16); };
  std::memcpy(file.data(),
              "\x7f"
              "ELF\1\1\1",
              7);
  put16(16, 2);           // e_type: ET_EXEC
  put16(18, 3);           // e_machine: EM_386
  put32(20, 1);           // e_version
  put32(24, 0x08048054);  // e_entry
  put32(28, 52);          // e_phoff
  put16(40, 52);          // e_ehsize
  put16(42, 32);          // e_phentsize
  put16(44, 1);           // e_phnum
  put32(52, 1);           // p_type: PT_LOAD
  put32(60, 0x08048000);  // p_vaddr
  put32(68, 93);          // p_filesz
  put32(72, 93);          // p_memsz
  put32(76, 5);           // p_flags: read, execute
  put32(80, 0x1000);      // p_align
  file.insert(file.end(), {0xb8, 29, 0, 0, 0, 0xcd, 0x80, 0xeb, 0xf7});
  return file;
}

TEST(RefusedKind, ThirtyTwoBitProgram) {
  const std::vector<unsigned char> program = i386_program();
  const int file = ::memfd_create("i386", 0);
  ASSERT_EQ(::write(file, program.data(), program.size()), static_cast<ssize_t>(program.size()));
  std::array<int, 2> started{};
  ASSERT_EQ(::pipe2(started.data(), O_CLOEXEC), 0);
  const Child child([&] {
    const std::string path = "/proc/self/fd/" + std::to_string(file);
    ::execl(path.c_str(), "i386", nullptr);
    const int error = errno;
    (void)!::write(started[1], &error, sizeof(error));
  });
  ::close(started[1]);
  ::close(file);
  int error = 0;  // the pipe closes without a word when the program runs
  const bool failed = ::read(started[0], &error, sizeof(error)) > 0;
  ::close(started[0]);
  if (failed) GTEST_SKIP() << "THIS KERNEL RUNS NO 32-BIT PROGRAMS: " << std::strerror(error);
  expect_refused(child.pid(), ErrorCode::unsupported_target, "32-bit");
}

TEST(PidNamespace, InnerPidsAndFilesOfAContainer) {
  if (::getuid() != 0) GTEST_SKIP() << "needs root to make namespaces";
  tests::Target target({"/usr/bin/unshare", "--pid", "--mount", "--fork", "--kill-child", "--mount-proc",
                        HANGSTACK_TARGETS "/target_family", "wait"});
  ASSERT_EQ(target.read_line(), "ready");
  const auto children =
      kProc.read(std::to_string(target.pid()) + "/task/" + std::to_string(target.pid()) + "/children");
  ASSERT_TRUE(children);
  const std::int32_t inner = std::stoi(*children);
  const auto evidence = read_process_evidence(kProc, inner);
  ASSERT_TRUE(evidence) << evidence.error().error.message;
  EXPECT_EQ(evidence->pid, inner);
  EXPECT_EQ(evidence->ns_pid, 1);
  EXPECT_TRUE(evidence->problems.empty());
  const auto thread = read_thread_evidence(kProc, inner, inner);
  ASSERT_TRUE(thread);
  EXPECT_EQ(thread->ns_tid, 1);
  EXPECT_EQ(thread->syscall->number, 0);  // read
}

}  // namespace
}  // namespace hangstack::sampler
