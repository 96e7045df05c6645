#include "classifiers/states/operations.h"

#include <algorithm>
#include <array>

#include "model/file_path.h"

namespace hangstack::classifiers {
namespace {

struct Entry {
  std::string_view key;
  StateKind kind;
  std::string_view name;
};

constexpr auto kCollective = StateKind::collective;
constexpr auto kP2p = StateKind::p2p;
constexpr auto kSetup = StateKind::setup;
constexpr auto kTeardown = StateKind::teardown;

/// Functions of torch/distributed/distributed_c10d.py and _functional_collectives.py, torch 1.13 to 2.15.
constexpr auto kPython = std::to_array<Entry>({
    {"all_reduce", kCollective, "all_reduce"},
    {"all_reduce_coalesced", kCollective, "all_reduce"},
    {"broadcast", kCollective, "broadcast"},
    {"reduce", kCollective, "reduce"},
    {"all_gather", kCollective, "all_gather"},
    {"all_gather_coalesced", kCollective, "all_gather"},
    {"all_gather_into_tensor", kCollective, "all_gather_into_tensor"},
    {"all_gather_single", kCollective, "all_gather_into_tensor"},
    {"_all_gather_base", kCollective, "all_gather_into_tensor"},
    {"all_gather_tensor", kCollective, "all_gather_into_tensor"},
    {"all_gather_object", kCollective, "all_gather_object"},
    {"gather", kCollective, "gather"},
    {"gather_object", kCollective, "gather_object"},
    {"scatter", kCollective, "scatter"},
    {"scatter_object_list", kCollective, "scatter_object_list"},
    {"broadcast_object_list", kCollective, "broadcast_object_list"},
    {"reduce_scatter", kCollective, "reduce_scatter"},
    {"reduce_scatter_tensor", kCollective, "reduce_scatter_tensor"},
    {"reduce_scatter_single", kCollective, "reduce_scatter_tensor"},
    {"_reduce_scatter_base", kCollective, "reduce_scatter_tensor"},
    {"all_to_all", kCollective, "all_to_all"},
    {"all_to_all_single", kCollective, "all_to_all_single"},
    {"barrier", kCollective, "barrier"},
    {"monitored_barrier", kCollective, "monitored_barrier"},
    {"_broadcast_coalesced", kCollective, "broadcast"},
    {"send", kP2p, "send"},
    {"isend", kP2p, "send"},
    {"recv", kP2p, "recv"},
    {"irecv", kP2p, "recv"},
    {"send_object_list", kP2p, "send"},
    {"recv_object_list", kP2p, "recv"},
    {"batch_isend_irecv", kP2p, "batch_isend_irecv"},
    {"_coalescing_manager", kP2p, "batch_isend_irecv"},
    {"init_process_group", kSetup, "init_process_group"},
    {"new_group", kSetup, "new_group"},
    {"split_group", kSetup, "split_group"},
    {"shrink_group", kSetup, "shrink_group"},
    {"_new_process_group_helper", kSetup, "new_group"},
    {"_store_based_barrier", kSetup, "new_group"},
    {"destroy_process_group", kTeardown, "destroy_process_group"},
    {"_abort_process_group", kTeardown, "abort"},
});

/// Classes and functions by the end of the canonical name: c10d 1.13 to 2.15, gloo 2025-09, NCCL's and MPI's API.
constexpr auto kNative = std::to_array<Entry>({
    {"AsyncAllreduceWork", kCollective, "all_reduce"},
    {"AsyncAllreduceCoalescedWork", kCollective, "all_reduce"},
    {"AsyncSparseAllreduceWork", kCollective, "all_reduce"},
    {"AsyncBroadcastWork", kCollective, "broadcast"},
    {"AsyncReduceWork", kCollective, "reduce"},
    {"AsyncReduceScatterWork", kCollective, "reduce_scatter"},
    {"AsyncAllgatherWork", kCollective, "all_gather"},
    {"AsyncAllgatherCoalescedWork", kCollective, "all_gather"},
    {"AsyncGatherWork", kCollective, "gather"},
    {"AsyncScatterWork", kCollective, "scatter"},
    {"AsyncAlltoallWork", kCollective, "all_to_all_single"},
    {"AsyncBarrierWork", kCollective, "barrier"},
    {"gloo::allreduce", kCollective, "all_reduce"},
    {"gloo::(anonymous namespace)::allreduce", kCollective, "all_reduce"},
    {"gloo::allgather", kCollective, "all_gather"},
    {"gloo::allgatherv", kCollective, "all_gather"},
    {"gloo::broadcast", kCollective, "broadcast"},
    {"gloo::barrier", kCollective, "barrier"},
    {"gloo::gather", kCollective, "gather"},
    {"gloo::gatherv", kCollective, "gather"},
    {"gloo::scatter", kCollective, "scatter"},
    {"gloo::reduce", kCollective, "reduce"},
    {"gloo::(anonymous namespace)::reduce", kCollective, "reduce"},
    {"gloo::alltoall", kCollective, "all_to_all_single"},
    {"gloo::alltoallv", kCollective, "all_to_all_single"},
    {"RecvWork::wait", kP2p, "recv"},
    {"SendWork::wait", kP2p, "send"},
    {"monitoredBarrier", kCollective, "monitored_barrier"},
    {"ProcessGroupNCCL::allreduce", kCollective, "all_reduce"},
    {"ProcessGroupNCCL::allreduce_impl", kCollective, "all_reduce"},
    {"ProcessGroupNCCL::broadcast", kCollective, "broadcast"},
    {"ProcessGroupNCCL::reduce", kCollective, "reduce"},
    {"ProcessGroupNCCL::allgather", kCollective, "all_gather"},
    {"ProcessGroupNCCL::_allgather_base", kCollective, "all_gather_into_tensor"},
    {"ProcessGroupNCCL::reduce_scatter", kCollective, "reduce_scatter"},
    {"ProcessGroupNCCL::_reduce_scatter_base", kCollective, "reduce_scatter_tensor"},
    {"ProcessGroupNCCL::alltoall", kCollective, "all_to_all"},
    {"ProcessGroupNCCL::alltoall_base", kCollective, "all_to_all_single"},
    {"ProcessGroupNCCL::barrier", kCollective, "barrier"},
    {"ProcessGroupNCCL::barrierImpl", kCollective, "barrier"},
    {"ProcessGroupNCCL::send", kP2p, "send"},
    {"ProcessGroupNCCL::recv", kP2p, "recv"},
    {"ProcessGroupNCCL::endCoalescing", kP2p, "batch_isend_irecv"},
    {"ProcessGroupNCCL::eagerConnectSingleDevice", kSetup, "init_process_group"},
    {"ProcessGroupNCCL::performNocolorSplit", kSetup, "new_group"},
    {"ProcessGroupNCCL::abort", kTeardown, "abort"},
    {"ProcessGroupNCCL::shutdown", kTeardown, "destroy_process_group"},
    {"ProcessGroupNCCL::waitForPendingWorks", kTeardown, "destroy_process_group"},
    {"c10d::verify_params_across_processes", kCollective, "all_gather"},
    {"c10d::broadcast_coalesced", kCollective, "broadcast"},
    {"c10d::Reducer::finalize_backward", kCollective, "all_reduce"},
    {"c10d::Reducer::rebuild_buckets", kCollective, "broadcast"},
    {"ncclAllReduce", kCollective, "all_reduce"},
    {"ncclAllGather", kCollective, "all_gather"},
    {"ncclReduceScatter", kCollective, "reduce_scatter"},
    {"ncclBroadcast", kCollective, "broadcast"},
    {"ncclBcast", kCollective, "broadcast"},
    {"ncclReduce", kCollective, "reduce"},
    {"ncclSend", kP2p, "send"},
    {"ncclRecv", kP2p, "recv"},
    {"ncclCommInitRank", kSetup, "ncclCommInitRank"},
    {"ncclCommInitRankConfig", kSetup, "ncclCommInitRank"},
    {"ncclCommInitRankScalable", kSetup, "ncclCommInitRank"},
    {"ncclCommSplit", kSetup, "ncclCommSplit"},
    {"ncclCommAbort", kTeardown, "ncclCommAbort"},
    {"ncclCommDestroy", kTeardown, "ncclCommDestroy"},
    {"ncclCommFinalize", kTeardown, "ncclCommFinalize"},
    {"MPI_Allreduce", kCollective, "all_reduce"},
    {"MPI_Allgather", kCollective, "all_gather"},
    {"MPI_Bcast", kCollective, "broadcast"},
    {"MPI_Reduce", kCollective, "reduce"},
    {"MPI_Barrier", kCollective, "barrier"},
    {"MPI_Alltoall", kCollective, "all_to_all"},
    {"MPI_Gather", kCollective, "gather"},
    {"MPI_Scatter", kCollective, "scatter"},
    {"MPI_Send", kP2p, "send"},
    {"MPI_Recv", kP2p, "recv"},
    {"MPI_Init", kSetup, "MPI_Init"},
    {"nvshmem_barrier_all", kCollective, "nvshmem_barrier_all"},
    {"nvshmem_malloc", kCollective, "nvshmem_malloc"},
    {"nvshmem_free", kCollective, "nvshmem_free"},
});

/// `key` equals `name` or is its end after "::", or a class on the way ("...::AsyncAllreduceWork::run").
bool names_it(std::string_view name, std::string_view key) {
  for (auto at = name.find(key); at != std::string_view::npos; at = name.find(key, at + 1)) {
    const bool begins = at == 0 || name.substr(0, at).ends_with("::");
    const auto rest = name.substr(at + key.size());
    if (begins && (rest.empty() || (key.starts_with("Async") && rest.starts_with("::")))) return true;
  }
  return false;
}

const Entry* python_entry_named(std::string_view function) {
  const auto* const found =
      std::find_if(kPython.begin(), kPython.end(), [&](const Entry& entry) { return entry.key == function; });
  return found == kPython.end() ? nullptr : found;
}

/// A frame without a file, in the words of whoever wrote it down: "all_reduce", "all-gather of the next layer". The
/// first word that names an operation counts; those that are everyday words too only if they are all.
const Entry* entry_in_words(std::string_view text) {
  std::string word;
  std::size_t words = 0;
  const Entry* found = nullptr;
  for (std::size_t i = 0; i <= text.size(); ++i) {
    const char c = i < text.size() ? text[i] : ' ';
    const bool part =
        (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
    if (part) {
      word += c == '-' ? '_' : static_cast<char>(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
      continue;
    }
    if (word.empty()) continue;
    ++words;
    if (found == nullptr) found = python_entry_named(word);
    word.clear();
  }
  const bool everyday =
      found != nullptr && (found->key == "send" || found->key == "recv" || found->key == "gather" ||
                           found->key == "scatter" || found->key == "reduce" || found->key == "broadcast");
  return everyday && words > 1 && !text.starts_with(found->key) ? nullptr : found;
}

/// FSDP's own functions, where a dump shows nothing above them.
const Entry* fsdp_entry(std::string_view path, std::string_view function) {
  if (!path.starts_with("torch/distributed/fsdp/")) return nullptr;
  if (function == "foreach_reduce" || function == "_reduce_grad") return python_entry_named("reduce_scatter_tensor");
  if (function == "foreach_all_gather" || function == "_all_gather_flat_param")
    return python_entry_named("all_gather_into_tensor");
  return nullptr;
}

const Entry* python_entry(const ThreadView& view, std::size_t i) {
  if (view.frame(i).file.empty()) return entry_in_words(view.names[i]);
  const auto path = model::library_path(view.frame(i).file);
  const auto function = last_component(view.names[i]);
  if (const Entry* entry = i == 0 ? fsdp_entry(path, function) : nullptr) return entry;
  const bool functional = path == "torch/distributed/_functional_collectives.py";
  if (!functional && path != "torch/distributed/distributed_c10d.py") {
    if (path != "torch/distributed/rendezvous.py") return nullptr;
    static constexpr Entry kRendezvous = {"", kSetup, "init_process_group"};
    return &kRendezvous;
  }
  return python_entry_named(function);
}

const Entry* native_entry(std::string_view name) {
  const bool communicates = name.starts_with("c10d::") || name.starts_with("gloo::") || name.starts_with("nccl") ||
                            name.starts_with("MPI_") || name.starts_with("nvshmem_");
  if (!communicates) return nullptr;
  const auto* const found =
      std::find_if(kNative.begin(), kNative.end(), [&](const Entry& entry) { return names_it(name, entry.key); });
  return found == kNative.end() ? nullptr : found;
}

bool is_store_wait(std::string_view name) {
  for (const std::string_view store : {"TCPStore::", "PrefixStore::", "FileStore::", "HashStore::"}) {
    const auto at = name.find(store);
    if (at == std::string_view::npos) continue;
    const auto method = name.substr(at + store.size());
    return method.starts_with("get") || method.starts_with("wait") || method.starts_with("doWait") ||
           method.starts_with("doGet") || method.starts_with("multiGet") || method.starts_with("TCPStore");
  }
  return false;
}

bool is_work_wait(std::string_view name) {
  return name.ends_with("Work::wait") || name.ends_with("WorkNCCL::wait") || name == "c10d::wait_tensor" ||
         name.ends_with("WorkNCCL::synchronize") || name.ends_with("WorkNCCL::synchronizeInternal") ||
         name.ends_with("WorkUCC::wait");
}

struct Found {
  const Entry* python = nullptr;  ///< outermost: what the user called
  const Entry* native = nullptr;  ///< innermost
  bool store = false;
  bool work = false;
  bool communicator = false;
  bool group_constructor = false;
  bool nccl = false;  ///< in a call of NCCL that has no entry of its own
};

/// NCCL's host code, but for the loops of its helper threads.
bool is_call_of_nccl(std::string_view name) {
  return name.starts_with("nccl") && !name.starts_with("ncclProxy") && !name.starts_with("ncclIb") &&
         !name.starts_with("ncclAsync") && !name.starts_with("ncclIpc") && !name.starts_with("ncclSocket") &&
         !name.starts_with("ncclOs");
}

Found scan(const ThreadView& view) {
  Found found;
  for (std::size_t i = 0; i < view.inner_end; ++i) {
    const auto name = view.names[i];
    if (view.is_python(i)) {
      if (const Entry* entry = python_entry(view, i)) found.python = entry;
      continue;
    }
    found.store = found.store || is_store_wait(name);
    found.work = found.work || is_work_wait(name);
    found.store = found.store || (i == 0 && name.ends_with("broadcastUniqueNCCLID"));
    found.communicator = found.communicator || name.starts_with("ncclCommInitRank") || name == "ncclCommSplit" ||
                         name.ends_with("broadcastUniqueNCCLID") || name.ends_with("initNCCLComm") ||
                         name.starts_with("ncclTransport") || name == "bootstrapInit";
    found.nccl = found.nccl || is_call_of_nccl(name);
    found.group_constructor = found.group_constructor || name.ends_with("ProcessGroupGloo::ProcessGroupGloo") ||
                              name.ends_with("connectFullMesh");
    if (found.native == nullptr) found.native = native_entry(name);
  }
  return found;
}

std::string where_in_it(const Found& found) {
  if (found.store) return found.communicator ? "communicator setup, in the c10d store" : "in the c10d store";
  if (found.communicator) return "communicator setup";
  return {};
}

/// A dump of Python alone that ends in a framework's own wrapper: Megatron's p2p_communication.py, or a function under
/// the full name of a collective.
const Entry* entry_of_wrapper(const ThreadView& view) {
  if (view.call_site != std::size_t{0} || view.thread->kernel_state == 'R') return nullptr;
  if (model::base_name(view.frame(0).file) == "p2p_communication.py") return python_entry_named("batch_isend_irecv");
  const Entry* entry = python_entry_named(last_component(view.names[0]));
  if (entry == nullptr || entry->kind != kCollective) return nullptr;
  return entry->key == "barrier" || entry->key.find('_') != std::string_view::npos ? entry : nullptr;
}

}  // namespace

std::optional<Operation> operation_of(const ThreadView& view) {
  Found found = scan(view);
  if (const Entry* wrapper = entry_of_wrapper(view)) found.python = wrapper;
  if (const Entry* entry = found.python != nullptr ? found.python : found.native) {
    return Operation{entry->kind, std::string(entry->name), where_in_it(found)};
  }
  if (found.group_constructor) return Operation{kSetup, "new_group", where_in_it(found)};
  if (found.store) return Operation{StateKind::store, "", "in the c10d store"};
  if (found.communicator) return Operation{kSetup, "communicator setup", ""};
  if (found.work || found.nccl) return Operation{kCollective, "", ""};
  return std::nullopt;
}

std::optional<Operation> gloo_worker_operation(const ThreadView& view) {
  std::optional<std::size_t> loop;
  for (std::size_t i = 0; i < view.names.size() && !loop; ++i) {
    if (!view.is_python(i) && view.names[i].ends_with("ProcessGroupGloo::runLoop")) loop = i;
  }
  if (!loop) return std::nullopt;
  for (std::size_t i = 0; i < *loop; ++i) {
    if (const Entry* entry = native_entry(view.names[i])) return Operation{entry->kind, std::string(entry->name), ""};
  }
  for (std::size_t i = 0; i < *loop; ++i) {
    if (view.names[i].ends_with("AsyncWork::execute") || view.names[i].find("UnboundBuffer::wait") != std::string::npos)
      return Operation{kCollective, "", ""};
  }
  return std::nullopt;
}

}  // namespace hangstack::classifiers
