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

/// Reads the files of one thread into one buffer: the view of a file is good until the next is read.
class ThreadFolder {
 public:
  ThreadFolder(const ProcFiles& proc, std::int32_t pid, std::int32_t tid)
      : proc_(proc), tid_(tid), folder_(fmt::format("{}/task/{}/", pid, tid)), folder_length_(folder_.size()) {}

  Expected<std::string_view> read(std::string_view name) {
    folder_.resize(folder_length_);
    folder_ += name;
    return proc_.read_once(folder_, buffer_);
  }

  /// What became of a file without which there is no evidence.
  [[nodiscard]] model::Error lost(const model::Error& error) const {
    if (error.code != ErrorCode::not_found) return error;
    return {ErrorCode::vanished, fmt::format("thread {} ended while it was looked at", tid_), {}};
  }

 private:
  const ProcFiles& proc_;
  std::int32_t tid_;
  std::string folder_;
  std::size_t folder_length_;
  std::array<char, 16384> buffer_;  ///< status is the longest: about 2 KB, more with thousands of processors
};

void read_syscall(ThreadFolder& folder, ThreadCapture& thread) {
  const auto text = folder.read("syscall");
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
}

void read_schedule(ThreadFolder& folder, int processor, const RunQueueClock& clock, ThreadCapture& thread) {
  if (const auto text = folder.read("schedstat")) thread.clocks.run_count = parse_run_count(*text);
  if (thread.kernel_state == 'R' || !clock.works()) return;
  const auto text = folder.read("sched");
  if (!text) return;
  if (const auto exec_start = parse_exec_start_ms(*text))
    thread.clocks.asleep_s = clock.asleep_s(*exec_start, processor);
}

}  // namespace

Expected<ThreadCapture> read_thread_evidence(const ProcFiles& proc, std::int32_t pid, std::int32_t tid,
                                             const RunQueueClock* clock) {
  ThreadFolder folder(proc, pid, tid);
  ThreadCapture thread;
  const auto stat_text = folder.read("stat");
  if (!stat_text) return tl::make_unexpected(folder.lost(stat_text.error()));
  const auto stat = parse_stat(*stat_text);
  if (!stat) return tl::make_unexpected(stat.error());
  thread.tid = tid;
  thread.name = stat->comm;
  thread.kernel_state = stat->state;
  thread.kernel_worker = stat->kernel_worker();
  thread.clocks.user_ticks = stat->user_ticks;
  thread.clocks.system_ticks = stat->system_ticks;

  const auto status_text = folder.read("status");
  if (!status_text) return tl::make_unexpected(folder.lost(status_text.error()));
  const auto status = parse_status(*status_text);
  if (!status) return tl::make_unexpected(status.error());
  thread.ns_tid = status->innermost_pid();
  thread.signals = status->signals;
  thread.clocks.voluntary_switches = status->voluntary_switches;
  thread.clocks.nonvoluntary_switches = status->nonvoluntary_switches;

  read_syscall(folder, thread);
  if (const auto wchan = folder.read("wchan")) thread.wchan = *wchan;
  if (clock != nullptr) {
    read_schedule(folder, stat->processor, *clock, thread);
  } else {
    read_schedule(folder, stat->processor, RunQueueClock(proc), thread);
  }
  return thread;
}

}  // namespace hangstack::sampler
