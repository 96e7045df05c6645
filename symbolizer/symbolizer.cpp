#include "symbolizer/symbolizer.h"

#include <array>

#include "model/segment_reader.h"
#include "symbolizer/inspector.h"
#include "symbolizer/locks/mutex_owner.h"
#include "symbolizer/merge/merge.h"
#include "symbolizer/named_stack.h"
#include "symbolizer/native/facts_json.h"
#include "symbolizer/native/module_cache.h"
#include "symbolizer/native/process_modules.h"
#include "symbolizer/python/python.h"
#include "symbolizer/records/communicators.h"
#include "symbolizer/records/recorders.h"
#include "symbolizer/system_calls.h"
#include "symbolizer/unwind/unwinder.h"
#include "symbolizer/utf8.h"

namespace hangstack::symbolizer {

namespace {

model::ProcessSnapshot process_without_threads(const model::ProcessCapture& c) {
  model::ProcessSnapshot s;
  s.host = c.host;
  s.pid = c.pid;
  s.ns_pid = c.ns_pid;
  s.parent_pid = c.parent_pid;
  s.start_time_ticks = c.start_time_ticks;
  s.captured_at_unix_ns = c.captured_at_unix_ns;
  s.exe = c.exe;
  s.command_line = c.command_line;
  s.environment = c.environment;
  s.identity = c.identity;
  s.descendants = c.descendants;
  s.kernel_state = c.kernel_state;
  s.tracer_pid = c.tracer_pid;
  s.tracer_name = c.tracer_name;
  s.stopped_us = c.stopped_us;
  s.problems = c.problems;
  return s;
}

model::Thread thread_without_frames(const model::ThreadCapture& c) {
  model::Thread t;
  t.tid = c.tid;
  t.ns_tid = c.ns_tid;
  t.name = valid_utf8(c.name);
  t.kernel_state = c.kernel_state;
  t.wchan = c.wchan;
  t.syscall = c.syscall;
  if (c.syscall) t.syscall_name = system_call_name(c.syscall->number);
  t.clocks = c.clocks;
  t.clocks_after_stop = c.clocks_after_stop;
  t.signals = c.signals;
  t.method = c.method;
  t.stopped_us = c.stopped_us;
  t.problems = c.problems;
  return t;
}

UnwoundStack unwind_thread(const model::ThreadCapture& thread, Unwinder& unwinder, ProcessModules& modules,
                           model::ServedBytes* served) {
  if (thread.kernel_worker) return {{}, 0, 0, "a worker of the kernel: it has no stack in user space", false, {}};
  if (thread.method == model::CaptureMethod::none) {
    const std::string why = thread.problems.empty() ? "its registers were not read" : thread.problems.front().message;
    return {{}, 0, 0, why, false, model::StackNeed::nothing};
  }
  // Stacks only: the process's own segments are Python's objects.
  const std::array<std::span<const model::MemorySegment>, 1> layers{thread.memory};
  model::SegmentReader memory(layers, served);
  return unwinder.unwind(thread, modules, memory);
}

void fill_stack(model::Thread& thread, const UnwoundStack& stack, const std::vector<NamedFrame>& named) {
  thread.end = stack.end;
  thread.complete = stack.complete;
  thread.need = stack.need;
  if (!named.empty() && !stack.complete) {
    const model::Frame& last = named.back().levels.back();
    if (is_outermost_function(last.function)) {
      thread.end = "complete";
      thread.complete = true;
      thread.need = model::StackNeed::nothing;
    }
  }
  for (const NamedFrame& frame : named) {
    thread.frames.insert(thread.frames.end(), frame.levels.begin(), frame.levels.end());
  }
}

void add_python(model::Thread& thread, const std::vector<NamedFrame>& named, const EvalFunctions& evals,
                const PythonProcess& python) {
  const auto found = python.threads.find(thread.tid);
  if (found == python.threads.end()) return;
  thread.frames = merge(named, thread.complete, evals, found->second);
  thread.python_name = found->second.name;
  thread.gil = found->second.gil;
  if (thread.gil == model::GilState::none && is_taking_gil(named)) thread.gil = model::GilState::waits;
}

}  // namespace

struct Symbolizer::State {
  explicit State(const SymbolizerOptions& o) : options(o), namer(o.lines) {}

  SymbolizerOptions options;
  ModuleCache modules;
  std::unique_ptr<Unwinder> unwinder = make_unwinder();
  StackNamer namer;
};

Symbolizer::Symbolizer(SymbolizerOptions options) : state_(std::make_unique<State>(options)) {}
Symbolizer::~Symbolizer() = default;

model::ProcessSnapshot Symbolizer::symbolize(const model::ProcessCapture& capture) {
  model::ProcessSnapshot snapshot = process_without_threads(capture);
  model::SegmentReader process_memory = model::SegmentReader::of_process(capture, state_->options.served);
  ProcessModules modules(capture, state_->modules, process_memory);
  std::vector<UnwoundStack> stacks;
  for (const model::ThreadCapture& thread : capture.threads) {
    stacks.push_back(state_->options.native ? unwind_thread(thread, *state_->unwinder, modules, state_->options.served)
                                            : UnwoundStack{});
  }
  StackNamer::resolve(stacks, modules);
  const PythonProcess python =
      state_->options.python ? read_python(capture, modules, state_->options.served) : PythonProcess{};
  const EvalFunctions evals(python.eval_functions, modules);
  snapshot.pythons = python.interpreters;
  snapshot.problems.insert(snapshot.problems.end(), python.problems.begin(), python.problems.end());
  for (std::size_t i = 0; i < stacks.size(); ++i) {
    model::Thread thread = thread_without_frames(capture.threads[i]);
    const std::vector<NamedFrame> named = state_->namer.name(stacks[i], modules);
    fill_stack(thread, stacks[i], named);
    add_python(thread, named, evals, python);
    if (state_->options.native) thread.lock_holder_tid = lock_holder_of(capture.threads[i], capture, process_memory);
    snapshot.threads.push_back(std::move(thread));
  }
  if (state_->options.records) {
    snapshot.flight_recorders = read_recorders(capture, modules, process_memory);
    snapshot.nccl_libraries = read_communicators(find_nccl_places(modules), process_memory);
  }
  return snapshot;
}

std::unique_ptr<model::Inspector> Symbolizer::make_inspector(bool records) {
  SymbolizerOptions options = state_->options;
  options.records = options.records && records;
  return symbolizer::make_inspector(options, state_->modules);
}

std::string Symbolizer::facts_json() const { return encode_facts(state_->modules); }

model::Expected<void> Symbolizer::load_facts(const std::string& json) { return decode_facts(json, state_->modules); }

}  // namespace hangstack::symbolizer
