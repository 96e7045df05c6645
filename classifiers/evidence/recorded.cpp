#include "classifiers/evidence/recorded.h"

#include <fmt/format.h>

#include <algorithm>

#include "classifiers/evidence/launched.h"
#include "classifiers/evidence/logged.h"
#include "classifiers/evidence/observations.h"
#include "model/file_path.h"

namespace hangstack::classifiers {
namespace {

using model::Observation;
using model::RankSet;
using model::RecordedOperation;

std::string tensor_text(const model::RecordedTensor& tensor) {
  return fmt::format("[{}]{}{}", fmt::join(tensor.sizes, ", "), tensor.dtype.empty() ? "" : " ", tensor.dtype);
}

bool described(const std::string& description) { return !description.empty() && description != "undefined"; }

/// Tensors, and where it was called. A recv has outputs only.
std::string arguments_text(const RecordedOperation& operation) {
  const auto& tensors = operation.inputs.empty() ? operation.outputs : operation.inputs;
  std::string text;
  if (!tensors.empty()) text += ", " + tensor_text(tensors.front());
  if (tensors.size() > 1) text += fmt::format(" and {} more", tensors.size() - 1);
  if (const model::RecordedFrame* site = operation.call_site(); site != nullptr)
    text += fmt::format(", called at {}:{}", model::base_name(site->file), site->line);
  return text;
}

/// Of those that have nothing unfinished, or something behind `first`.
void add_others(const PendingGroup& group, std::uint64_t first, std::map<std::string, RankSet>& texts) {
  for (const auto& [rank, operation] : group.latest) {
    if (group.pending.contains(rank)) continue;
    if (operation->sequence < first)
      texts[operation_text(group, *operation) + (operation->call_site() != nullptr ? "," : "") +
            " was its last: nothing recorded since"]
          .insert(rank);
    else
      texts[operation_text(group, *operation) + ", finished"].insert(rank);
  }
}

}  // namespace

std::string operation_text(const PendingGroup& group, const RecordedOperation& operation) {
  const std::string& description = described(group.description) ? group.description : group.name;
  return fmt::format("{} #{} of {} group \"{}\"", operation.name, operation.sequence, group.backend, description) +
         arguments_text(operation);
}

std::string transfer_text(const JobFacts& job, const Transfer& transfer) {
  const RecordedOperation& operation = *transfer.operation;
  const std::string& group = described(operation.group_description) ? operation.group_description : operation.group;
  return fmt::format("{} {} of {} group \"{}\"", transfer.sends ? "send to" : "recv from", job.who({transfer.peer}),
                     operation.backend, group) +
         arguments_text(operation);
}

std::vector<Observation> recorded_operations(const JobFacts& job) {
  std::vector<Observation> out;
  const std::string source(records_source(job));
  for (const PendingGroup& group : job.pending_groups) {
    std::map<std::string, RankSet> texts;
    for (const auto& [rank, operation] : group.pending)
      texts[operation_text(group, *operation) + ", not finished"].insert(rank);
    add_others(group, group.first_pending(), texts);
    for (auto& [text, ranks] : texts) out.push_back({text, ranks, source});
  }
  for (const RankTransfers& transfers : job.pending_transfers) {
    for (std::size_t i = 0; i < transfers.under_way; ++i)
      out.push_back({transfer_text(job, transfers.pending[i]) + ", not finished", {transfers.rank}, source});
  }
  std::stable_sort(out.begin(), out.end(),
                   [](const auto& a, const auto& b) { return a.ranks.size() < b.ranks.size(); });
  constexpr std::size_t kMost = 8;
  if (out.size() > kMost) out.resize(kMost);
  return out;
}

void argue_by_records(model::Verdict& verdict, const JobFacts& job, const RankSet& waiting) {
  decide_hung(verdict, job, waiting);
  verdict.confidence = waiting.minus(job.unmoved).empty() ? model::Confidence::likely : model::Confidence::possible;
  append(verdict.observations, recorded_operations(job));
  append(verdict.observations, launched_on_communicators(job));
  append(verdict.observations, waiting_in_operations(job));
  append(verdict.observations, places_of(job, job.device));
  append(verdict.observations, gloo_work(job));
  append(verdict.observations, rest_of(job, waiting));
  append(verdict.observations, roll_call(job));
  for (auto& doubt : doubts(job)) verdict.against.push_back(std::move(doubt));
}

}  // namespace hangstack::classifiers
