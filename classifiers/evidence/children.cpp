#include "classifiers/evidence/children.h"

#include <fmt/format.h>

#include <algorithm>

#include "classifiers/evidence/observations.h"

namespace hangstack::classifiers {
namespace {

using model::Descendant;
using model::Observation;
using model::RankSet;

constexpr std::size_t kMostTold = 6;

// /proc counts in hundredths of a second (USER_HZ). A logger or an idle worker wakes now and then and uses less.
constexpr double kTicksPerSecond = 100;
constexpr double kWorkingShare = 0.02;

bool is_busy(const ProcessFacts& process, const Descendant& now) {
  if (now.kernel_state == 'R') return true;
  if (process.history->samples.size() < 2) return false;
  const auto& first = process.history->samples.front();
  const auto then = std::ranges::find(first.descendants, now.pid, &Descendant::pid);
  // One that was born between the samples has worked since.
  if (then == first.descendants.end()) return true;
  const double span_s = static_cast<double>(process.last().captured_at_unix_ns - first.captured_at_unix_ns) / 1e9;
  const double used_s =
      static_cast<double>(now.cpu_ticks) / kTicksPerSecond - static_cast<double>(then->cpu_ticks) / kTicksPerSecond;
  return used_s > 0 && used_s >= kWorkingShare * span_s;
}

std::string child_text(const Descendant& child) { return fmt::format("child process {} ({})", child.pid, child.name); }

const ProcessFacts* process_read(const JobFacts& job, const ProcessFacts& rank, std::int32_t pid) {
  const auto found = std::ranges::find_if(job.others, [&](const ProcessFacts* other) {
    return other->last().pid == pid && other->last().host == rank.last().host;
  });
  return found == job.others.end() ? nullptr : *found;
}

std::string text_of(const JobFacts& job, const ProcessFacts& rank, const Descendant& child) {
  if (const ProcessFacts* read = process_read(job, rank, child.pid))
    return fmt::format("its {} {}", child_text(child), doing(*read));
  if (is_busy(rank, child)) return fmt::format("its {} uses a processor", child_text(child));
  switch (child.kernel_state) {
    case 'D': return fmt::format("its {} is in an uninterruptible kernel wait", child_text(child));
    case 'T': return fmt::format("its {} is stopped by a signal", child_text(child));
    case 'Z': return fmt::format("its {} has ended", child_text(child));
    default: return fmt::format("its {} sleeps", child_text(child));
  }
}

}  // namespace

bool may_wait_for_children(StateKind kind) {
  return kind == StateKind::subprocess || kind == StateKind::dataloader || kind == StateKind::queue ||
         kind == StateKind::io || kind == StateKind::condition || kind == StateKind::lock || kind == StateKind::join ||
         kind == StateKind::event_loop || kind == StateKind::compile;
}

std::optional<std::string> busy_child(const ProcessFacts& process) {
  for (const Descendant& child : process.last().descendants)
    if (is_busy(process, child)) return child_text(child) + " uses a processor";
  return std::nullopt;
}

bool doubt_by_child(model::Verdict& verdict, const JobFacts& job, const RankSet& set) {
  for (const int n : set.ranks()) {
    const auto& process = *job.rank(n)->process;
    if (!may_wait_for_children(process.state().kind)) continue;
    const auto child = busy_child(process);
    if (!child) continue;
    verdict.hung = model::Hung::undecided;
    verdict.against.push_back(fmt::format("its {}: what it waits for may still come", *child));
    return true;
  }
  return false;
}

std::vector<Observation> children_of(const JobFacts& job, const RankSet& set) {
  std::vector<Observation> out;
  for (const int n : set.ranks()) {
    const RankFacts* rank = job.rank(n);
    if (rank == nullptr || !may_wait_for_children(rank->state().kind)) continue;
    // A process with a stack, or one that works, tells more than one of many that sleep.
    std::vector<Descendant> children = rank->process->last().descendants;
    std::ranges::stable_sort(children, {}, [&](const Descendant& child) {
      if (process_read(job, *rank->process, child.pid) != nullptr) return 0;
      return is_busy(*rank->process, child) ? 1 : 2;
    });
    for (const Descendant& child : children) {
      if (out.size() == kMostTold) return out;
      out.push_back({text_of(job, *rank->process, child), RankSet{n}, "/proc"});
    }
  }
  return out;
}

std::optional<model::NextStep> with_children(const JobFacts& job, const RankSet& set) {
  for (const int n : set.ranks()) {
    const RankFacts* rank = job.rank(n);
    if (rank == nullptr || !may_wait_for_children(rank->state().kind)) continue;
    const bool unread = std::ranges::any_of(rank->process->last().descendants, [&](const Descendant& child) {
      return child.kernel_state != 'Z' && process_read(job, *rank->process, child.pid) == nullptr;
    });
    if (unread) return model::NextStep{"what do its children do? their stacks too", at_ranks(job, set, "--children")};
  }
  return std::nullopt;
}

}  // namespace hangstack::classifiers
