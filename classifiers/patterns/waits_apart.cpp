// Rules for jobs in which every rank that was read waits for peers or the device, and nobody's records tell for what:
// the stacks' own differences decide, and never more than "possible".
//
// barrier_deadlock: all in barrier(), some of them making a communicator for it, others past that.
// forward_order_violation: all in one operation of FSDP, below different modules.
// collective_mismatch: they wait at different calls.
// nccl_timeout: they wait at one call.
// init_bootstrap: all in the creation of a communicator.

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "classifiers/evidence/observations.h"
#include "classifiers/fold/chain.h"
#include "classifiers/patterns/by_stacks.h"
#include "classifiers/patterns/name_by_place.h"
#include "classifiers/patterns/pattern.h"
#include "model/file_path.h"

namespace hangstack::classifiers {
namespace {

using model::Alternative;
using model::Confidence;
using model::RankSet;

bool makes_communicator(const ThreadState& state) {
  return state.detail.find("communicator setup") != std::string::npos || state.title == "communicator setup" ||
         state.title == "ncclCommInitRank" || state.title == "ncclCommSplit";
}

RankSet making_communicator(const JobFacts& job) {
  RankSet set;
  for (const int n : job.inside.ranks())
    if (makes_communicator(job.rank(n)->state())) set.insert(n);
  return set;
}

bool is_of_fsdp(const ThreadView& view, std::size_t i) {
  const model::Frame& frame = view.frame(i);
  if (frame.file.empty()) return view.names[i].find("FSDP") != std::string_view::npos;
  return model::library_path(frame.file).starts_with("torch/distributed/fsdp/");
}

bool waits_in_fsdp(const RankFacts& rank) {
  for (const ThreadFacts& thread : rank.process->threads)
    for (std::size_t i = 0; i < thread.view.names.size(); ++i)
      if (thread.view.is_python(i) && is_of_fsdp(thread.view, i)) return true;
  return false;
}

/// Where the rank's blocking thread stands in the user's program: its Python frames, lines and all.
std::string program_place(const RankFacts& rank) {
  const ThreadFacts* thread = rank.process->blocking_thread();
  std::string place;
  if (thread == nullptr) return place;
  bool python = false;
  for (const Link& link : chain_of(thread->view)) {
    if (link.frame->kind != model::FrameKind::python) continue;
    python = true;
    place += fmt::format("{} {}:{}\n", link.name, model::base_name(link.frame->file), link.frame->line);
  }
  // Without Python the functions themselves.
  if (!python)
    for (const Link& link : chain_of(thread->view)) place += fmt::format("{}\n", link.name);
  return place;
}

std::map<std::string, RankSet> places(const JobFacts& job) {
  std::map<std::string, RankSet> found;
  for (const RankFacts& rank : job.ranks) found[program_place(rank)].insert(rank.number);
  return found;
}

/// The fewer than half that wait in an operation while all others wait for the device, for what they called before. Of
/// different waits for the device none is told to be wrong: hosts run ahead.
RankSet alone_in_operation(const JobFacts& job) {
  return job.inside.size() * 2 < job.ranks.size() ? job.inside : RankSet();
}

/// ", from different calls: rank 0 waits in ..., rank 1 ..."; empty if all are at one place.
std::string told_apart(const JobFacts& job, const std::map<std::string, RankSet>& apart) {
  constexpr std::size_t kMostTold = 3;
  if (apart.size() < 2) return {};
  std::vector<RankSet> sets;
  for (const auto& [place, ranks] : apart) sets.push_back(ranks);
  std::ranges::sort(sets, {}, [](const RankSet& ranks) { return *ranks.ranks().begin(); });
  std::string text = ", from different calls";
  for (std::size_t i = 0; i < std::min(sets.size(), kMostTold); ++i)
    text += fmt::format("{}{} {}", i == 0 ? ": " : ", ", job.who(sets[i]), doing(job, *sets[i].ranks().begin()));
  return text + (sets.size() > kMostTold ? ", and others" : "");
}

/// The ranks that have launched least and most of the kinds of which a communicator's ranks differ.
struct Spread {
  std::size_t kinds = 0;
  RankSet least;
  RankSet most;
};

Spread spread_of(const SharedCommunicator& communicator) {
  Spread spread;
  for (std::size_t kind = 0; kind < model::kNcclCollectives.size(); ++kind) {
    const auto count = [&](const auto& side) { return side.second->launched[kind]; };
    const auto [low, high] = std::ranges::minmax_element(communicator.sides, {}, count);
    if (count(*low) == count(*high)) continue;
    ++spread.kinds;
    for (const auto& side : communicator.sides) {
      if (count(side) == count(*low)) spread.least.insert(side.first);
      if (count(side) == count(*high)) spread.most.insert(side.first);
    }
  }
  return spread;
}

bool meet(const RankSet& one, const RankSet& other) { return one.minus(other).size() < one.size(); }

/// By NCCL's counts ranks may have called different collectives: they differ in several kinds, or who is ahead on one
/// communicator is behind on another. One that is ahead in one kind alone has merely queued more.
bool counts_tell_apart(const JobFacts& job) {
  constexpr std::size_t kMostCompared = 64;
  std::vector<Spread> spreads;
  for (const SharedCommunicator& communicator : job.unequal_communicators) {
    spreads.push_back(spread_of(communicator));
    if (spreads.back().kinds > 1) return true;
    if (spreads.size() == kMostCompared) break;
  }
  for (const Spread& one : spreads)
    for (const Spread& other : spreads)
      if (meet(one.most, other.least) && meet(one.least, other.most)) return true;
  return false;
}

/// Nothing but Python was seen of any rank.
bool python_alone(const JobFacts& job) {
  return std::ranges::all_of(job.ranks, [](const RankFacts& rank) {
    return std::ranges::all_of(rank.process->threads, [](const ThreadFacts& thread) {
      return std::ranges::all_of(thread.view.thread->frames,
                                 [](const model::Frame& frame) { return frame.kind != model::FrameKind::native; });
    });
  });
}

bool uses_nccl(const JobFacts& job) {
  return std::ranges::all_of(job.ranks, [](const RankFacts& rank) {
    return std::ranges::any_of(rank.process->threads, [](const ThreadFacts& thread) {
      if (thread.role.name.starts_with("NCCL")) return true;
      return std::ranges::any_of(thread.view.names, [](std::string_view name) {
        return name.starts_with("nccl") || name.find("ProcessGroupNCCL") != std::string_view::npos ||
               name.find("WorkNCCL") != std::string_view::npos;
      });
    });
  });
}

std::vector<Alternative> other_readings(std::string_view but) {
  std::vector<Alternative> all = {
      {"collective_mismatch", Confidence::possible, "other sizes, or other operations issued before, look the same"},
      {"cross_group_order", Confidence::possible, "groups are not in the stacks: another order of them looks the same"},
      {"nccl_timeout", Confidence::possible, "a kernel or link that stands still looks the same from the host"},
  };
  std::erase_if(all, [&](const Alternative& each) { return each.pattern == but; });
  return all;
}

void ask_for_records(model::Verdict& verdict) {
  verdict.next_steps.push_back(
      {"what did each rank launch? NCCL's own counts, or the flight recorder's dump of each "
       "rank beside these stacks",
       "hangstack import stacks/ dumps/ ras.txt"});
}

}  // namespace

Ruling judge_barrier_deadlock(const JobFacts& job) {
  // Who makes a communicator has recorded nothing for it yet: recorders do not tell this.
  if (!all_wait(job) || job.ranks.size() < 2) return {{}, {}, "not all ranks wait"};
  if (!job.device.empty() || job.operations.size() != 1 || job.operations.front().title != "barrier")
    return {{}, {}, "the ranks do not all stand in barrier"};
  const RankSet making = making_communicator(job);
  if (making.empty() || making.size() == job.ranks.size())
    return {{}, {}, "the ranks in barrier are all in the creation of a communicator, or none is"};
  const RankSet others = ranks_read(job).minus(making);
  auto verdict =
      by_stacks(job, "barrier_deadlock", job.inside,
                fmt::format("All wait in barrier; {} a communicator for it, {} on another one already: they do "
                            "not wait on the same one.",
                            job.subject(making, "makes", "make"), job.subject(others, "waits", "wait")));
  verdict.shape = "in barrier, on different communicators";
  verdict.next_steps.push_back({"which device does each rank use for the barrier? init_process_group(device_id=...)",
                                at_ranks(job, making, "--full")});
  verdict.verification.emplace_back("with device_id given to init_process_group, the barrier returns");
  return {verdict, {}, fmt::format("{} in the creation of a communicator, the others not", job.who(making))};
}

Ruling judge_forward_order_violation(const JobFacts& job) {
  if (!stacks_decide(job) || job.ranks.size() < 2) return {{}, {}, "not all ranks wait"};
  const bool fsdp = std::ranges::all_of(job.ranks, [](const RankFacts& rank) { return waits_in_fsdp(rank); });
  if (!fsdp) return {{}, {}, "the ranks do not all wait below FSDP"};
  const auto apart = places(job);
  if (apart.size() < 2) return {{}, {}, "all stand at one place"};
  auto verdict = by_stacks(job, "forward_order_violation", job.inside.united(job.device),
                           fmt::format("All wait in FSDP's collectives, below {} different places of the program: the "
                                       "ranks run its modules in different orders, or some skip one.",
                                       apart.size()));
  verdict.shape = "FSDP modules in different orders";
  ask_for_records(verdict);
  verdict.verification.emplace_back("every rank runs the same wrapped modules in the same order in each iteration");
  return {verdict, other_readings("forward_order_violation"), fmt::format("FSDP at {} places", apart.size())};
}

Ruling judge_waits_apart(const JobFacts& job) {
  if (!stacks_decide(job) || job.ranks.size() < 2) return {{}, {}, "not all ranks wait"};
  if (!all_of_kind(job, StateKind::collective)) return {{}, {}, "ranks wait in operations that are no collectives"};
  const auto apart = places(job);
  const bool counted = counts_tell_apart(job);
  if (apart.size() < 2 && !counted) return {{}, {}, "all stand at one place"};
  auto verdict = by_stacks(
      job, "collective_mismatch", job.inside.united(job.device),
      fmt::format("All {} ranks wait for peers or the device{}{}: perhaps they have not called the same "
                  "collectives.",
                  job.ranks.size(), told_apart(job, apart), counted ? "; NCCL's counts of their launches differ" : ""));
  verdict.shape = counted ? "all wait, with different counts" : "all wait, at different places";
  verdict.culprit_ranks = alone_in_operation(job);
  ask_for_records(verdict);
  verdict.verification.emplace_back("every rank of the group calls the same operations in the same order");
  auto others = other_readings("collective_mismatch");
  others.push_back(
      {"asymmetric_control_flow", Confidence::possible, "the same picture, where a branch divided the ranks"});
  return {verdict, std::move(others), fmt::format("all wait, at {} places", apart.size())};
}

Ruling judge_waits_alike(const JobFacts& job) {
  if (!stacks_decide(job) || job.ranks.size() < 2) return {{}, {}, "not all ranks wait"};
  if (!all_of_kind(job, StateKind::collective)) return {{}, {}, "ranks wait in operations that are no collectives"};
  if (!making_communicator(job).empty()) return {{}, {}, "a communicator is being made"};
  if (!job.unequal_communicators.empty()) return {{}, {}, "NCCL's counts differ"};
  if (places(job).size() > 1) return {{}, {}, "they stand at different places"};
  const bool on_device = job.device.size() == job.ranks.size();
  if (!on_device && !python_alone(job) && !uses_nccl(job)) return {{}, {}, "nothing shows NCCL in each of them"};
  auto verdict =
      by_stacks(job, "nccl_timeout", job.inside.united(job.device),
                fmt::format("All {} ranks that were read stand at one place: the first {}. A kernel, a link or NCCL "
                            "stands still, or they do not mean the same operation.",
                            job.ranks.size(), doing(job, job.ranks.front().number)));
  verdict.shape = "all ranks in the same operation";
  ask_for_records(verdict);
  verdict.verification.emplace_back("operation, sequence number and sizes are equal on all ranks");
  return {verdict, other_readings("nccl_timeout"), "all stand at one place"};
}

Ruling judge_init_timeout(const JobFacts& job) {
  if (!stacks_decide(job)) return {{}, {}, "not all ranks wait"};
  if (!job.device.empty() || !wait_in_store_for_setup(job, job.inside))
    return {{}, {}, "the ranks do not all wait in the store for a group to come about"};
  auto verdict =
      by_stacks(job, "init_timeout", job.inside,
                fmt::format("{} in the c10d store for what another rank has not written: the first {}.",
                            job.subject(job.inside, "waits", "wait"), doing(job, *job.inside.ranks().begin())));
  verdict.shape = "in the store, before the group is there";
  verdict.next_steps.push_back(
      {"where are the other ranks, rank 0 first? it writes the communicator's id", on_its_hosts(job)});
  verdict.verification.emplace_back("the store's server lives, and every rank reaches its address");
  return {verdict, {}, fmt::format("{} in the store", job.who(job.inside))};
}

Ruling judge_init_bootstrap(const JobFacts& job) {
  if (!stacks_decide(job)) return {{}, {}, "not all ranks wait"};
  const RankSet making = making_communicator(job);
  if (making.empty() || making.size() != job.ranks.size())
    return {{}, {}, "the ranks are not all in the creation of a communicator"};
  const bool in_store = std::ranges::any_of(
      making.ranks(), [&](int n) { return job.rank(n)->state().detail.find("c10d store") != std::string::npos; });
  if (in_store) return {{}, {}, "a rank waits in the store: NCCL's own setup has not begun there"};
  auto verdict = by_stacks(
      job, "init_bootstrap", making,
      fmt::format("{} in the creation of an NCCL communicator; the first {}: a peer cannot be reached, or has "
                  "not come.",
                  job.subject(making, "stands", "stand"), doing(job, *making.ranks().begin())));
  verdict.shape = "in NCCL's bootstrap or its first connections";
  verdict.next_steps.push_back(
      {"which interface does NCCL use, and can each host reach the others on it? "
       "NCCL_SOCKET_IFNAME, NCCL_DEBUG=INFO in the ranks' logs",
       ""});
  verdict.verification.emplace_back("every rank of the communicator has called its creation");
  verdict.verification.emplace_back("connections between the hosts on NCCL's interface are accepted");
  Ruling ruling{verdict, {}, fmt::format("{} in the creation of a communicator", job.who(making))};
  if (job.ranks.size() == 1 || !job.missing.empty())
    ruling.alternatives.push_back(
        {"host_straggler", Confidence::possible, "a rank that was not read may not have come"});
  return ruling;
}

}  // namespace hangstack::classifiers
