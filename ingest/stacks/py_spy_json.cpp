#include <algorithm>
#include <utility>

#include "ingest/document/json.h"
#include "ingest/stacks/frame_line.h"
#include "ingest/stacks/stack_dump.h"
#include "ingest/text.h"

namespace hangstack::ingest {
namespace {

using model::ErrorCode;
using model::Expected;
using model::failure;
using model::Frame;
using model::FrameKind;

std::string text_in(const Value& value, std::string_view key) {
  const auto found = value.find(key);
  const auto text = found ? found->text() : std::nullopt;
  return text ? printable_name(*text) : std::string();
}

std::int32_t id_in(const Value& value, std::string_view key) {
  const auto found = value.find(key);
  const auto number = found ? found->integer() : std::nullopt;
  return number && *number > 0 && *number <= 0x7fffffff ? static_cast<std::int32_t>(*number) : 0;
}

bool is_true(const Value& value, std::string_view key) {
  const auto found = value.find(key);
  return found && found->boolean() == true;
}

/// A native frame has the file of its library for a module, a Python one none.
Frame frame_in(const Value& value) {
  Frame frame;
  frame.function = text_in(value, "name");
  frame.module = text_in(value, "module");
  frame.line = id_in(value, "line");
  frame.file = text_in(value, "filename");
  if (frame.module.empty() && (frame.file.ends_with(".py") || frame.file.starts_with('<'))) {
    frame.kind = FrameKind::python;
    frame.trust = model::FrameTrust::interpreter;
    frame.file = full_python_name(frame.file);
  } else if (frame.module.empty()) {
    frame.module = std::exchange(frame.file, {});
  }
  return frame;
}

model::Thread thread_in(const Value& value, std::int32_t pid) {
  model::Thread thread;
  thread.python_name = text_in(value, "thread_name");
  thread.tid = id_in(value, "os_thread_id");
  if (thread.tid == 0 && thread.python_name == "MainThread") thread.tid = pid;
  thread.kernel_state = is_true(value, "active") ? 'R' : 'S';
  if (is_true(value, "owns_gil")) thread.gil = model::GilState::holds;
  const auto frames = value.find("frames");
  const std::size_t count = frames ? std::min(frames->size(), kMostFramesOfThread) : 0;
  for (std::size_t i = 0; frames && frames->kind() == ValueKind::list && i < count; ++i)
    thread.frames.push_back(frame_in(frames->element(i)));
  thread.end = "as the dump has it";
  return thread;
}

}  // namespace

Expected<std::vector<StackDump>> read_py_spy_json(std::string_view bytes) {
  auto document = read_json(bytes);
  if (!document) return tl::make_unexpected(document.error());
  const Value root = document->root();
  const auto not_it = [] {
    return failure(ErrorCode::malformed_input, "a JSON list, but not of py-spy's threads",
                   "give what \"py-spy dump --json\" printed");
  };
  if (root.kind() != ValueKind::list || root.size() == 0 || root.size() > kMostStackThreads) return not_it();
  std::vector<StackDump> dumps;
  std::size_t frames = 0;
  for (std::size_t i = 0; i < root.size(); ++i) {
    const Value entry = root.element(i);
    if (entry.kind() != ValueKind::dictionary || !entry.find("thread_id") || !entry.find("frames")) return not_it();
    const std::int32_t pid = id_in(entry, "pid");
    if (dumps.empty() || dumps.back().pid != pid) {
      StackDump& dump = dumps.emplace_back();
      dump.tool = "py-spy --json";
      dump.pid = pid;
      if (const auto info = entry.find("process_info")) {
        if (auto command = text_in(*info, "command_line"); !command.empty()) dump.command_line = {std::move(command)};
      }
    }
    auto thread = thread_in(entry, pid);
    frames += thread.frames.size();
    if (frames > kMostStackFrames)
      return failure(ErrorCode::malformed_input, "more frames than a dump may have", "give fewer dumps at once");
    auto& threads = dumps.back().threads;
    thread.ns_tid = thread.tid;
    if (thread.tid == 0) thread.tid = static_cast<std::int32_t>(0x7fffffff - threads.size());
    dumps.back().pid_told = pid != 0;
    threads.push_back(std::move(thread));
  }
  return dumps;
}

}  // namespace hangstack::ingest
