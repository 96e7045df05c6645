#include "sampler/stop/interruptible_calls.h"

#include <fmt/core.h>
#include <sys/syscall.h>

#include <algorithm>
#include <array>

namespace hangstack::sampler {
namespace {

struct Call {
  long number;
  std::string_view name;
  bool only_on_sockets = false;
};

constexpr auto kCalls = std::to_array<Call>({
    {SYS_epoll_wait, "epoll_wait"},
    {SYS_epoll_wait_old, "epoll_wait"},
    {SYS_epoll_pwait, "epoll_pwait"},
    {441, "epoll_pwait2"},
    {SYS_semop, "semop"},
    {SYS_semtimedop, "semtimedop"},
    {SYS_rt_sigtimedwait, "sigtimedwait"},
    {SYS_io_getevents, "io_getevents"},
    {333, "io_pgetevents"},
    {426, "io_uring_enter"},
    {SYS_accept, "accept"},
    {SYS_accept4, "accept4"},
    {SYS_connect, "connect"},
    {SYS_recvfrom, "recv"},
    {SYS_recvmsg, "recvmsg"},
    {SYS_recvmmsg, "recvmmsg"},
    {SYS_sendto, "send"},
    {SYS_sendmsg, "sendmsg"},
    {SYS_sendmmsg, "sendmmsg"},
    {SYS_sendfile, "sendfile"},
    {SYS_ioctl, "ioctl"},
    {SYS_read, "read", true},
    {SYS_readv, "readv", true},
    {SYS_write, "write", true},
    {SYS_writev, "writev", true},
    {SYS_splice, "splice"},
});

bool is_socket(const ProcFiles& proc, std::int32_t pid, const model::SystemCall& call) {
  if (call.arguments.empty()) return true;
  const auto link = proc.read_link(fmt::format("{}/fd/{}", pid, static_cast<std::uint32_t>(call.arguments[0])));
  return !link || link->starts_with("socket:");
}

}  // namespace

std::optional<std::string_view> call_that_a_stop_would_fail(const ProcFiles& proc, std::int32_t pid,
                                                            const model::ThreadCapture& thread) {
  if (thread.wchan == "request_wait_answer") return "a request to a FUSE server";
  if (!thread.syscall) return std::nullopt;
  const auto call = std::ranges::find(kCalls, thread.syscall->number, &Call::number);
  if (call == kCalls.end()) return std::nullopt;
  if (call->only_on_sockets && !is_socket(proc, pid, *thread.syscall)) return std::nullopt;
  return call->name;
}

}  // namespace hangstack::sampler
