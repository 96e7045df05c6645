#include "classifiers/normalize/thread_roles.h"

#include <algorithm>
#include <array>
#include <optional>

#include "model/file_path.h"

namespace hangstack::classifiers {
namespace {

/// A helper loop: recognised by the start of its comm or by a function (matched at the end of a canonical name).
/// It is idle while only wait plumbing and the functions in `waits` stand inside the loop function.
struct Loop {
  std::string_view role;
  std::string_view comm;
  std::string_view function;
  std::array<std::string_view, 3> waits = {};
};

constexpr auto kLoops = std::to_array<Loop>({
    {"c10d store", "pt_tcpstore", "TCPStoreMasterDaemon::run", {}},
    {"c10d store", "", "TCPStoreWorkerDaemon::run", {}},
    {"c10d store", "pt_tcpstore", "LibUVStoreDaemon::run", {"uv_run", "uv__io_poll", "uv__run"}},
    {"gloo transport", "gloo_", "gloo::transport::tcp::Loop::run", {}},
    {"gloo transport", "gloo_uv", "gloo::transport::uv::libuv::Loop::run", {"uv_run", "uv__io_poll", ""}},
    {"gloo worker", "pt_gloo_runloop", "ProcessGroupGloo::runLoop", {}},
    {"autograd", "pt_autograd_", "autograd::Engine::thread_main", {"ReadyQueue::pop", "", ""}},
    {"NCCL watchdog", "pt_nccl_watchdg", "ProcessGroupNCCL::watchdogHandler", {}},
    {"NCCL watchdog", "pt_nccl_watchdg", "ProcessGroupNCCL::Watchdog::runLoop", {}},
    {"NCCL watchdog", "", "ProcessGroupNCCL::ncclCommWatchdogInternal", {}},
    {"NCCL watchdog", "", "ProcessGroupNCCL::ncclCommWatchdog", {}},
    {"NCCL watchdog", "", "ProcessGroupNCCL::timeoutWatchdog", {}},
    {"NCCL watchdog", "", "ProcessGroupNCCL::workCleanupLoop", {}},
    {"NCCL heartbeat", "pt_nccl_heartbt", "ProcessGroupNCCL::heartbeatMonitor", {}},
    {"NCCL heartbeat", "pt_nccl_heartbt", "HeartbeatMonitor::runLoop", {}},
    {"NCCL hooks", "pt_nccl_runhook", "ProcessGroupNCCL::runHookLoop", {}},
    {"NCCL proxy", "NCCL Progress", "ncclProxyProgress", {"ncclProxyGetPostedOps", "", ""}},
    {"NCCL service", "NCCL Service", "ncclProxyService", {}},
    {"NCCL service", "NCCL UDS Servic", "ncclProxyServiceUDS", {"ncclIpcSocketRecvMsg", "", ""}},
    {"NCCL RAS", "NCCL RAS", "rasThreadMain", {}},
    {"NCCL network", "NCCL Sock", "persistentSocketThread", {}},
    {"NCCL network", "NCCL IbAsync", "ncclIbAsyncThreadMain", {"ibv_get_async_event", "", ""}},
    {"OpenMP pool", "", "gomp_thread_start", {"gomp_barrier_wait_end", "gomp_team_barrier_wait_end", "do_wait"}},
    {"OpenMP pool", "", "__kmp_launch_worker", {"__kmp_launch_thread", "__kmp_fork_barrier", "__kmp_suspend_64"}},
    {"BLAS pool", "", "blas_thread_server", {}},
    {"torch pool", "pt_thread_pool", "ThreadPool::main_loop", {}},
    {"worker server", "pt_workerserver", "", {}},
    {"UCC progress", "ucc-progress", "", {}},
    {"CUDA driver", "cuda-EvtHandlr", "", {}},
    {"CUDA driver", "cuda0", "", {}},
    {"CUDA driver", "cuda1", "", {}},
    {"zmq", "ZMQbg", "zmq::epoll_t::loop", {"zmq::worker_poller_base_t::worker_routine", "", ""}},
    {"libuv pool", "", "uv__threadpool_work", {"uv_cond_wait", "worker", ""}},
    {"gRPC", "grpc_global_tim", "", {}},
    {"gRPC", "default-executo", "", {}},
    {"gRPC", "event_engine", "", {}},
});

/// Pools whose workers spin or wait inside their own library: idle while no other library is on the stack.
constexpr std::array<std::pair<std::string_view, std::string_view>, 6> kPoolLibraries = {{
    {"libgomp", "OpenMP pool"},
    {"libiomp5", "OpenMP pool"},
    {"libomp", "OpenMP pool"},
    {"libopenblas", "BLAS pool"},
    {"libcuda.so", "CUDA driver"},
    {"libcuda-", "CUDA driver"},
}};

bool is_outer(const ThreadView& view, std::size_t i) { return is_start_plumbing(view.names[i], view.frame(i).module); }

bool is_wait(const ThreadView& view, std::size_t i) { return is_wait_plumbing(view.names[i], view.frame(i).module); }

/// Every frame inside position `end` is a wait, or one of the loop's own waiting functions.
bool only_waits_inside(const ThreadView& view, std::size_t end, const Loop& loop) {
  for (std::size_t i = 0; i < end; ++i) {
    const auto name = view.names[i];
    const bool own = !name.empty() && std::any_of(loop.waits.begin(), loop.waits.end(), [&](std::string_view wait) {
      return !wait.empty() && name.ends_with(wait);
    });
    if (view.is_python(i) || (!own && !is_wait(view, i))) return false;
  }
  return end > 0;
}

std::optional<ThreadRole> helper_loop(const ThreadView& view) {
  for (const Loop& loop : kLoops) {
    if (loop.function.empty()) continue;
    for (std::size_t i = view.names.size(); i-- > 0;) {
      if (view.is_python(i) || !view.names[i].ends_with(loop.function)) continue;
      return ThreadRole{std::string(loop.role), only_waits_inside(view, i, loop)};
    }
  }
  for (const Loop& loop : kLoops) {
    if (loop.comm.empty() || !view.thread->name.starts_with(loop.comm)) continue;
    const auto owner = waiting_owner(view);
    const bool bare = !owner || is_outer(view, *owner) || view.names[*owner].empty();
    return ThreadRole{std::string(loop.role), bare && !view.names.empty() && !view.has_python()};
  }
  return std::nullopt;
}

/// All frames belong to one pool library, apart from waits and the start of the thread.
std::optional<ThreadRole> pool_worker(const ThreadView& view) {
  std::string_view role;
  for (std::size_t i = 0; i < view.names.size(); ++i) {
    if (view.is_python(i)) return std::nullopt;
    if (is_wait(view, i) || is_outer(view, i)) continue;
    const auto base = model::base_name(view.frame(i).module);
    const auto* const pool = std::find_if(kPoolLibraries.begin(), kPoolLibraries.end(),
                                          [&](const auto& library) { return base.starts_with(library.first); });
    if (pool == kPoolLibraries.end()) return std::nullopt;
    role = pool->second;
  }
  if (role.empty()) return std::nullopt;
  return ThreadRole{std::string(role), true};
}

/// A nameless loop of libtorch in poll or epoll: the store threads of builds without symbols (torch 1.13, Debian).
std::optional<ThreadRole> nameless_torch_loop(const ThreadView& view) {
  bool in_torch = false;
  bool polls = false;
  for (std::size_t i = 0; i < view.names.size(); ++i) {
    if (view.is_python(i)) return std::nullopt;
    if (is_wait(view, i)) {
      polls = polls || view.names[i] == "poll" || view.names[i].starts_with("epoll");
      continue;
    }
    if (is_outer(view, i)) continue;
    if (!view.names[i].empty() || !model::base_name(view.frame(i).module).starts_with("libtorch")) return std::nullopt;
    in_torch = true;
  }
  if (!in_torch || !polls) return std::nullopt;
  return ThreadRole{"torch socket loop", true};
}

struct PythonLoop {
  std::string_view role;
  std::string_view file;  ///< model::library_path() of a frame of the loop
  std::string_view function;
};

constexpr auto kPythonLoops = std::to_array<PythonLoop>({
    {"pin memory", "torch/utils/data/_utils/pin_memory.py", "_pin_memory_loop"},
    {"thread pool", "concurrent/futures/thread.py", "_worker"},
    {"thread pool", "multiprocessing/pool.py", ""},
    {"queue feeder", "multiprocessing/queues.py", "_feed"},
    {"executor manager", "concurrent/futures/process.py", ""},
    {"progress bar", "tqdm/_monitor.py", "run"},
    {"log listener", "logging/handlers.py", "_monitor"},
    {"server", "socketserver.py", "serve_forever"},
    {"compile pool", "torch/_inductor/compile_worker/subproc_pool.py", ""},
    {"event writer", "tensorboard/summary/writer/event_file_writer.py", "run"},
    {"event writer", "torch/utils/tensorboard/writer.py", ""},
    {"resource sharer", "multiprocessing/resource_sharer.py", ""},
    {"wandb", "wandb/sdk/", ""},
    {"usage report", "vllm/usage/usage_lib.py", ""},
});

std::optional<ThreadRole> python_helper(const ThreadView& view) {
  if (!view.has_python()) return std::nullopt;
  const bool user = view.has_user_code();
  for (std::size_t i = view.names.size(); i-- > 0;) {
    if (!view.is_python(i)) continue;
    const auto path = model::library_path(view.frame(i).file);
    for (const PythonLoop& loop : kPythonLoops) {
      if (!path.starts_with(loop.file)) continue;
      if (!loop.function.empty() && last_component(view.names[i]) != loop.function) continue;
      return ThreadRole{std::string(loop.role), !user && is_wait(view, 0)};
    }
  }
  return ThreadRole{"python", false};
}

bool is_kernel_worker(const ThreadView& view) {
  const auto& name = view.thread->name;
  return name.starts_with("iou-wrk-") || name.starts_with("iou-sqp-");
}

}  // namespace

ThreadRole role_of(const ThreadView& view, std::int32_t pid) {
  if (view.thread->tid == pid) return {"main", false};
  if (is_kernel_worker(view)) return {"kernel worker", view.thread->kernel_state != 'D'};
  auto role = helper_loop(view);
  if (!role) role = pool_worker(view);
  if (!role) role = nameless_torch_loop(view);
  if (!role) role = python_helper(view);
  if (!role) return {};
  if (view.thread->kernel_state == 'D') role->idle = false;
  return *role;
}

}  // namespace hangstack::classifiers
