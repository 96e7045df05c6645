#include "sampler/target_reader.h"

#include <fmt/core.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>

#include "model/segment_reader.h"
#include "sampler/capture_bytes.h"
#include "sampler/discover/discover.h"
#include "sampler/memory/live_memory.h"
#include "sampler/memory/recording_memory.h"
#include "sampler/memory/thread_window.h"
#include "sampler/proc/mapped_files.h"
#include "sampler/proc/maps.h"
#include "sampler/proc/process_evidence.h"
#include "sampler/proc/reachable_files.h"
#include "sampler/proc/thread_evidence.h"
#include "sampler/program_watch.h"
#include "sampler/settling.h"
#include "sampler/stop/stop_all.h"
#include "sampler/stop/stop_thread.h"
#include "sampler/thread_reader.h"

namespace hangstack::sampler {
namespace {

using model::ErrorCode;
using model::ProcessCapture;
using model::StackNeed;
using model::ThreadCapture;

constexpr std::size_t kArenaBytes = 1UL << 20;

class TargetReader {
 public:
  TargetReader(const ReadPlan& plan, const InspectorFactory& make_inspector, int pipe)
      : plan_(plan), make_inspector_(make_inspector), pipe_(pipe), pid_(plan.target.pid) {}

  void run() {
    if (!read_evidence()) return;
    read_process();
    read_mappings();
    prepare();
    read_threads();
    finish();
  }

 private:
  [[nodiscard]] bool skips(Stage stage) const { return plan_.skip.contains(stage); }

  void send(const Message& message) {
    // Without a reader there is nothing left to do: it has given up on us, or is dead.
    if (!write_message(pipe_, message)) ::_exit(0);
  }
  void send_stage(Stage stage, std::int32_t tid = 0) { send({MessageKind::stage, stage, tid, {}}); }
  void send_capture(MessageKind kind, const ProcessCapture& capture) {
    send({kind, Stage::evidence, 0, bytes_of(capture)});
  }
  /// The bytes are the parent's from here on.
  void send_thread(ThreadCapture& thread) {
    send({MessageKind::thread, Stage::thread, thread.tid, bytes_of(thread)});
    thread.memory = {};
  }
  void send_ended(std::int32_t tid) { send({MessageKind::ended, Stage::thread, tid, {}}); }

  void note(ErrorCode code, std::string message, std::string fix = {}) {
    problems_.push_back({"pid", std::to_string(pid_), {code, std::move(message), std::move(fix)}});
  }

  void send_refusal(const model::FailedProcess& failed) {
    ProcessCapture capture;
    capture.host = failed.host;
    capture.pid = failed.pid;
    capture.kernel_state = failed.kernel_state;
    capture.identity = failed.identity;
    capture.problems.push_back({"pid", std::to_string(failed.pid), failed.error});
    send_capture(MessageKind::refused, capture);
  }

  bool read_evidence() {
    send_stage(Stage::evidence);
    TracerRights rights = read_tracer_rights(proc_);
    rights.may_stop = plan_.options.stop != StopMode::never;
    auto early = read_early_evidence(proc_, rights, pid_);
    if (!early) {
      send_refusal(early.error());
      send_stage(Stage::process);
      if (!skips(Stage::process)) early.error().identity = identify(proc_, pid_);
      send_refusal(early.error());
      send({MessageKind::done, Stage::process, 0, {}});
      return false;
    }
    capture_ = std::move(early->capture);
    access_ = std::move(early->access);
    watch_.emplace(proc_, pid_);
    for (const std::int32_t tid : wanted_threads()) {
      auto thread = read_thread_evidence(proc_, pid_, tid, &clock_);
      if (thread) capture_.threads.push_back(std::move(*thread));
    }
    ProcessCapture listed = capture_;
    listed.problems.clear();
    send_capture(MessageKind::threads, listed);
    return true;
  }

  /// The main thread first: it is what users ask for.
  std::vector<std::int32_t> wanted_threads() {
    auto tids = proc_.list_numbers(fmt::format("{}/task", pid_)).value_or(std::vector<std::int32_t>{});
    std::erase_if(tids, [&](std::int32_t tid) {
      const bool wanted = plan_.target.only.empty() || plan_.target.only.contains(tid);
      return !wanted || known_.contains(tid) || plan_.finished.contains(tid);
    });
    std::ranges::stable_partition(tids, [&](std::int32_t tid) { return tid == pid_; });
    known_.insert(tids.begin(), tids.end());
    return tids;
  }

  /// A second visit's caller knows the process already, and discovery reads the whole of /proc.
  void read_process() {
    if (skips(Stage::process) || !plan_.target.only.empty()) return;
    send_stage(Stage::process);
    read_late_evidence(proc_, capture_);
  }

  [[nodiscard]] std::string task_folder() const { return fmt::format("{}/task/{}", pid_, access_.live_tid); }

