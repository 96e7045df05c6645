#include "classifiers/states/thread_state.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "classifiers/states/operations.h"
#include "classifiers/states/python_waits.h"
#include "classifiers/states/wait.h"
#include "model/file_path.h"

namespace hangstack::classifiers {
namespace {

using model::GilState;
using model::Thread;

/// CUDA calls that wait on the host for work of the device, and launches that wait for room in the queue.
constexpr auto kDeviceCalls = std::to_array<std::string_view>(
    {"cudaStreamSynchronize", "cudaDeviceSynchronize", "cudaEventSynchronize", "cuStreamSynchronize",
     "cuCtxSynchronize", "cuEventSynchronize", "cudaMemcpy", "cudaMemcpyAsync", "cuMemcpyDtoHAsync_v2",
     "cudaLaunchKernel", "cudaLaunchKernelExC", "cuLaunchKernel", "cuLaunchKernelEx", "cudaStreamWaitEvent",
     "cudaEventRecord"});

/// See waits_for_device_unasked().
constexpr auto kUnasked = std::to_array<std::string_view>(
    {"cudaFree", "cuMemFree_v2", "cuMemFree", "cudaFreeHost", "cuMemFreeHost", "cuFreeHost", "cudaHostUnregister",
     "cuMemHostUnregister", "cudaMallocHost", "cudaHostAlloc", "cuMemHostAlloc", "cudaEventCreate",
     "cudaDeviceSetLimit", "cudaDeviceSetCacheConfig"});

/// PyTorch's own functions around them, which every build exports: libcuda's may be all that lies above.
constexpr auto kDeviceFunctions = std::to_array<std::string_view>(
    {"c10::cuda::memcpy_and_sync", "c10::cuda::device_synchronize", "c10::cuda::stream_synchronize",
     "at::native::_local_scalar_dense_cuda", "_local_scalar_dense_cuda"});

std::optional<std::string> device_call(const ThreadView& view) {
  for (std::size_t i = 0; i < view.inner_end; ++i) {
    const auto name = view.names[i];
    if (view.is_python(i)) continue;
    if (std::find(kDeviceFunctions.begin(), kDeviceFunctions.end(), name) != kDeviceFunctions.end())
      return std::string(last_component(name));
    if (!name.starts_with("cu")) continue;
    if (is_loading_call(name)) return std::nullopt;
    if (std::ranges::find(kDeviceCalls, name) != kDeviceCalls.end() || waits_for_device_unasked(name))
      return std::string(name);
  }
  return std::nullopt;
}

/// NCCL's sockets are not blocking: bootstrap, transports and groups turn in loops over accept, recv and poll until the
/// peer is there (NCCL 2.27 to 2.30, src/misc/socket.cc, src/bootstrap.cc, src/group.cc).
bool is_in_nccl(const ThreadView& view) {
  for (std::size_t i = 0; i < view.inner_end; ++i) {
    if (view.is_python(i)) continue;
    const auto name = view.names[i];
    if (name.starts_with("ncclCommInit") || name.starts_with("ncclGroupEnd") || name.starts_with("ncclTransport") ||
        name.starts_with("ncclSocket") || name.starts_with("bootstrap") || name == "ncclCommSplit" ||
        name == "ncclCommFinalize" || name == "ncclCommAbort" || name == "ncclCommDestroy")
      return true;
  }
  return false;
}

/// The GIL is what the thread waits for if the interpreter's own function is the first that is no plumbing.
bool waits_for_gil(const ThreadView& view) {
  if (view.thread->gil == GilState::waits) return true;
  const auto owner = waiting_owner(view);
  if (!owner || view.is_python(*owner)) return false;
  const auto name = view.names[*owner];
  return name == "take_gil" || name == "PyEval_RestoreThread" || name == "PyEval_AcquireThread" ||
         name == "PyGILState_Ensure";
}

/// The library that waits, unless it is the call site that stands beside it anyway.
std::string owner_text(const ThreadView& view) {
  if (!view.has_python()) return {};
  for (std::size_t i = 0; i < view.names.size(); ++i) {
    if (view.is_python(i)) break;
    const auto name = view.names[i];
    const auto& module = view.frame(i).module;
    if (is_wait_plumbing(name, module) || is_start_plumbing(name, module)) continue;
    if (!name.empty()) return std::string(name);
    if (!module.empty()) return std::string(model::base_name(module));
  }
  return {};
}

/// The interpreter itself waits: the innermost frame beyond the wait belongs to CPython, or there are only Python
/// frames.
bool python_waits(const ThreadView& view) {
  const auto owner = waiting_owner(view);
  return owner && (view.is_python(*owner) || is_python_module(view.frame(*owner).module));
}

std::string titled(std::string_view call, const std::string& owner) {
  return owner.empty() ? std::string(call) : fmt::format("{} in {}", call, owner);
}

std::string transfer_title(const Wait& wait) {
  return wait.fd ? fmt::format("{} (fd {})", wait.call, *wait.fd) : wait.call;
}

void set(ThreadState& state, StateKind kind, std::string title) {
  state.kind = kind;
  state.title = std::move(title);
}

void from_wait(const ThreadView& view, const Wait& wait, ThreadState& state) {
  const bool python = python_waits(view);
  const std::string owner = python ? std::string() : owner_text(view);
  const std::string& call = wait.function.empty() ? wait.call : wait.function;
  switch (wait.kind) {
    case WaitKind::semaphore:
    case WaitKind::futex_lock: return set(state, StateKind::lock, python ? "a Python lock" : titled(call, owner));
    case WaitKind::futex_condition:
    case WaitKind::futex:
      if (python) return set(state, StateKind::lock, "a Python lock or condition");
      return set(state, StateKind::condition, titled(call, owner));
    case WaitKind::sleep: return set(state, StateKind::sleep, python ? "time.sleep" : titled(call, owner));
    case WaitKind::child: return set(state, StateKind::subprocess, call);
    case WaitKind::thread_join: return set(state, StateKind::join, titled(call, owner));
    case WaitKind::file_lock: return set(state, StateKind::lock, transfer_title(wait));
    case WaitKind::transfer:
    case WaitKind::connect: return set(state, StateKind::io, transfer_title(wait));
    case WaitKind::poll: return set(state, StateKind::io, python ? transfer_title(wait) : titled(call, owner));
    case WaitKind::yield: return set(state, StateKind::running, titled("sched_yield", owner));
    case WaitKind::other: return set(state, StateKind::system_call, wait.call);
    case WaitKind::none: return;
  }
}

void from_running(const ThreadView& view, ThreadState& state) {
  for (std::size_t i = 0; i < view.names.size(); ++i) {
    if (!view.is_python(i) || view.names[i].empty()) continue;
    return set(state, StateKind::running, std::string(last_component(view.names[i])));
  }
  set(state, StateKind::running, state.site ? state.site->function : "");
}

/// A Python frame without a file, as some tools and people write them: "cuda.synchronize", "item".
bool names_synchronize(const ThreadView& view) {
  for (std::size_t i = 0; i < view.inner_end; ++i) {
    if (!view.is_python(i) || !view.frame(i).file.empty()) continue;
    const auto name = last_component(view.names[i]);
    if (name == "synchronize" || name == "item" || name == "item()" || name == "tolist") return true;
  }
  return false;
}

bool python_alone(const ThreadView& view) {
  for (std::size_t i = 0; i < view.names.size(); ++i)
    if (!view.is_python(i)) return false;
  return true;
}

bool is_exiting(const ThreadView& view) {
  return std::any_of(view.names.begin(), view.names.end(), [](std::string_view name) {
    return name == "Py_FinalizeEx" || name == "Py_Finalize" || name == "Py_Exit" || name == "exit" ||
           name == "__run_exit_handlers" || name == "wait_for_thread_shutdown";
  });
}

/// What the stack says, whatever the kernel's letter.
void from_stack(const ThreadView& view, const Wait& wait, ThreadState& state) {
  // A tool that shows all Python frames of a thread, and saw none: the script is over, or has not begun.
  if (view.names.size() == 1 && view.frame(0).kind == model::FrameKind::marker &&
      view.frame(0).function == model::kNoPythonCode)
    return set(state, StateKind::exiting, "no Python code");
  if (waits_for_gil(view)) {
    state.wakes_by_itself = true;  // take_gil looks again every switch interval (5 ms)
    return set(state, StateKind::gil, "the GIL");
  }
  const auto device = device_call(view);
  if (auto operation = operation_of(view)) {
    state.operation = operation->name;
    state.detail = operation->detail;
    if (state.detail.empty() && device) state.detail = *device;
    state.polls = operation->kind == StateKind::teardown || is_in_nccl(view);
    state.wakes_by_itself = state.wakes_by_itself || state.polls || device.has_value();
    std::string title = operation->name;
    if (operation->kind == StateKind::store && title.empty()) {
      title = "the c10d store";
      state.detail.clear();
    }
    if (title.empty()) title = "pending work";
    return set(state, operation->kind, std::move(title));
  }
  const auto python = python_wait_of(view);
  if (device) {
    state.wakes_by_itself = true;  // libcuda spins, or naps in short intervals
    return set(state, StateKind::device, *device);
  }
  if (names_synchronize(view)) {
    state.wakes_by_itself = true;
    return set(state, StateKind::device, "synchronize");
  }
  if (is_exiting(view)) return set(state, StateKind::exiting, "interpreter exit");
  if (python &&
      (wait.kind != WaitKind::none || python->kind == StateKind::compile || python->kind == StateKind::import ||
       python->kind == StateKind::io || python->kind == StateKind::dataloader)) {
    return set(state, python->kind, python->title);
  }
  if (wait.kind != WaitKind::none) return from_wait(view, wait, state);
  // Only a letter and Python frames: a waiting thread is in whatever its library frames name.
  if (view.thread->kernel_state != 'R' && python) return set(state, python->kind, python->title);
  const bool named = std::ranges::any_of(view.names, [](std::string_view name) { return !name.empty(); });
  // A single frame without a name is where an unwinder was lost; a longer stack of them is a stripped program.
  if (!named && (view.thread->kernel_state != 'R' || view.names.size() == 1)) return;
  from_running(view, state);
  // A tool that calls it idle, and shows nothing above Python.
  if (view.thread->kernel_state == 'S' && python_alone(view)) state.kind = StateKind::system_call;
}

}  // namespace

bool waits_for_device_unasked(std::string_view name) { return std::ranges::find(kUnasked, name) != kUnasked.end(); }

bool is_loading_call(std::string_view name) {
  return name.starts_with("cuLibraryLoad") || name.starts_with("cuModuleLoad") || name == "cuLibraryGetModule" ||
         name == "cuKernelGetFunction";
}

std::optional<CallSite> call_site_of(const ThreadView& view) {
  if (view.call_site) {
    const auto& frame = view.frame(*view.call_site);
    return CallSite{std::string(last_component(frame.function)), frame.file, frame.line};
  }
  for (std::size_t i = 0; i < view.names.size(); ++i) {
    if (!view.is_python(i) || view.names[i].empty()) continue;
    return CallSite{std::string(last_component(view.names[i])), view.frame(i).file, view.frame(i).line};
  }
  std::optional<CallSite> service;
  for (std::size_t i = 0; i < view.names.size(); ++i) {
    const auto& frame = view.frame(i);
    const auto name = view.names[i];
    if (name.empty() || is_wait_plumbing(name, frame.module) || is_start_plumbing(name, frame.module) ||
        is_interpreter_plumbing(name, frame.module)) {
      continue;
    }
    CallSite site{std::string(name), frame.file, frame.line};
    if (!is_service_module(frame.module)) return site;
    if (!service) service = std::move(site);
  }
  return service;
}

std::optional<CallSite> caller_of(const ThreadView& view) {
  if (!view.call_site) return std::nullopt;
  for (std::size_t i = *view.call_site + 1; i < view.names.size(); ++i) {
    const auto& frame = view.frame(i);
    if (!view.is_python(i) || frame.function.empty() || origin_of(frame.file) != Origin::user) continue;
    return CallSite{std::string(last_component(frame.function)), frame.file, frame.line};
  }
  return std::nullopt;
}

ThreadState state_of(const ThreadView& view) {
  const Thread& thread = *view.thread;
  const Wait wait = wait_of(view);
  ThreadState state;
  state.site = call_site_of(view);
  state.caller = caller_of(view);
  state.wakes_by_itself = wait.timed;
  from_stack(view, wait, state);
  state.beneath = state.kind;
  switch (thread.kernel_state) {
    case 'T': state.kind = StateKind::stopped; break;
    case 't': state.kind = StateKind::traced; break;
    case 'Z':
    case 'X': state.kind = StateKind::dead; break;
    case 'D':
      if (wait.call == "vfork" || wait.call == "clone") break;  // a parent that waits for vfork's child
      state.kind = StateKind::uninterruptible;
      if (!thread.wchan.empty() && thread.wchan != "0") state.detail = thread.wchan;
      break;
    default: break;
  }
  return state;
}

}  // namespace hangstack::classifiers
