#include "classifiers/patterns/stall_kinds.h"

#include <algorithm>
#include <array>

#include "classifiers/normalize/names.h"
#include "classifiers/states/thread_state.h"
#include "model/file_path.h"

namespace hangstack::classifiers {
namespace {

constexpr StallKind kDataloader = {"dataloader_stall", "waits for its DataLoader",
                                   "its worker processes: which of them has ended, or reads what"};
constexpr StallKind kService = {"external_service_stall", "waits for a service outside the job",
                                "the service answers from that host, and within which time limit"};
constexpr StallKind kCompile = {"compile_straggler", "compiles", "a compiler or its workers use processor time"};
constexpr StallKind kBuildLock = {"stale_build_lock", "waits for the lock of a build",
                                  "no process builds, and the lock file is older than the job"};
constexpr StallKind kCheckpoint = {"checkpoint_stall", "reads or writes a checkpoint, or waits for its writer",
                                   "the file grows, and the writing process lives"};
constexpr StallKind kForkLock = {
    "fork_lock", "waits for a lock of the OpenMP runtime, as a child of a process with several threads does",
    "it was forked, and its parent had other threads then", true};
constexpr StallKind kCudaLoad = {"cuda_load_deadlock", "loads code into the device, which waits for what runs there",
                                 "CUDA_MODULE_LOADING=EAGER: the same job does not hang"};

struct NamedFile {
  std::string_view begin;     ///< of model::library_path(), or of the path itself
  std::string_view function;  ///< last part of the qualified name; empty: any
  const StallKind* kind;
};

constexpr auto kFiles = std::to_array<NamedFile>({
    {"torch/utils/data/dataloader.py", "", &kDataloader},
    {"torch/utils/file_baton.py", "wait", &kBuildLock},
    {"torch/distributed/checkpoint/", "", &kCheckpoint},
    {"torch/serialization.py", "save", &kCheckpoint},
    {"http/client.py", "", &kService},
    {"urllib/request.py", "", &kService},
    {"ssl.py", "", &kService},
    {"urllib3/", "", &kService},
    {"requests/", "", &kService},
    {"httpx/", "", &kService},
    {"httpcore/", "", &kService},
    {"botocore/", "", &kService},
    {"google/cloud/", "", &kService},
    {"huggingface_hub/", "", &kService},
    {"wandb/", "", &kService},
    {"mlflow/", "", &kService},
    {"comet_ml/", "", &kService},
    {"neptune/", "", &kService},
    {"clearml/", "", &kService},
    {"swanlab/", "", &kService},
    {"fsspec/", "", &kService},
    {"s3fs/", "", &kService},
    {"gcsfs/", "", &kService},
});

struct Words {
  std::string_view part;
  const StallKind* kind;
};

/// Parts of what a dump says of a frame for which it names no file.
constexpr auto kWords = std::to_array<Words>({{"dataloader", &kDataloader},
                                              {"DataLoader", &kDataloader},
                                              {"data_iter", &kDataloader},
                                              {"_next_data", &kDataloader},
                                              {"FileBaton", &kBuildLock},
                                              {"torch.compile", &kCompile},
                                              {"JIT", &kCompile},
                                              {"inductor", &kCompile},
                                              {"nvcc", &kCompile}});

/// Modules of those services, where a dump tells a function by its module and no file: "wandb.init".
constexpr auto kServices = std::to_array<std::string_view>({"wandb.", "mlflow.", "requests.", "urllib3.", "httpx.",
                                                            "boto3.", "comet_ml.", "neptune.", "clearml.", "swanlab."});

std::optional<StallKind> by_python(const ThreadView& view, std::size_t i) {
  const model::Frame& frame = view.frame(i);
  if (frame.file.empty()) {
    const bool service =
        std::ranges::any_of(kServices, [&](std::string_view module) { return view.names[i].starts_with(module); });
    if (service) return kService;
    for (const Words& words : kWords)
      if (view.names[i].find(words.part) != std::string_view::npos || frame.note.find(words.part) != std::string::npos)
        return *words.kind;
    return std::nullopt;
  }
  const auto path = model::library_path(frame.file);
  const auto function = last_component(view.names[i]);
  for (const NamedFile& named : kFiles) {
    const bool there = path.starts_with(named.begin) || (path.empty() && frame.file.starts_with(named.begin));
    if (there && (named.function.empty() || named.function == function)) return *named.kind;
  }
  return std::nullopt;
}

/// A child of a fork that stands in a lock of the OpenMP runtime may have inherited it locked.
bool in_lock_of_runtime(const ThreadView& view) {
  bool locks = false;
  for (std::size_t i = 0; i < view.names.size(); ++i) {
    const auto name = view.names[i];
    if (view.is_python(i)) return false;
    locks = locks || name == "pthread_mutex_lock" || name == "lll_lock_wait" || name == "__lll_lock_wait";
    if (locks && (name.starts_with("__kmp_") || name.starts_with("gomp_") || name.starts_with("GOMP_"))) return true;
  }
  return false;
}

std::optional<StallKind> kind_of(const ThreadFacts& thread) {
  const ThreadView& view = thread.view;
  for (std::size_t i = 0; i < view.names.size(); ++i) {
    if (view.is_python(i)) continue;
    if (is_loading_call(view.names[i])) return kCudaLoad;
  }
  switch (thread.state.kind) {
    case StateKind::compile: return kCompile;
    case StateKind::dataloader: return kDataloader;
    default: break;
  }
  if (thread.state.title == "a build lock (file_baton)") return kBuildLock;
  if (thread.state.title == "checkpoint" || thread.state.title == "torch.save") return kCheckpoint;
  if (in_lock_of_runtime(view)) return kForkLock;
  for (std::size_t i = 0; i < view.inner_end; ++i) {
    if (!view.is_python(i)) continue;
    if (const auto kind = by_python(view, i)) return kind;
  }
  return std::nullopt;
}

}  // namespace

std::optional<StallKind> stall_kind_of(const ProcessFacts& process) {
  const ThreadFacts* thread = process.blocking_thread();
  return thread == nullptr ? std::nullopt : kind_of(*thread);
}

std::optional<StallKind> stall_kind_of_any_thread(const ProcessFacts& process) {
  if (const auto kind = stall_kind_of(process)) return kind;
  for (const ThreadFacts& thread : process.threads)
    if (const auto kind = kind_of(thread); kind && !thread.role.idle) return kind;
  return std::nullopt;
}

}  // namespace hangstack::classifiers
