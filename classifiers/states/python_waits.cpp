#include "classifiers/states/python_waits.h"

#include <algorithm>
#include <array>

#include "model/file_path.h"

namespace hangstack::classifiers {
namespace {

struct Row {
  std::string_view path;      ///< start of model::library_path()
  std::string_view function;  ///< last part of the qualified name; empty: any
  StateKind kind;
  std::string_view title;
};

constexpr auto kRows = std::to_array<Row>({
    // What merely passes through inductor or triton when compiled code runs is not listed.
    {"torch/utils/data/dataloader.py", "__next__", StateKind::dataloader, "next batch"},
    {"torch/utils/data/dataloader.py", "_next_data", StateKind::dataloader, "next batch"},
    {"torch/utils/data/dataloader.py", "_get_data", StateKind::dataloader, "next batch"},
    {"torch/utils/data/dataloader.py", "_try_get_data", StateKind::dataloader, "next batch"},
    {"torch/utils/data/dataloader.py", "_shutdown_workers", StateKind::dataloader, "shutdown of dataloader workers"},
    {"torch/utils/data/dataloader.py", "__iter__", StateKind::dataloader, "start of dataloader workers"},
    {"torch/_inductor/compile_fx.py", "", StateKind::compile, "compile (inductor)"},
    {"torch/_inductor/graph.py", "", StateKind::compile, "compile (inductor)"},
    {"torch/_inductor/scheduler.py", "", StateKind::compile, "compile (inductor)"},
    {"torch/_inductor/codecache.py", "", StateKind::compile, "compile (inductor)"},
    {"torch/_inductor/async_compile.py", "", StateKind::compile, "compile (inductor)"},
    {"torch/_inductor/select_algorithm.py", "", StateKind::compile, "autotuning (inductor)"},
    {"torch/_inductor/codegen/", "", StateKind::compile, "compile (inductor)"},
    {"torch/_dynamo/convert_frame.py", "", StateKind::compile, "compile (dynamo)"},
    {"torch/utils/cpp_extension.py", "", StateKind::compile, "build of a C++ extension"},
    {"torch/utils/file_baton.py", "wait", StateKind::lock, "a build lock (file_baton)"},
    {"triton/compiler/", "", StateKind::compile, "compile (triton)"},
    {"triton/runtime/autotuner.py", "", StateKind::compile, "autotuning (triton)"},
    {"triton/runtime/build.py", "", StateKind::compile, "compile (triton)"},
    {"triton/runtime/jit.py", "_do_compile", StateKind::compile, "compile (triton)"},
    {"filelock/", "acquire", StateKind::lock, "a file lock"},
    {"torch/serialization.py", "save", StateKind::io, "torch.save"},
    {"torch/serialization.py", "load", StateKind::io, "torch.load"},
    {"torch/distributed/checkpoint/", "", StateKind::io, "checkpoint"},
    {"torch/autograd/graph.py", "_engine_run_backward", StateKind::backward, "backward"},
    {"torch/autograd/__init__.py", "backward", StateKind::backward, "backward"},
    {"torch/cuda/__init__.py", "synchronize", StateKind::device, "torch.cuda.synchronize"},
    {"torch/cuda/streams.py", "synchronize", StateKind::device, "stream or event synchronize"},
    {"subprocess.py", "", StateKind::subprocess, "subprocess"},
    {"multiprocessing/popen_fork.py", "", StateKind::subprocess, "Process.join"},
    {"multiprocessing/popen_spawn_posix.py", "", StateKind::subprocess, "Process.start"},
    {"multiprocessing/process.py", "join", StateKind::subprocess, "Process.join"},
    {"torch/multiprocessing/spawn.py", "join", StateKind::subprocess, "spawned processes"},
    {"multiprocessing/queues.py", "get", StateKind::queue, "multiprocessing.Queue.get"},
    {"multiprocessing/queues.py", "put", StateKind::queue, "multiprocessing.Queue.put"},
    {"multiprocessing/connection.py", "", StateKind::queue, "multiprocessing connection"},
    {"multiprocessing/synchronize.py", "", StateKind::lock, "a multiprocessing lock"},
    {"multiprocessing/pool.py", "", StateKind::queue, "multiprocessing pool"},
    {"queue.py", "get", StateKind::queue, "queue.get"},
    {"queue.py", "put", StateKind::queue, "queue.put"},
    {"queue.py", "join", StateKind::queue, "queue.join"},
    {"concurrent/futures/_base.py", "result", StateKind::join, "Future.result"},
    {"concurrent/futures/_base.py", "exception", StateKind::join, "Future.exception"},
    {"concurrent/futures/_base.py", "wait", StateKind::join, "futures.wait"},
    {"concurrent/futures/_base.py", "as_completed", StateKind::join, "as_completed"},
    {"concurrent/futures/", "shutdown", StateKind::join, "Executor.shutdown"},
    {"concurrent/futures/", "__exit__", StateKind::join, "Executor.shutdown"},
    {"threading.py", "join", StateKind::join, "Thread.join"},
    {"threading.py", "_wait_for_tstate_lock", StateKind::join, "Thread.join"},
    {"threading.py", "_shutdown", StateKind::exiting, "join of threads at exit"},
    {"threading.py", "wait", StateKind::condition, "Condition.wait"},
    {"threading.py", "wait_for", StateKind::condition, "Condition.wait"},
    {"threading.py", "acquire", StateKind::lock, "a lock"},
    {"uvicorn/", "", StateKind::event_loop, kServerLoop},
    {"hypercorn/", "", StateKind::event_loop, kServerLoop},
    {"aiohttp/web.py", "", StateKind::event_loop, kServerLoop},
    {"grpc/_server.py", "", StateKind::event_loop, kServerLoop},
    {"asyncio/", "", StateKind::event_loop, "asyncio"},
    {"selectors.py", "select", StateKind::event_loop, "selectors.select"},
    {"zmq/", "", StateKind::queue, "zmq"},
    {"ssl.py", "", StateKind::io, "TLS socket"},
    {"socket.py", "", StateKind::io, "socket"},
    {"http/client.py", "", StateKind::io, "HTTP answer"},
    {"urllib/request.py", "", StateKind::io, "HTTP answer"},
    {"socketserver.py", "", StateKind::event_loop, kServerLoop},
    {"pdb.py", "", StateKind::io, "pdb prompt"},
    {"bdb.py", "", StateKind::io, "pdb prompt"},
    {"shutil.py", "", StateKind::io, "file copy"},
    {"importlib/_bootstrap", "", StateKind::import, "import"},
    {"importlib._bootstrap", "", StateKind::import, "import"},
    {"importlib/__init__.py", "", StateKind::import, "import"},
});

/// Null if the table does not know the frame.
const Row* row_of(const ThreadView& view, std::size_t i) {
  if (!view.is_python(i)) return nullptr;
  const auto path = model::library_path(view.frame(i).file);
  if (path.empty()) return nullptr;
  const auto function = last_component(view.names[i]);
  const auto* const row = std::find_if(kRows.begin(), kRows.end(), [&](const Row& candidate) {
    return path.starts_with(candidate.path) && (candidate.function.empty() || candidate.function == function);
  });
  return row == kRows.end() ? nullptr : row;
}

bool is_build_lock(const Row& row) {
  return row.kind == StateKind::lock && (row.path == "torch/utils/file_baton.py" || row.path == "filelock/");
}

}  // namespace

std::optional<PythonWait> python_wait_of(const ThreadView& view) {
  const Row* outermost = nullptr;
  for (std::size_t i = view.inner_end; i-- > 0;) {
    const Row* row = row_of(view, i);
    if (row == nullptr) continue;
    if (outermost == nullptr) outermost = row;
    if (outermost->kind != StateKind::compile) break;
    // Whoever waits for the lock of a build does not build.
    if (is_build_lock(*row)) return PythonWait{row->kind, std::string(row->title)};
  }
  if (outermost == nullptr) return std::nullopt;
  return PythonWait{outermost->kind, std::string(outermost->title)};
}

}  // namespace hangstack::classifiers
