#include "classifiers/normalize/frames.h"

#include <algorithm>
#include <unordered_set>

#include "model/file_path.h"

namespace hangstack::classifiers {
namespace {

using model::Frame;
using model::FrameKind;

bool starts_with_any(std::string_view text, std::initializer_list<std::string_view> prefixes) {
  return std::any_of(prefixes.begin(), prefixes.end(), [&](auto prefix) { return text.starts_with(prefix); });
}

}  // namespace

bool is_python_module(std::string_view module_path) {
  const auto base = model::base_name(module_path);
  return base.starts_with("libpython") || base.starts_with("python");
}

bool ThreadView::has_python() const {
  return std::any_of(thread->frames.begin(), thread->frames.end(),
                     [](const Frame& frame) { return frame.kind == FrameKind::python; });
}

bool ThreadView::has_user_code() const { return call_site && origin_of(frame(*call_site).file) == Origin::user; }

ThreadView view_of(const model::Thread& thread, NameTable& names) {
  ThreadView view;
  view.thread = &thread;
  view.names.reserve(thread.frames.size());
  std::optional<std::size_t> package_frame;
  for (std::size_t i = 0; i < thread.frames.size(); ++i) {
    const Frame& frame = thread.frames[i];
    if (frame.kind != FrameKind::python) {
      view.names.emplace_back(names.canonical(frame.function));
      continue;
    }
    view.names.emplace_back(frame.function);
    // A frame whose code object could not be read names no place.
    if (view.call_site || frame.function.empty() || frame.file.empty()) continue;
    const Origin origin = origin_of(frame.file);
    if (origin == Origin::user) view.call_site = i;
    if (origin == Origin::package && !package_frame) package_frame = i;
  }
  if (!view.call_site) view.call_site = package_frame;
  view.inner_end = view.call_site.value_or(thread.frames.size());
  return view;
}

bool is_wait_plumbing(std::string_view name, std::string_view module) {
  static const std::unordered_set<std::string_view> kWaits = {"poll",
                                                              "ppoll",
                                                              "select",
                                                              "pselect",
                                                              "pselect64",
                                                              "epoll_wait",
                                                              "epoll_pwait",
                                                              "epoll_pwait2",
                                                              "read",
                                                              "pread64",
                                                              "readv",
                                                              "recv",
                                                              "recvfrom",
                                                              "recvmsg",
                                                              "write",
                                                              "send",
                                                              "sendmsg",
                                                              "accept",
                                                              "accept4",
                                                              "connect",
                                                              "nanosleep",
                                                              "clock_nanosleep",
                                                              "usleep",
                                                              "sleep",
                                                              "futex_wait",
                                                              "syscall",
                                                              "lll_lock_wait",
                                                              "pthread_mutex_lock",
                                                              "pthread_mutex_timedlock",
                                                              "pthread_cond_wait",
                                                              "pthread_cond_timedwait",
                                                              "pthread_rwlock_wrlock",
                                                              "pthread_rwlock_rdlock",
                                                              "pthread_join",
                                                              "sem_wait",
                                                              "sem_timedwait",
                                                              "sched_yield",
                                                              "wait4",
                                                              "waitpid",
                                                              "waitid",
                                                              "flock",
                                                              "fcntl",
                                                              "fcntl64",
                                                              "ioctl",
                                                              "clock_gettime",
                                                              "gettimeofday",
                                                              "sigwait",
                                                              "sigtimedwait",
                                                              "pause",
                                                              "getdents64",
                                                              "fsync"};
  if (kWaits.contains(name)) return true;
  if (starts_with_any(name, {"__syscall_cancel",
                             "__internal_syscall_cancel",
                             "std::condition_variable",
                             "std::mutex",
                             "std::this_thread::sleep",
                             "std::__atomic_futex",
                             "std::future",
                             "std::__basic_future",
                             "std::thread::join",
                             "std::_V2::condition_variable",
                             "std::unique_lock",
                             "std::lock_guard",
                             "std::scoped_lock",
                             "std::shared_lock",
                             "std::shared_mutex",
                             "std::__shared_mutex",
                             "std::recursive_mutex",
                             "std::timed_mutex",
                             "__gthread_",
                             "___pthread",
                             "__pthread"}))
    return true;
  return name.empty() && model::is_c_library(module);
}

bool is_start_plumbing(std::string_view name, std::string_view module) {
  static const std::unordered_set<std::string_view> kStarts = {"_start",
                                                               "__libc_start_main",
                                                               "__libc_start_main_impl",
                                                               "__libc_start_call_main",
                                                               "start_thread",
                                                               "clone",
                                                               "__clone",
                                                               "clone3",
                                                               "__clone3",
                                                               "__restore_rt",
                                                               "execute_native_thread_routine"};
  if (kStarts.contains(name)) return true;
  if (name == "main") return is_python_module(module);
  return name.empty() && model::base_name(module).starts_with("libstdc++");
}

bool is_interpreter_plumbing(std::string_view name, std::string_view module) {
  if (is_python_module(module)) return true;
  if (starts_with_any(name, {"pybind11::",
                             "torch::detail::wrap_pybind_function",
                             "c10::Dispatcher::",
                             "c10::impl::",
                             "c10::OperatorHandle::",
                             "c10::BoxedKernel",
                             "c10::KernelFunction",
                             "_PyEval",
                             "PyEval_",
                             "_PyObject",
                             "PyObject_",
                             "_PyFunction",
                             "Py_RunMain",
                             "Py_BytesMain",
                             "_PyRun",
                             "run_eval_code_obj",
                             "run_mod",
                             "pymain_",
                             "cfunction_",
                             "method_vectorcall",
                             "thread_run",
                             "pythread_wrapper"}))
    return true;
  return name.empty() && model::base_name(module).starts_with("libtorch_python");
}

bool is_service_module(std::string_view module) {
  return model::is_system_library(module) ||
         starts_with_any(model::base_name(module),
                         {"libtorch", "libc10", "libgloo", "libnccl", "libmpi", "libopen-", "libcuda"});
}

std::optional<std::size_t> waiting_owner(const ThreadView& view) {
  for (std::size_t i = 0; i < view.names.size(); ++i) {
    if (view.is_python(i) || !is_wait_plumbing(view.names[i], view.frame(i).module)) return i;
  }
  return std::nullopt;
}

}  // namespace hangstack::classifiers