  bool parse_mappings() {
    auto mappings = proc_.read(task_folder() + "/maps").and_then(parse_maps);
    if (!mappings) {
      note(mappings.error().code,
           fmt::format("the mappings of pid {} cannot be read: {}", pid_, mappings.error().message),
           mappings.error().fix);
      return false;
    }
    capture_.mappings = std::move(*mappings);
    return true;
  }

  void read_mappings() {
    if (!skips(Stage::mappings)) {
      send_stage(Stage::mappings);
      for (const std::string& mounts : {task_folder() + "/mountinfo", std::string("self/mountinfo")})
        if (const auto text = proc_.read(mounts)) file_systems_.add(*text);
      if (parse_mappings()) {
        memory_.emplace(access_.live_tid, proc_.absolute(task_folder()), capture_.mappings, file_systems_);
        recording_.emplace(*memory_);
      }
    }
    if (memory_ && !skips(Stage::files)) {
      send_stage(Stage::files);
      capture_.files = mapped_files();
    }
    ProcessCapture header = capture_;
    header.threads.clear();
    send_capture(MessageKind::process, header);
  }

  /// The symbolizer opens these files in the parent, which must not wait for a dead server.
  /// The build-ids are kept, not the pages that they were found in: those are most of what is read of a torch rank.
  std::vector<model::MappedFile> mapped_files() {
    auto files = list_mapped_files(proc_, pid_, capture_.mappings, *memory_, file_tid());
    const auto patience = std::min(kOpenPatience, plan_.options.deadline / 32);
    const auto silent = drop_unreachable(files, file_systems_, patience);
    if (!silent.empty()) {
      note(ErrorCode::timed_out,
           fmt::format("{} of the files of pid {} cannot be opened, among them {}: their file system does not answer",
                       silent.size(), pid_, silent.front()),
           "their functions stay without names until the file server is back");
    }
    return files;
  }

  [[nodiscard]] std::int32_t file_tid() const { return access_.live_tid == pid_ ? 0 : access_.live_tid; }

  void prepare() {
    if (!memory_ || skips(Stage::prepare) || !make_inspector_) return;
    send_stage(Stage::prepare);
    inspector_ = make_inspector_();
    if (inspector_) inspector_->prepare(capture_, *recording_);
  }

  [[nodiscard]] StackNeed need_of(std::int32_t tid) const {
    const auto found = plan_.target.only.find(tid);
    return found == plan_.target.only.end() ? StackNeed::nothing : found->second;
  }

  void read_threads() {
    const bool strict = plan_.options.stop == StopMode::all && plan_.target.only.empty() && !skips(Stage::strict) &&
                        capture_.tracer_pid == 0;
    window_.emplace(
        ThreadWindow::Sources{memory_ ? &*memory_ : nullptr, recording_ ? &*recording_ : nullptr, inspector_.get()},
        kArenaBytes);
    if (strict) read_strictly();
    ThreadReader reader(proc_, pid_, *window_, clock_,
                        {plan_.options.stop, plan_.options.stack_bytes, capture_.tracer_pid,
                         std::min(kPatienceWithOne, plan_.options.deadline / 8)});
    read_one_by_one(reader, 0);
    if (!plan_.target.only.empty()) return;
    // Threads that were born meanwhile: one more round.
    const std::size_t first = capture_.threads.size();
    for (const std::int32_t tid : wanted_threads()) {
      auto thread = read_thread_evidence(proc_, pid_, tid, &clock_);
      if (thread) capture_.threads.push_back(std::move(*thread));
    }
    read_one_by_one(reader, first);
  }

  void read_one_by_one(ThreadReader& reader, std::size_t first) {
    for (std::size_t i = first; i < capture_.threads.size(); ++i) {
      ThreadCapture& thread = capture_.threads[i];
      if (thread.method != model::CaptureMethod::none) continue;
      send_stage(Stage::thread, thread.tid);
      const model::ThreadClocks clocks = thread.clocks;
      std::vector<model::Error> reasons = thread.problems;
      if (reader.read(thread, need_of(thread.tid))) {
        if (not_stopped_.contains(thread.tid)) keep_what_was(thread, clocks, std::move(reasons));
        capture_.stopped_us += thread.stopped_us;
        send_thread(thread);
      } else {
        ended_.insert(thread.tid);
        send_ended(thread.tid);
      }
    }
  }

  /// The strict stop was tried on this thread: it may have run because of that, and why it failed must be told.
  static void keep_what_was(ThreadCapture& thread, const model::ThreadClocks& clocks,
                            std::vector<model::Error> reasons) {
    if (!thread.clocks_after_stop) thread.clocks_after_stop = thread.clocks;
    thread.clocks = clocks;
    std::erase_if(reasons, [&](const model::Error& reason) {
      return std::ranges::find(thread.problems, reason) != thread.problems.end();
    });
    thread.problems.insert(thread.problems.begin(), reasons.begin(), reasons.end());
  }

