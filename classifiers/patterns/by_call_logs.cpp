// collective_mismatch and asymmetric_control_flow by what programs wrote down of their own calls: the first number at
// which ranks of one group differ, or at which one has no line though others do.
//
// Evidence: sequence logs alone, so never more than "possible". Cannot know: whether a call that was written down was
// made, and what stood in a buffer that was lost.

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "classifiers/evidence/observations.h"
#include "classifiers/patterns/pattern.h"
#include "classifiers/patterns/sides.h"

namespace hangstack::classifiers {
namespace {

using model::CallLog;
using model::Confidence;
using model::LoggedCall;
using model::RankSet;
using model::Verdict;

constexpr const char* kSource = "sequence logs";

/// Where the ranks of a group part.
struct Parting {
  std::string group;
  std::uint64_t sequence = 0;
  std::map<std::string, RankSet> sides;     ///< what each calls there; more than one is a mismatch
  RankSet behind;                           ///< their logs end before it
  std::map<int, const LoggedCall*> before;  ///< the last call of each rank before it
};

std::string call_text(const LoggedCall& call) {
  return fmt::format("{} #{}{}{}{}{}", call.operation, call.sequence, call.arguments.empty() ? "" : ", ",
                     call.arguments, call.site.empty() ? "" : ", at ", call.site);
}

/// Sizes of these may differ in good order.
bool may_differ(const std::string& operation) {
  return operation.find("gather") != std::string::npos || operation.find("scatter") != std::string::npos ||
         operation.find("all_to_all") != std::string::npos || operation.find("alltoall") != std::string::npos;
}

std::string essence(const LoggedCall& call) {
  return may_differ(call.operation) ? call.operation : call.operation + " " + call.arguments;
}

/// Side by side from the first number that all of them still have.
std::optional<Parting> parting_of(const std::vector<const CallLog*>& logs) {
  std::uint64_t at = 0;
  for (const CallLog* log : logs) at = std::max(at, log->calls.front().sequence);
  std::vector<std::size_t> next(logs.size());
  Parting parting;
  parting.group = logs.front()->group;
  while (true) {
    std::map<std::string, std::pair<const LoggedCall*, RankSet>> sides;
    bool any = false;
    parting.behind = {};
    std::uint64_t following = UINT64_MAX;
    for (std::size_t i = 0; i < logs.size(); ++i) {
      const auto& calls = logs[i]->calls;
      while (next[i] < calls.size() && calls[next[i]].sequence < at) parting.before[logs[i]->rank] = &calls[next[i]++];
      if (next[i] == calls.size()) {
        parting.behind.insert(logs[i]->rank);
        continue;
      }
      following = std::min(following, calls[next[i]].sequence);
      if (calls[next[i]].sequence != at) continue;
      any = true;
      auto& side = sides[essence(calls[next[i]])];
      side.first = &calls[next[i]];
      side.second.insert(logs[i]->rank);
    }
    if (following == UINT64_MAX) return std::nullopt;
    if (any && (sides.size() > 1 || !parting.behind.empty())) {
      parting.sequence = at;
      for (const auto& [text, side] : sides) parting.sides[call_text(*side.first)] = side.second;
      return parting;
    }
    at = any ? at + 1 : following;
  }
}

/// A mismatch before all others.
std::optional<Parting> first_parting(const JobFacts& job, bool mismatch) {
  std::map<std::string, std::vector<const CallLog*>> groups;
  for (const CallLog& log : job.call_logs)
    if (!log.calls.empty()) groups[log.group].push_back(&log);
  for (const auto& [name, logs] : groups) {
    if (logs.size() < 2) continue;
    auto parting = parting_of(logs);
    if (parting && (parting->sides.size() > 1) == mismatch) return parting;
  }
  return std::nullopt;
}

std::string in_group(const Parting& parting) {
  return parting.group.empty() ? std::string() : fmt::format(" of group \"{}\"", parting.group);
}

Verdict verdict_on(const JobFacts& job, const Parting& parting, const char* pattern) {
  Verdict verdict;
  verdict.pattern = pattern;
  verdict.confidence = Confidence::possible;
  constexpr std::size_t kMost = 4;
  std::map<std::string, RankSet> before;
  for (const auto& [rank, call] : parting.before) before[call_text(*call)].insert(rank);
  std::size_t told = 0;
  for (const auto& [text, ranks] : parting.sides)
    if (told++ < kMost) verdict.observations.push_back({"called " + text, ranks, kSource});
  told = 0;
  for (const auto& [text, ranks] : before)
    if (told++ < kMost) verdict.observations.push_back({"the call before it: " + text, ranks, kSource});
  append(verdict.observations, waiting_in_operations(job));
  append(verdict.observations, roll_call(job));
  decide_hung(verdict, job, job.inside.united(job.device));
  verdict.against.emplace_back(
      "a log that is buffered loses its last lines, and collectives that nobody wrote down are "
      "not in it");
  for (auto& doubt : doubts(job)) verdict.against.push_back(std::move(doubt));
  verdict.next_steps.push_back({"what NCCL itself counts, on one host of the job", "ncclras"});
  return verdict;
}

}  // namespace

Ruling judge_mismatch_by_call_logs(const JobFacts& job) {
  if (job.call_logs.empty()) return {{}, {}, "no sequence log was given"};
  const auto parting = first_parting(job, true);
  if (!parting) return {{}, {}, "by the sequence logs, ranks call the same at each number"};
  auto verdict = verdict_on(job, *parting, "collective_mismatch");
  verdict.shape = "by the sequence logs";
  std::vector<RankSet> called;
  for (const auto& [text, ranks] : parting->sides) called.push_back(ranks);
  verdict.culprit_ranks = smaller_sides(called);
  std::string sides;
  for (const auto& [text, ranks] : parting->sides)
    sides += fmt::format("{}{} {}", sides.empty() ? "" : "; ", job.who(ranks), text);
  verdict.summary = fmt::format("The first difference{}: {}.", in_group(*parting), sides);
  verdict.verification.emplace_back("all members of the group call the same, in one order");
  return {verdict, {}, fmt::format("{} ways at #{}", parting->sides.size(), parting->sequence)};
}

Ruling judge_behind_by_call_logs(const JobFacts& job) {
  if (job.call_logs.empty()) return {{}, {}, "no sequence log was given"};
  const auto parting = first_parting(job, false);
  if (!parting) return {{}, {}, "by the sequence logs, no rank is behind"};
  auto verdict = verdict_on(job, *parting, "asymmetric_control_flow");
  verdict.shape = "by the sequence logs";
  verdict.culprit_ranks = parting->behind;
  verdict.summary =
      fmt::format("{} no line of {}{}, which {} called.", job.subject(parting->behind, "has", "have"),
                  parting->sides.begin()->first, in_group(*parting), job.who(parting->sides.begin()->second));
  verdict.verification.push_back(
      fmt::format("{} not in that call, nor on the way to it", job.subject(parting->behind, "is", "are")));
  return {verdict,
          {{"host_straggler", Confidence::possible, "one that is only late has no line of it either"}},
          fmt::format("{} without #{}", job.who(parting->behind), parting->sequence)};
}

}  // namespace hangstack::classifiers
