#include "ingest/stacks/join.h"

#include <algorithm>
#include <map>
#include <optional>
#include <unordered_map>

namespace hangstack::ingest {
namespace {

using model::Frame;
using model::FrameKind;
using model::ProcessSnapshot;
using model::Thread;

bool has(const Thread& thread, FrameKind kind) {
  return std::ranges::any_of(thread.frames, [&](const Frame& frame) { return frame.kind == kind; });
}

bool is_empty(const Thread& thread) {
  return std::ranges::all_of(thread.frames, [](const Frame& frame) { return frame.kind == FrameKind::marker; });
}

void join_thread(Thread& thread, Thread&& other) {
  if (thread.name.empty()) thread.name = std::move(other.name);
  if (thread.python_name.empty()) thread.python_name = std::move(other.python_name);
  if (thread.kernel_state == '?') thread.kernel_state = other.kernel_state;
  if (thread.gil == model::GilState::none) thread.gil = other.gil;
  if (is_empty(thread) || is_empty(other)) {
    if (is_empty(thread)) thread.frames = std::move(other.frames);
    return;
  }
  const bool python = has(thread, FrameKind::python);
  const bool other_python = has(other, FrameKind::python);
  if (python == other_python) {
    const bool native = has(thread, FrameKind::native);
    if (native == has(other, FrameKind::native) ? other.frames.size() > thread.frames.size() : !native)
      thread.frames = std::move(other.frames);
    return;
  }
  const auto& with = python ? thread : other;
  const auto& without = python ? other : thread;
  if (has(with, FrameKind::native))
    thread.frames = std::vector(with.frames);
  else
    thread.frames = native_above_python(without.frames, with.frames);
}

const std::string& name_of(const Thread& thread) {
  return thread.python_name.empty() ? thread.name : thread.python_name;
}

/// Of the threads that a process has: by the kernel's number, where a tool told it, and by name.
struct Known {
  std::unordered_map<std::int32_t, std::size_t> by_number;
  std::unordered_map<std::string, std::size_t> by_name;

  explicit Known(const std::vector<Thread>& threads) {
    for (std::size_t i = 0; i < threads.size(); ++i) {
      if (threads[i].ns_tid != 0) by_number.emplace(threads[i].ns_tid, i);
      if (!name_of(threads[i]).empty()) by_name.emplace(name_of(threads[i]), i);
    }
  }

  [[nodiscard]] std::optional<std::size_t> find(const Thread& thread) const {
    if (const auto found = by_number.find(thread.ns_tid); thread.ns_tid != 0 && found != by_number.end())
      return found->second;
    const auto found = by_name.find(name_of(thread));
    return found == by_name.end() ? std::nullopt : std::optional(found->second);
  }
};

void join_process(ProcessSnapshot& process, const StackFile& file, StackDump&& dump) {
  if (process.dump.empty()) {
    process.dump = file.name;
  } else if (!process.dump.ends_with(file.name)) {
    process.dump += " + " + file.name;
  }
  if (process.command_line.empty()) process.command_line = std::move(dump.command_line);
  if (process.pythons.empty() && !dump.python_version.empty())
    process.pythons.push_back({std::move(dump.python_version), {}, 0, 0});
  if (process.pid == 0) process.pid = dump.pid;
  const Known known(process.threads);
  const std::size_t before = process.threads.size();
  for (Thread& thread : dump.threads) {
    std::optional<std::size_t> same;
    if (thread.tid == dump.pid) {
      thread.tid = process.pid;
      const auto main = std::ranges::find(process.threads, process.pid, &Thread::tid);
      const auto at = static_cast<std::size_t>(main - process.threads.begin());
      if (at < before) same = at;
    } else {
      same = known.find(thread);
    }
    if (same)
      join_thread(process.threads[*same], std::move(thread));
    else
      process.threads.push_back(std::move(thread));
  }
}

}  // namespace

std::vector<Frame> native_above_python(const std::vector<Frame>& native, const std::vector<Frame>& python) {
  std::vector<Frame> frames;
  for (const Frame& frame : native) {
    if (frame.function.starts_with("_PyEval_EvalFrame") || frame.function.starts_with("PyEval_EvalFrame")) break;
    frames.push_back(frame);
  }
  frames.insert(frames.end(), python.begin(), python.end());
  return frames;
}

std::vector<ProcessSnapshot> join_stacks(std::vector<StackFile>&& files) {
  std::map<std::string_view, std::vector<StackFile*>> by_tool;
  for (StackFile& file : files) by_tool[file.dump.tool].push_back(&file);
  std::size_t count = files.size();
  for (const auto& [tool, dumps] : by_tool) count = std::min(count, dumps.size());
  std::vector<ProcessSnapshot> samples(count);
  for (auto& [tool, dumps] : by_tool) {
    for (std::size_t i = 0; i < count; ++i) {
      StackFile& file = *dumps[dumps.size() - count + i];
      join_process(samples[i], file, std::move(file.dump));
    }
  }
  for (ProcessSnapshot& sample : samples) sample.ns_pid = sample.pid;
  return samples;
}

}  // namespace hangstack::ingest