  void read_strictly() {
    send_stage(Stage::strict);
    std::vector<ThreadCapture> stoppable;
    std::vector<std::int32_t> others(plan_.finished.begin(), plan_.finished.end());
    std::vector<ThreadCapture> left;
    for (ThreadCapture& thread : capture_.threads) {
      const bool may = may_be_stopped_in(thread.kernel_state) && !thread.kernel_worker;
      if (!may) others.push_back(thread.tid);
      (may ? stoppable : left).push_back(std::move(thread));
    }
    const auto result = stop_all(proc_, pid_, stoppable, others, *window_, plan_.options.stack_bytes);
    read_clocks_after_stop(proc_, pid_, stoppable);
    capture_.stopped_us = result.stopped_us;
    for (const std::int32_t tid : result.new_threads) known_.insert(tid);
    for (const std::int32_t tid : result.ended) {
      ended_.insert(tid);
      send_ended(tid);
    }
    not_stopped_.insert(result.not_stopped.begin(), result.not_stopped.end());
    capture_.threads = std::move(left);
    for (ThreadCapture& thread : stoppable) {
      if (ended_.contains(thread.tid)) continue;
      if (std::ranges::find(result.new_threads, thread.tid) != result.new_threads.end()) add_evidence(thread);
      if (thread.method != model::CaptureMethod::none) send_thread(thread);
      capture_.threads.push_back(std::move(thread));
    }
  }

  /// A thread that was stopped before anything else was known of it.
  void add_evidence(ThreadCapture& thread) {
    auto evidence = read_thread_evidence(proc_, pid_, thread.tid, &clock_);
    if (!evidence) return;
    evidence->method = thread.method;
    evidence->registers = thread.registers;
    evidence->fs_base = thread.fs_base;
    evidence->clocks_after_stop = thread.clocks_after_stop;
    evidence->memory = std::move(thread.memory);
    evidence->stack_limit = thread.stack_limit;
    evidence->stopped_us = thread.stopped_us;
    evidence->problems.insert(evidence->problems.end(), thread.problems.begin(), thread.problems.end());
    thread = std::move(*evidence);
  }

  /// Threads that an earlier child read: this child's inspector reads their windows again, from the record.
  void replay_earlier() {
    if (plan_.earlier == nullptr) return;
    for (const auto& [tid, thread] : *plan_.earlier) {
      if (thread.method == model::CaptureMethod::none || !plan_.finished.contains(tid)) continue;
      capture_.threads.push_back(thread);
      auto memory = model::SegmentReader::of_thread(capture_, capture_.threads.back());
      inspector_->read_thread(capture_.threads.back(), memory);
    }
  }

  void finish() {
    if (inspector_ && !skips(Stage::finish)) {
      send_stage(Stage::finish);
      std::erase_if(capture_.threads, [&](const ThreadCapture& thread) { return ended_.contains(thread.tid); });
      replay_earlier();
      recording_->renew();
      inspector_->finish(capture_, *recording_);
    }
    if (const auto problem = watch_->changed()) note(problem->code, problem->message, problem->fix);
    ProcessCapture rest;
    rest.pid = pid_;
    rest.stopped_us = capture_.stopped_us;
    rest.problems = std::move(problems_);
    if (recording_) rest.memory = recording_->process_memory();
    if (code_outside_mappings() && parse_mappings()) {
      rest.mappings = capture_.mappings;
      memory_->update_mappings(capture_.mappings, file_systems_);
      rest.files = mapped_files();
    }
    send_capture(MessageKind::rest, rest);
    send({MessageKind::done, Stage::finish, 0, {}});
  }

  /// A thread stands in a library that was loaded after maps was read.
  bool code_outside_mappings() {
    if (!memory_) return false;
    return std::ranges::any_of(capture_.threads, [&](const ThreadCapture& thread) {
      const auto rip = thread.registers.get(model::Register::rip);
      return rip && !memory_->mapping_of(*rip) && std::ranges::none_of(capture_.mappings, [&](const auto& mapping) {
               return mapping.start <= *rip && *rip < mapping.end;
             });
    });
  }

  const ReadPlan& plan_;
  const InspectorFactory& make_inspector_;
  int pipe_;
  std::int32_t pid_;
  ProcFiles proc_;
  RunQueueClock clock_{proc_};
  Access access_;
  ProcessCapture capture_;
  std::vector<model::Problem> problems_;  ///< for the last message: the others went with the header
  std::set<std::int32_t> known_;
  std::set<std::int32_t> ended_;
  std::set<std::int32_t> not_stopped_;  ///< although a strict stop was tried
  std::optional<ProgramWatch> watch_;
  FileSystems file_systems_;
  std::optional<LiveMemory> memory_;
  std::optional<RecordingMemory> recording_;
  std::unique_ptr<model::Inspector> inspector_;
  std::optional<ThreadWindow> window_;
};

}  // namespace

void read_target(const ReadPlan& plan, const InspectorFactory& make_inspector, int pipe) {
  TargetReader(plan, make_inspector, pipe).run();
}

}  // namespace hangstack::sampler
