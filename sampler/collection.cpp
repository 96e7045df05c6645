#include "sampler/collection.h"

#include <fmt/core.h>

#include <algorithm>
#include <csignal>
#include <utility>

#include "sampler/capture_bytes.h"

namespace hangstack::sampler {
namespace {

using model::ErrorCode;
using model::ProcessCapture;
using model::ThreadCapture;
using std::chrono::steady_clock;

/// Each lost child leaves out one more step or thread; a process where more are stuck is given up.
constexpr int kMaxChildren = 16;

std::string_view words_for(Stage stage) {
  switch (stage) {
    case Stage::evidence: return "its files in /proc";
    case Stage::process: return "its command line and environment";
    case Stage::mappings: return "its mappings";
    case Stage::files: return "the build-ids of its files";
    case Stage::prepare: return "its interpreters";
    case Stage::strict: return "all its threads at once";
    case Stage::thread: return "one of its threads";
    case Stage::finish: return "names and records in its memory";
  }
  return "it";
}

}  // namespace

Collection::Collection(const Target& target, const SamplingOptions& options)
    : plan_{target, options, {}, {}}, stage_since_(steady_clock::now()) {}

void Collection::begin_child() {
  if (++children_ > 1) plan_.earlier = &threads_;
  parser_ = {};
  child_stopped_us_ = 0;
  broken_ = false;
  done_ = false;
  stage_ = Stage::evidence;
  stage_tid_ = 0;
  stage_since_ = steady_clock::now();
}

void Collection::feed(std::string_view bytes) {
  if (broken_) return;
  if (auto fed = parser_.feed(bytes); !fed) {
    note(fed.error().code, fed.error().message);
    broken_ = true;
  }
  while (auto message = parser_.next()) apply(*message);
}

void Collection::apply(const Message& message) {
  switch (message.kind) {
    case MessageKind::stage:
      stage_ = message.stage;
      stage_tid_ = message.tid;
      stage_since_ = steady_clock::now();
      return;
    case MessageKind::threads: take_threads(message); return;
    case MessageKind::process: take_process(message); return;
    case MessageKind::thread: take_thread(message); return;
    case MessageKind::ended:
      ended_ += 1;
      threads_.erase(message.tid);
      plan_.finished.insert(message.tid);
      return;
    case MessageKind::rest: take_rest(message); return;
    case MessageKind::refused: take_refusal(message); return;
    case MessageKind::done: done_ = true; return;
  }
}

void Collection::take_threads(const Message& message) {
  auto listed = process_from(message.body);
  if (!listed) return note(listed.error().code, listed.error().message);
  for (ThreadCapture& thread : listed->threads) threads_.try_emplace(thread.tid, std::move(thread));
  listed->threads.clear();
  if (!capture_) capture_ = std::move(*listed);
}

void Collection::take_process(const Message& message) {
  auto process = process_from(message.body);
  if (!process) return note(process.error().code, process.error().message);
  if (!capture_ || !has_process_) {
    if (capture_) std::ranges::move(capture_->problems, std::back_inserter(process->problems));
    capture_ = std::move(*process);
    has_process_ = true;
    return;
  }
  // A later child: what the first had to leave out may be known by now.
  if (capture_->mappings.empty()) capture_->mappings = std::move(process->mappings);
  if (capture_->files.empty()) capture_->files = std::move(process->files);
}

void Collection::take_thread(const Message& message) {
  auto thread = thread_from(message.body);
  if (!thread) return note(thread.error().code, thread.error().message);
  plan_.finished.insert(thread->tid);
  child_stopped_us_ += thread->stopped_us;
  threads_.insert_or_assign(thread->tid, std::move(*thread));
}

void Collection::take_rest(const Message& message) {
  auto rest = process_from(message.body);
  if (!rest) return note(rest.error().code, rest.error().message);
  if (!capture_) return;
  std::ranges::move(rest->memory, std::back_inserter(capture_->memory));
  std::ranges::move(rest->problems, std::back_inserter(capture_->problems));
  capture_->stopped_us += rest->stopped_us;
  child_stopped_us_ = 0;
  if (!rest->mappings.empty()) capture_->mappings = std::move(rest->mappings);
  if (!rest->files.empty()) capture_->files = std::move(rest->files);
}

void Collection::take_refusal(const Message& message) {
  auto refused = process_from(message.body);
  if (!refused || refused->problems.empty()) return;
  refusal_ = model::FailedProcess{refused->host, refused->pid, refused->identity, refused->kernel_state,
                                  refused->problems.front().error};
}

void Collection::note(ErrorCode code, std::string message, std::string fix) {
  if (!capture_) {
    capture_.emplace();
    capture_->pid = plan_.target.pid;
  }
  capture_->problems.push_back({"pid", std::to_string(plan_.target.pid), {code, std::move(message), std::move(fix)}});
}

void Collection::note_thread(std::int32_t tid, ErrorCode code, std::string message, std::string fix) {
  ThreadCapture& thread = threads_.try_emplace(tid).first->second;
  thread.tid = tid;
  thread.problems.push_back({code, std::move(message), std::move(fix)});
  plan_.finished.insert(tid);
}

steady_clock::time_point Collection::step_deadline() const { return stage_since_ + plan_.options.deadline / 4; }

void Collection::child_lost(const ChildEnd& end, bool overdue) {
  if (capture_) capture_->stopped_us += std::exchange(child_stopped_us_, 0);
  const bool held_too_long = end.signal == SIGALRM;
  const bool slow = overdue || held_too_long;
  const ErrorCode code = slow ? ErrorCode::timed_out : ErrorCode::internal;
  const std::string what = slow              ? "did not end in time"
                           : end.signal != 0 ? fmt::format("ended by signal {}", end.signal)
                                             : fmt::format("ended too early (status {})", end.status);
  if (stage_ == Stage::thread) {
    const auto found = threads_.find(stage_tid_);
    const std::string wchan = found == threads_.end() ? "" : found->second.wchan;
    note_thread(stage_tid_, code,
                fmt::format("the reading of thread {} (in {}) {}", stage_tid_,
                            wchan.empty() || wchan == "0" ? "an unknown kernel function" : wchan, what),
                slow ? "part of its memory may be on a dead file server or wait for a user-space pager" : "");
    return;
  }
  note(code, fmt::format("the reading of pid {}, {}, {}", plan_.target.pid, words_for(stage_), what),
       slow ? "a lock of the process may be held, or its memory be on a dead file server" : "");
  plan_.skip.insert(stage_);
}

void Collection::child_missing(const model::Error& error) { note(error.code, error.message, error.fix); }

bool Collection::wants_another_child() const {
  return !done_ && !refusal_ && children_ < kMaxChildren && stage_ != Stage::evidence;
}

void Collection::report_unread_threads(Cut cut) {
  for (auto& [tid, thread] : threads_) {
    if (plan_.finished.contains(tid) || thread.method != model::CaptureMethod::none || thread.kernel_worker) continue;
    const auto limit = static_cast<double>(plan_.options.deadline.count()) / 1000;
    if (cut == Cut::out_of_time)
      thread.problems.push_back({ErrorCode::timed_out, fmt::format("thread {} was not reached within {} s", tid, limit),
                                 "sample with a longer --timeout"});
    else
      thread.problems.push_back(
          {cut == Cut::interrupted ? ErrorCode::timed_out : ErrorCode::internal,
           fmt::format("thread {} was not reached{}", tid, cut == Cut::interrupted ? " before the interruption" : ""),
           {}});
  }
}

SampleResult Collection::take(Cut cut) {
  if (refusal_) return tl::make_unexpected(std::move(*refusal_));
  report_unread_threads(cut);
  if (!capture_) {
    note(ErrorCode::timed_out, fmt::format("pid {} gave nothing {}", plan_.target.pid,
                                           cut == Cut::interrupted ? "before the interruption" : "in time"));
  }
  ProcessCapture capture = std::move(*capture_);
  for (auto& [tid, thread] : threads_) capture.threads.push_back(std::move(thread));
  if (capture.threads.empty()) {
    model::FailedProcess failed{capture.host, capture.pid, capture.identity, capture.kernel_state, {}};
    failed.error =
        capture.problems.empty()
            ? model::Error{ErrorCode::vanished, fmt::format("process {} ended while it was read", plan_.target.pid), {}}
            : capture.problems.back().error;
    return tl::make_unexpected(std::move(failed));
  }
  return capture;
}

}  // namespace hangstack::sampler
