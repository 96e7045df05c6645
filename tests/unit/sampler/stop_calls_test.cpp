#include <gtest/gtest.h>
#include <sys/syscall.h>

#include <filesystem>

#include "sampler/stop/interruptible_calls.h"
#include "sampler/thread_reader.h"
#include "tests/support/proc_folder.h"

namespace hangstack::sampler {
namespace {

class StopCalls : public ::testing::Test {
 protected:
  StopCalls() {
    std::filesystem::create_directories(folder_.path() + "/7/fd");
    std::filesystem::create_symlink("pipe:[1]", folder_.path() + "/7/fd/3");
    std::filesystem::create_symlink("socket:[2]", folder_.path() + "/7/fd/4");
  }
  bool would_fail(long number, std::uint64_t first_argument = 3) {
    model::ThreadCapture thread;
    thread.syscall = model::SystemCall{number, {first_argument, 0, 0, 0, 0, 0}};
    return call_that_a_stop_would_fail(proc_, 7, thread).has_value();
  }
  tests::ProcFolder folder_;
  ProcFiles proc_{folder_.path()};
};

TEST_F(StopCalls, ThoseOfSignal7AreKnown) {
  for (const long number :
       {SYS_epoll_wait, SYS_epoll_pwait, SYS_semop, SYS_semtimedop, SYS_rt_sigtimedwait, SYS_recvfrom, SYS_recvmsg,
        SYS_accept, SYS_accept4, SYS_connect, SYS_sendto, SYS_io_getevents})
    EXPECT_TRUE(would_fail(number)) << number;
  EXPECT_TRUE(would_fail(441)) << "epoll_pwait2";
}

TEST_F(StopCalls, RestartedOnesAreNot) {
  for (const long number : {SYS_futex, SYS_poll, SYS_ppoll, SYS_select, SYS_nanosleep, SYS_clock_nanosleep, SYS_pause,
                            SYS_wait4, SYS_flock})
    EXPECT_FALSE(would_fail(number)) << number;
}

TEST_F(StopCalls, ReadsCountOnSocketsOnly) {
  for (const long number : {SYS_read, SYS_readv, SYS_write, SYS_writev}) {
    EXPECT_FALSE(would_fail(number, 3)) << number;
    EXPECT_TRUE(would_fail(number, 4)) << number;
    EXPECT_TRUE(would_fail(number, 99)) << "what cannot be seen counts";
  }
}

TEST_F(StopCalls, RequestsToAFuseServerCount) {
  model::ThreadCapture thread;
  EXPECT_FALSE(call_that_a_stop_would_fail(proc_, 7, thread));
  thread.wchan = "request_wait_answer";
  EXPECT_TRUE(call_that_a_stop_would_fail(proc_, 7, thread));
}

TEST(StopStates, OnlyRunningAndInterruptiblySleepingThreadsMayBeStopped) {
  for (const char state : {'R', 'S'}) EXPECT_TRUE(may_be_stopped_in(state)) << state;
  for (const char state : {'D', 'T', 't', 'Z', 'X', 'I', 'P', 'K', 'W'})
    EXPECT_FALSE(may_be_stopped_in(state)) << state;
}

}  // namespace
}  // namespace hangstack::sampler
