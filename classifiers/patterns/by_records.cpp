// host_straggler and nccl_timeout where there are flight recorders and no stacks, as in dumps.
//
// host_straggler: ranks have an operation unfinished that another member of the group has not begun, while nothing that
// it began is unfinished; or that a member without a dump may not have begun.
// nccl_timeout: a rank has an operation unfinished that its peers have finished, though none can before all have
// done their part: its device, or what watches it, came no further.
//
// Evidence: the ranks' flight recorders alone, so never more than "possible". Cannot know: what the rank does instead
// (late, on another branch, stopped, locked, ended), and whether anything moves.

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "classifiers/evidence/logged.h"
#include "classifiers/evidence/observations.h"
#include "classifiers/evidence/recorded.h"
#include "classifiers/fold/held_up.h"
#include "classifiers/patterns/pattern.h"

namespace hangstack::classifiers {
namespace {

using model::Confidence;
using model::RankSet;
using model::Verdict;

RankSet behind_in(const std::vector<HeldUp>& groups) {
  RankSet all;
  for (const HeldUp& held : groups) all = all.united(held.behind);
  return all;
}

/// The group in which most of `culprits` are behind.
const HeldUp& clearest(const std::vector<HeldUp>& groups, const RankSet& culprits) {
  const auto common = [&](const HeldUp& held) { return held.behind.size() - held.behind.minus(culprits).size(); };
  return *std::ranges::max_element(groups, {}, common);
}

/// Of ranks that are behind, those that wait for nobody themselves; else those in no group that another one holds up.
RankSet roots_of(const JobFacts& job, const std::vector<HeldUp>& groups) {
  RankSet idle;
  RankSet free;
  const RankSet behind = behind_in(groups);
  for (const int n : behind.ranks()) {
    if (!has_unfinished(*job.rank(n)->process)) idle.insert(n);
    if (std::ranges::none_of(groups, [&](const HeldUp& held) { return held.waiting.contains(n); })) free.insert(n);
  }
  return idle.empty() ? free : idle;
}

void observe(Verdict& verdict, const std::vector<HeldUp>& groups, std::string_view what, std::string_view source) {
  constexpr std::size_t kMost = 4;
  for (std::size_t i = 0; i < std::min(groups.size(), kMost); ++i) {
    verdict.observations.push_back({fmt::format("{} {}", what, operation_text(*groups[i].group, *groups[i].operation)),
                                    groups[i].behind, std::string(source)});
  }
}

std::string in_more(std::size_t groups) {
  if (groups < 2) return ".";
  return fmt::format("; likewise in {} more {}.", groups - 1, groups == 2 ? "group" : "groups");
}

/// Those of `groups` in which a culprit is behind.
std::vector<HeldUp> with(const std::vector<HeldUp>& groups, const RankSet& culprits) {
  std::vector<HeldUp> found;
  for (HeldUp held : groups) {
    held.behind = held.behind.minus(held.behind.minus(culprits));
    if (!held.behind.empty()) found.push_back(std::move(held));
  }
  return found;
}

Ruling straggler(const JobFacts& job, const std::vector<HeldUp>& all, const RankSet& culprits, bool has_dump) {
  const std::vector<HeldUp> groups = with(all, culprits);
  const HeldUp& example = clearest(groups, culprits);
  RankSet waiting;
  for (const HeldUp& held : groups) waiting = waiting.united(held.waiting);
  Verdict verdict;
  verdict.pattern = "host_straggler";
  verdict.shape = has_dump ? "has not begun what its peers wait in" : "no dump of a member";
  verdict.culprit_ranks = culprits;
  const std::string operation = operation_text(*example.group, *example.operation);
  verdict.summary = has_dump ? fmt::format("{} not begun {}, which {} in{}", job.subject(example.behind, "has", "have"),
                                           operation, job.subject(example.waiting, "wait"), in_more(groups.size()))
                             : fmt::format("{} in {}; of {} there is no dump{}", job.subject(example.waiting, "wait"),
                                           operation, job.who(example.behind), in_more(groups.size()));
  observe(verdict, groups, has_dump ? "not begun:" : "no dump; its peers wait in", records_source(job));
  argue_by_records(verdict, job, waiting);
  verdict.next_steps.push_back(
      {fmt::format("{} elsewhere: where? the stacks, on each host", job.subject(culprits, "is", "are")),
       at_ranks(job, culprits, "--full")});
  verdict.verification.push_back(fmt::format("{} that operation, and all ranks move", job.subject(culprits, "begin")));
  Ruling ruling;
  ruling.alternatives = {
      {"asymmetric_control_flow", Confidence::possible, "one that skipped the operation has not begun it either"},
      {"process_stopped", Confidence::possible, "stopped, or locked within itself, it records nothing either"}};
  if (!has_dump)
    ruling.alternatives.push_back({"rank_died", Confidence::possible, "one that has ended writes no dump"});
  ruling.because = fmt::format("{} behind in {} group(s)", job.who(culprits), groups.size());
  ruling.verdict = std::move(verdict);
  return ruling;
}

}  // namespace

Ruling judge_timeout_by_records(const JobFacts& job) {
  const std::vector<HeldUp> groups = not_finished(job);
  if (groups.empty()) return {{}, {}, "nothing is unfinished that peers have finished"};
  const RankSet culprits = behind_in(groups);
  const HeldUp& example = clearest(groups, culprits);
  Verdict verdict;
  verdict.pattern = "nccl_timeout";
  verdict.shape = "not ended on some devices";
  verdict.culprit_ranks = culprits;
  verdict.summary = fmt::format("{} not finished {}, which {} finished{}", job.subject(example.behind, "has", "have"),
                                operation_text(*example.group, *example.operation),
                                job.subject(example.waiting, "has", "have"), in_more(groups.size()));
  observe(verdict, groups, "not finished, though its peers have:", records_source(job));
  argue_by_records(verdict, job, culprits);
  verdict.next_steps.push_back(
      {fmt::format("has a GPU of {} failed? on that host", job.who(culprits)), "dmesg -T | grep -E 'NVRM|Xid'"});
  verdict.next_steps.push_back({"what is waited for? the stacks, on that host", at_ranks(job, culprits, "--full")});
  verdict.verification.push_back(
      fmt::format("the operations of {} that peers have finished end there too", job.who(culprits)));
  Ruling ruling;
  ruling.alternatives = {
      {"gpu_kernel_stall", Confidence::possible, "a kernel that is no communication may stand before it"},
      {"network_fault", Confidence::possible, "a link that stops after the peers got their part looks the same"},
      {"process_stopped", Confidence::possible, "a rank whose watchdog does not run notices no end"}};
  ruling.because = fmt::format("{} behind peers in what is finished, in {} group(s)", job.who(culprits), groups.size());
  ruling.verdict = std::move(verdict);
  return ruling;
}

Ruling judge_straggler_by_records(const JobFacts& job) {
  if (const std::vector<HeldUp> groups = not_begun(job); !groups.empty()) {
    const RankSet culprits = roots_of(job, groups);
    if (culprits.empty()) return {{}, {}, "those that are behind wait for each other"};
    return straggler(job, groups, culprits, true);
  }
  const std::vector<HeldUp> groups = without_member(job);
  if (groups.empty()) return {{}, {}, "every member has begun what others have unfinished"};
  return straggler(job, groups, behind_in(groups), false);
}

}  // namespace hangstack::classifiers
