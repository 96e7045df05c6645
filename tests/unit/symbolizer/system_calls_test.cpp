#include "symbolizer/system_calls.h"

#include <gtest/gtest.h>
#include <sys/syscall.h>

namespace hangstack::symbolizer {
namespace {

TEST(SystemCalls, NumbersAreThoseOfTheKernelsHeaders) {
  EXPECT_EQ(system_call_name(SYS_read), "read");
  EXPECT_EQ(system_call_name(SYS_futex), "futex");
  EXPECT_EQ(system_call_name(SYS_epoll_wait), "epoll_wait");
  EXPECT_EQ(system_call_name(SYS_clock_nanosleep), "clock_nanosleep");
  EXPECT_EQ(system_call_name(SYS_rseq), "rseq");
  EXPECT_EQ(system_call_name(SYS_pidfd_send_signal), "pidfd_send_signal");
  EXPECT_EQ(system_call_name(SYS_futex_waitv), "futex_waitv");
}

TEST(SystemCalls, UnknownNumbersHaveNoName) {
  for (const std::int64_t number :
       {std::int64_t{-1}, std::int64_t{335}, std::int64_t{423}, std::int64_t{9999}, std::int64_t{1} << 62}) {
    EXPECT_EQ(system_call_name(number), "");
  }
}

}  // namespace
}  // namespace hangstack::symbolizer
