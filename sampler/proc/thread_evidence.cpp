#include "sampler/proc/thread_evidence.h"

#include <fmt/core.h>

#include <array>

#include "sampler/proc/stat.h"
#include "sampler/proc/status.h"
#include "sampler/proc/syscall.h"

namespace hangstack::sampler {
namespace {

using model::ErrorCode;
using model::Expected;
using model::ThreadCapture;

/// The files of one thread in one buffer: the view of a file is good until the next is read.
class ThreadFiles {
 public:
  ThreadFiles(const ProcFiles& proc, std::int32_t pid, std::int32_t tid)
      : proc_(proc), path_(fmt::format("{}/task/{}/", pid, tid)), folder_length_(path_.size()) {}

  Expected<std::string_view> read(std::string_view name) {
    path_.resize(folder_length_);
    path_ += name;
    return proc_.read_once(path_, buffer_);
  }

 private:
  const ProcFiles& proc_;
  std::string path_;
  std::size_t folder_length_;
  std::array<char, 16384> buffer_{};  ///< status is the longest: 1.5 KB, more with thousands of processors
};

/// What became of a file without which there is no evidence.
tl::unexpected<model::Error> lost(const model::Error& error, std::int32_t tid) {
  if (error.code != ErrorCode::not_found) return tl::make_unexpected(error);
  return model::failure(ErrorCode::vanished, fmt::format("thread {} ended while it was looked at", tid));
}

void read_syscall(ThreadFiles& files, ThreadCapture& thread) {
  const auto text = files.read("syscall");
  if (!text) {
    thread.problems.push_back(text.error());
    return;
  }
  const auto line = parse_syscall(*text);
  if (!line) {
    thread.problems.push_back(line.error());
    return;
  }
  thread.syscall = line->call;
  if (!line->running) thread.registers = shown_registers(*line);
}

void read_schedule(ThreadFiles& files, int processor, RunQueueClock& clock, ThreadCapture& thread) {
  if (const auto text = files.read("schedstat")) thread.clocks.run_count = parse_run_count(*text);
  if (thread.kernel_state == 'R') return;
  const auto text = files.read("sched");
  if (!text) return;
  if (const auto exec_start = parse_exec_start_ms(*text))
    thread.clocks.asleep_s = clock.asleep_s(*exec_start, processor);
}

void take_ticks(const Stat& stat, model::ThreadClocks& clocks) {
  clocks.user_ticks = stat.user_ticks;
  clocks.system_ticks = stat.system_ticks;
}

void take_switches(const Status& status, model::ThreadClocks& clocks) {
  clocks.voluntary_switches = status.voluntary_switches;
  clocks.nonvoluntary_switches = status.nonvoluntary_switches;
}

}  // namespace

Expected<ThreadCapture> read_thread_evidence(const ProcFiles& proc, std::int32_t pid, std::int32_t tid,
                                             RunQueueClock* clock) {
  ThreadFiles files(proc, pid, tid);
  ThreadCapture thread;
  const auto stat_text = files.read("stat");
  if (!stat_text) return lost(stat_text.error(), tid);
  const auto stat = parse_stat(*stat_text);
  if (!stat) return tl::make_unexpected(stat.error());
  thread.tid = tid;
  thread.name = stat->comm;
  thread.kernel_state = stat->state;
  thread.kernel_worker = stat->kernel_worker();
  take_ticks(*stat, thread.clocks);

  const auto status_text = files.read("status");
  if (!status_text) return lost(status_text.error(), tid);
  const auto status = parse_status(*status_text);
  if (!status) return tl::make_unexpected(status.error());
  thread.ns_tid = status->innermost_pid();
  thread.signals = status->signals;
  take_switches(*status, thread.clocks);

  read_syscall(files, thread);
  if (const auto wchan = files.read("wchan")) thread.wchan = *wchan;
  RunQueueClock own_clock(proc);
  read_schedule(files, stat->processor, clock != nullptr ? *clock : own_clock, thread);
  return thread;
}

std::optional<model::ThreadClocks> read_clocks_at_rest(const ProcFiles& proc, std::int32_t pid, std::int32_t tid) {
  ThreadFiles files(proc, pid, tid);
  // First: the kernel shows a system call only once the thread is off its processor, so that its counters are final.
  const auto call = files.read("syscall").and_then(parse_syscall);
  if (!call || call->running) return std::nullopt;
  model::ThreadClocks clocks;
  const auto stat = files.read("stat").and_then(parse_stat);
  if (!stat) return std::nullopt;
  take_ticks(*stat, clocks);
  const auto status = files.read("status").and_then(parse_status);
  if (!status) return std::nullopt;
  take_switches(*status, clocks);
  if (const auto text = files.read("schedstat")) clocks.run_count = parse_run_count(*text);
  return clocks;
}

}  // namespace hangstack::sampler
