#include "report/exports/stack_labels.h"

#include <fmt/core.h>

#include "model/file_path.h"
#include "report/printable.h"
#include "report/words/frame_names.h"
#include "report/words/threads.h"

namespace hangstack::report {

std::string process_label(const model::ProcessSnapshot& process, const ProcessIndex& index, bool several_jobs) {
  std::string label;
  std::string about;
  if (process.identity.rank && process.identity.role == model::Role::rank) {
    label = fmt::format("rank {}", *process.identity.rank);
    const model::Job* job = several_jobs ? index.job_of(process) : nullptr;
    if (job != nullptr) about = job->job;
  } else {
    label = process.dump.empty() ? fmt::format("process {}", process.pid) : "process of " + process.dump;
    if (process.identity.role != model::Role::other) about = model::role_name(process.identity.role);
  }
  return printable(about.empty() ? label : fmt::format("{} ({})", label, about));
}

std::string thread_label(const model::Thread& thread) {
  if (!thread.role.empty()) return printable(thread.role);
  return thread.name.empty() ? "thread" : printable(thread.name);
}

std::string stack_label(const model::Frame& frame) {
  std::string name = frame_name(frame);
  if (frame.kind == model::FrameKind::python && !frame.file.empty()) {
    const std::string file = printable(short_path(frame.file));
    return frame.line > 0 ? fmt::format("{} ({}:{})", name, file, frame.line) : fmt::format("{} ({})", name, file);
  }
  if (frame.function.empty() && !frame.module.empty()) return printable(model::base_name(frame.module));
  return name;
}

std::vector<const model::Thread*> exported_threads(const model::ProcessSnapshot& process, const StackOptions& options) {
  std::vector<const model::Thread*> found;
  for (const auto& thread : process.threads) {
    if (!thread.frames.empty() && (options.all_threads || !thread.suppressed)) found.push_back(&thread);
  }
  return found;
}

std::vector<const model::Frame*> exported_frames(const model::Thread& thread, const StackOptions& options) {
  std::vector<const model::Frame*> whole;
  std::vector<const model::Frame*> telling;
  for (auto frame = thread.frames.rbegin(); frame != thread.frames.rend(); ++frame) {
    whole.push_back(&*frame);
    if (!is_machinery(*frame)) telling.push_back(&*frame);
  }
  return options.full || telling.empty() ? whole : telling;
}

}  // namespace hangstack::report
