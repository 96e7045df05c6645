#include "symbolizer/python/thread_map.h"

#include <algorithm>
#include <cstring>
#include <set>

namespace hangstack::symbolizer {
namespace {

using model::RemoteAddress;

/// struct pthread is larger, but its tid lies at 720 in glibc 2.x and below 100 in musl (x86-64).
constexpr std::size_t kPthreadBytes = 1024;

using TidByNumber = std::map<std::int32_t, std::int32_t>;  ///< in the process's namespace -> in hangstack's

/// struct pthread of each thread, by pthread_self().
std::map<std::uint64_t, std::vector<std::byte>> read_structs(std::span<const ThreadStateRef> states,
                                                             model::MemoryReader& memory) {
  std::map<std::uint64_t, std::vector<std::byte>> structs;
  for (const ThreadStateRef& ref : states) {
    if (ref.state.thread_id != 0) structs.try_emplace(ref.state.thread_id, kPthreadBytes);
  }
  std::vector<model::ReadRequest> requests;
  requests.reserve(structs.size());
  for (auto& [address, bytes] : structs) requests.push_back({RemoteAddress{address}, bytes, 0});
  memory.read_batch(requests);
  for (const model::ReadRequest& request : requests) structs[request.address.value].resize(request.got);
  return structs;
}

/// The tids at one offset of all structs: only those that are threads of this process, each once.
std::map<std::uint64_t, std::int32_t> tids_at(const std::map<std::uint64_t, std::vector<std::byte>>& structs,
                                              std::size_t offset, const TidByNumber& known) {
  std::map<std::uint64_t, std::int32_t> tids;
  std::set<std::int32_t> used;
  for (const auto& [address, bytes] : structs) {
    if (offset + 4 > bytes.size()) continue;
    std::int32_t number = 0;
    std::memcpy(&number, bytes.data() + offset, 4);
    const auto found = known.find(number);
    if (found == known.end()) continue;
    if (!used.insert(found->second).second) return {};  // two threads with one tid: not the tid
    tids.emplace(address, found->second);
  }
  return tids;
}

/// How many thread states agree with Python's own note of the tid.
std::size_t agreement(const std::map<std::uint64_t, std::int32_t>& tids, std::span<const ThreadStateRef> states,
                      const TidByNumber& known) {
  return static_cast<std::size_t>(std::ranges::count_if(states, [&](const ThreadStateRef& ref) {
    const auto tid = tids.find(ref.state.thread_id);
    const auto note = known.find(static_cast<std::int32_t>(ref.state.native_thread_id));
    return tid != tids.end() && note != known.end() && tid->second == note->second;
  }));
}

std::map<std::uint64_t, std::int32_t> tids_in_structs(std::span<const ThreadStateRef> states, const TidByNumber& known,
                                                      model::MemoryReader& memory) {
  const auto structs = read_structs(states, memory);
  std::map<std::uint64_t, std::int32_t> best;
  std::size_t best_agreement = 0;
  for (std::size_t offset = 0; offset + 4 <= kPthreadBytes; offset += 4) {
    auto tids = tids_at(structs, offset, known);
    if (tids.empty() || tids.size() < best.size()) continue;
    const std::size_t agrees = agreement(tids, states, known);
    if (tids.size() > best.size() || agrees > best_agreement) {
      best = std::move(tids);
      best_agreement = agrees;
    }
  }
  return best;
}

const model::Mapping* mapping_at(const model::ProcessCapture& process, std::uint64_t address) {
  auto after = std::ranges::upper_bound(process.mappings, address, {}, &model::Mapping::start);
  if (after == process.mappings.begin()) return nullptr;
  const model::Mapping& mapping = *std::prev(after);
  return address < mapping.end ? &mapping : nullptr;
}

}  // namespace

ThreadMap::ThreadMap(const model::ProcessCapture& process, std::span<const Runtime> runtimes,
                     model::MemoryReader& memory)
    : process_(process) {
  for (const Runtime& runtime : runtimes) {
    for (const Interpreter& interpreter : runtime.interpreters) {
      for (const ThreadState& state : interpreter.threads) states_.push_back({&runtime, &interpreter, state});
    }
  }
  TidByNumber known;
  for (const model::ThreadCapture& thread : process.threads) {
    if (!thread.kernel_worker) known.emplace(thread.ns_tid != 0 ? thread.ns_tid : thread.tid, thread.tid);
  }
  const auto in_structs = tids_in_structs(states_, known, memory);
  for (const ThreadStateRef& ref : states_) {
    if (const auto found = in_structs.find(ref.state.thread_id); found != in_structs.end()) {
      tids_.emplace(ref.state.address, found->second);
    } else if (const auto note = known.find(static_cast<std::int32_t>(ref.state.native_thread_id));
               in_structs.empty() && note != known.end()) {
      tids_.emplace(ref.state.address, note->second);
    }
  }
  for (std::size_t i = 0; i < states_.size(); ++i) {
    by_thread_pointer_.emplace(states_[i].state.thread_id, i);
    by_tid_.emplace(tid_of(states_[i].state.address), i);
  }
}

std::int32_t ThreadMap::tid_of(std::uint64_t thread_state) const {
  const auto found = tids_.find(thread_state);
  return found == tids_.end() ? 0 : found->second;
}

std::vector<ThreadStateRef> ThreadMap::states_of(const model::ThreadCapture& thread) const {
  const auto select = [this](const auto& index, auto key) {
    std::vector<ThreadStateRef> found;
    const auto [first, last] = index.equal_range(key);
    for (auto at = first; at != last; ++at) found.push_back(states_[at->second]);
    return found;
  };
  if (thread.fs_base) {
    auto found = select(by_thread_pointer_, *thread.fs_base);
    if (!found.empty()) return found;
  }
  auto found = select(by_tid_, thread.tid);
  if (!found.empty()) return found;
  // glibc keeps struct pthread at the end of a thread's stack. The main thread's stack is a mapping of its own.
  const auto stack_pointer = thread.registers.get(model::Register::rsp);
  const model::Mapping* stack = stack_pointer ? mapping_at(process_, *stack_pointer) : nullptr;
  if (stack == nullptr) return {};
  found = select(by_tid_, 0);
  std::erase_if(found, [&](const ThreadStateRef& ref) {
    return ref.state.thread_id < *stack_pointer || ref.state.thread_id >= stack->end;
  });
  return found;
}

}  // namespace hangstack::symbolizer
