// Rules that rest on a function in which a thread stands, and in which it seldom stands for another reason:
// nccl_resource_wait, implicit_sync, and gil_deadlock and stalls of a single process. A fact of one stack: "possible"
// until records or a second look say more.

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "classifiers/evidence/observations.h"
#include "classifiers/patterns/by_stacks.h"
#include "classifiers/patterns/pattern.h"
#include "classifiers/patterns/stall_kinds.h"
#include "classifiers/states/thread_state.h"

namespace hangstack::classifiers {
namespace {

using model::Confidence;
using model::RankSet;

/// NCCL waits for room in its own queues (src/enqueue.cc, src/proxy.cc, 2.14 to 2.30), or for all ranks to register
/// memory with it (ncclCommWindowRegister is collective).
bool waits_for_resources(std::string_view name) {
  return name == "ncclLocalOpAppend" || name == "waitWorkFifoAvailable" || name == "ncclCommWindowRegister" ||
         name == "ncclCommRegister" || name == "ncclCommWindowDeregister";
}

struct Found {
  RankSet ranks;
  std::string_view name;  ///< of the first
};

Found standing_in(const JobFacts& job, bool (*is_it)(std::string_view)) {
  Found found;
  for (const RankFacts& rank : job.ranks) {
    for (const ThreadFacts& thread : rank.process->threads) {
      const auto hit = std::ranges::find_if(thread.view.names, is_it);
      if (hit == thread.view.names.end() || thread.role.idle) continue;
      if (found.ranks.empty()) found.name = *hit;
      found.ranks.insert(rank.number);
    }
  }
  return found;
}

/// C++ that takes the GIL on its way, with frames of its own below: a destructor or a callback. It may hold a lock that
/// the GIL's holder wants.
bool takes_gil_from_cpp(const ThreadView& view) {
  bool takes = false;
  for (std::size_t i = 0; i < view.names.size(); ++i) {
    const auto name = view.names[i];
    if (view.is_python(i)) return false;
    if (name == "take_gil" || name == "PyEval_AcquireThread" || name == "PyGILState_Ensure") takes = true;
    if (takes && (name.starts_with("c10::") || name.starts_with("at::") || name.starts_with("torch::"))) return true;
  }
  return false;
}

}  // namespace

Ruling judge_nccl_resource_wait(const JobFacts& job) {
  const Found found = standing_in(job, waits_for_resources);
  if (found.ranks.empty()) return {{}, {}, "no thread waits for NCCL's own resources"};
  if (found.ranks.minus(job.moved).empty()) return {{}, {}, "it moves"};
  // A peer that launches no more lets the queues fill up: it is the cause then. A dump of Python alone says "runs" of
  // whatever it cannot name.
  const RankSet others = job.outside.minus(found.ranks);
  for (const int n : others.ranks()) {
    const StateKind kind = job.rank(n)->state().kind;
    const bool unnamed = kind == StateKind::running || kind == StateKind::system_call || kind == StateKind::teardown;
    if (!unnamed) return {{}, {}, fmt::format("{} is elsewhere: that comes first", job.who({n}))};
  }
  auto verdict = by_stacks(
      job, "nccl_resource_wait", found.ranks,
      fmt::format("{} in {}: NCCL has no room for another operation, or waits for all ranks of the "
                  "communicator; {}.",
                  job.subject(found.ranks, "stands", "stand"), found.name, doing(job, *found.ranks.ranks().begin())));
  verdict.shape = fmt::format("in {}", found.name);
  verdict.next_steps.push_back(
      {"are operations launched in a CUDA graph or by several communicators at a time? the whole "
       "stacks",
       at_ranks(job, found.ranks, "--full --all-threads")});
  verdict.verification.emplace_back("the same thread stands there in a sample minutes later");
  Ruling ruling{verdict, {}, fmt::format("{} in {}", job.who(found.ranks), found.name)};
  ruling.alternatives.push_back(
      {"host_straggler", Confidence::possible, "a peer that launches no more lets NCCL's queues fill up too"});
  ruling.alternatives.push_back({"nccl_timeout", Confidence::possible, "as does a kernel that never ends"});
  return ruling;
}

Ruling judge_implicit_sync(const JobFacts& job) {
  if (!stacks_decide(job)) return {{}, {}, "not all ranks wait"};
  const Found found = standing_in(job, waits_for_device_unasked);
  if (found.ranks.empty()) return {{}, {}, "no thread is in a CUDA call that waits for the whole device unasked"};
  auto verdict =
      by_stacks(job, "implicit_sync", job.inside.united(job.device),
                fmt::format("{} in {}, which waits for everything on the device, a kernel that waits for a peer "
                            "among it{}.",
                            job.subject(found.ranks, "stands", "stand"), found.name, waiting_peers(job, found.ranks)));
  verdict.shape = fmt::format("in {}", found.name);
  if (found.ranks.size() < job.ranks.size()) verdict.culprit_ranks = found.ranks;
  verdict.next_steps.push_back(
      {"what frees or allocates there, and what else is queued on the device?", at_ranks(job, found.ranks, "--full")});
  verdict.verification.emplace_back("without that call between two collectives the job goes on");
  Ruling ruling{verdict, {}, fmt::format("{} in {}", job.who(found.ranks), found.name)};
  ruling.alternatives.push_back({"collective_mismatch", Confidence::possible,
                                 "what the device waits for may be a collective that a peer never calls"});
  ruling.alternatives.push_back({"nccl_timeout", Confidence::possible, "or a kernel that never ends"});
  return ruling;
}

Ruling judge_gil_wait(const JobFacts& job) {
  for (const RankFacts& rank : job.ranks) {
    const ProcessFacts& process = *rank.process;
    if (process.moved.value_or(false)) continue;
    const auto taker = std::ranges::find_if(process.threads,
                                            [](const ThreadFacts& thread) { return takes_gil_from_cpp(thread.view); });
    if (taker == process.threads.end()) continue;
    // Who holds it and waits in C++ for a lock or the device makes the circle; without any Python the holder is unseen.
    const bool holder_is_elsewhere = std::ranges::any_of(process.threads, [](const ThreadFacts& thread) {
      const StateKind kind = thread.state.kind;
      return thread.view.thread->gil == model::GilState::holds && kind != StateKind::lock &&
             kind != StateKind::device && kind != StateKind::condition;
    });
    if (holder_is_elsewhere) continue;
    auto verdict =
        by_stacks(job, "gil_deadlock", {rank.number},
                  fmt::format("A thread of {} waits for the GIL in C++ code that may hold a lock; the thread "
                              "that stands for it {}.",
                              job.who({rank.number}), doing(process)));
    verdict.culprit_ranks = {rank.number};
    verdict.shape = "C++ that takes the GIL";
    verdict.next_steps.push_back(
        {"who holds the GIL, and what does it wait for?", at_ranks(job, {rank.number}, "--full --all-threads")});
    verdict.verification.emplace_back("the holder of the GIL waits for a lock of the thread that waits for the GIL");
    return {verdict, {}, fmt::format("{}: C++ waits for the GIL", job.who({rank.number}))};
  }
  return {{}, {}, "no C++ code waits for the GIL"};
}

Ruling judge_stall(const JobFacts& job) {
  if (!job.inside.empty() || !job.device.empty() || !job.moved.empty() || job.ranks.empty())
    return {{}, {}, "ranks wait for peers or the device, or move"};
  std::optional<StallKind> kind;
  RankSet ranks;
  for (const RankFacts& rank : job.ranks) {
    const auto found = stall_kind_of_any_thread(*rank.process);
    if (!found) continue;
    if (kind && kind->pattern != found->pattern) continue;
    kind = found;
    ranks.insert(rank.number);
  }
  if (!kind) return {{}, {}, "no thread stands at a place with a name of its own"};
  const int first = *ranks.ranks().begin();
  auto verdict =
      by_stacks(job, kind->pattern, ranks, fmt::format("{} {}: {}.", job.who(ranks), kind->says, doing(job, first)));
  verdict.culprit_ranks = ranks;
  verdict.shape = "no peer was seen to wait";
  verdict.next_steps.push_back({"do its peers wait for it? the other ranks of the job", on_its_hosts(job)});
  verdict.verification.emplace_back(kind->check);
  return {verdict, {}, fmt::format("{} {}", job.who(ranks), kind->says)};
}

}  // namespace hangstack::classifiers
