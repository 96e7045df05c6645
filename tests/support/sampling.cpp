#include "tests/support/sampling.h"

#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <fstream>

namespace hangstack::tests {

sampler::SampleResult sample_one(std::int32_t pid, sampler::StopMode stop, std::chrono::milliseconds deadline) {
  sampler::SamplingOptions options;
  options.stop = stop;
  options.deadline = deadline;
  const std::array<sampler::Target, 1> targets{{{pid, {}}}};
  return std::move(sampler::sample_processes(targets, options, {}).front());
}

const model::ThreadCapture* thread_of(const model::ProcessCapture& capture, std::int32_t tid) {
  const auto found = std::ranges::find(capture.threads, tid, &model::ThreadCapture::tid);
  return found == capture.threads.end() ? nullptr : &*found;
}

std::string problems_of(const sampler::SampleResult& result) {
  if (!result) return result.error().error.message + "\n";
  std::string text;
  for (const auto& problem : result->problems) text += problem.error.message + "\n";
  for (const auto& thread : result->threads) {
    for (const auto& problem : thread.problems) text += problem.message + "\n";
  }
  return text;
}

std::string status_field(std::int32_t pid, std::int32_t tid, const std::string& name) {
  std::ifstream stream("/proc/" + std::to_string(pid) + "/task/" + std::to_string(tid) + "/status");
  std::string line;
  while (std::getline(stream, line)) {
    if (line.starts_with(name + ":")) {
      const auto value = line.find_first_not_of(" \t", name.size() + 1);
      return value == std::string::npos ? "" : line.substr(value);
    }
  }
  return {};
}

int in_child(const std::function<int()>& body) {
  const pid_t pid = ::fork();
  if (pid == 0) ::_exit(body());
  int status = 0;
  while (::waitpid(pid, &status, 0) < 0 && errno == EINTR) {
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

void forbid_ptrace() {
  std::array<sock_filter, 4> filter{{
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_ptrace, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  }};
  const sock_fprog program{filter.size(), filter.data()};
  ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
  if (::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0) {
    std::perror("seccomp");
    std::abort();
  }
}

}  // namespace hangstack::tests
