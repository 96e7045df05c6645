#include "classifiers/fold/transfers.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <string_view>

#include "classifiers/fold/facts.h"

namespace hangstack::classifiers {
namespace {

using model::FlightRecorder;
using model::RecordedOperation;

std::optional<int> number_at(std::string_view& text) {
  int number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || number < 0) return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return number;
}

/// Numbers within the group, as the recorder names them.
struct Ends {
  int own = 0;
  int peer = 0;
  bool sends = false;
};

/// "send 0->1", "recv 1<-0": the rank's own number comes first
/// (torch/csrc/distributed/c10d/ProcessGroupNCCL.cpp, 2.15: pointToPoint).
std::optional<Ends> ends_of(std::string_view name) {
  const bool sends = name.starts_with("send ");
  if (!sends && !name.starts_with("recv ")) return std::nullopt;
  name.remove_prefix(5);
  const auto own = number_at(name);
  if (!own || !name.starts_with(sends ? "->" : "<-")) return std::nullopt;
  name.remove_prefix(2);
  const auto peer = number_at(name);
  if (!peer || !name.empty()) return std::nullopt;
  return Ends{*own, *peer, sends};
}

std::optional<Transfer> transfer_of(int rank, const FlightRecorder& recorder, const RecordedOperation& operation) {
  const auto ends = ends_of(operation.name);
  if (!ends) return std::nullopt;
  const model::RecordedGroup* group = recorder.group_named(operation.group);
  if (group == nullptr || group->ranks.empty()) {
    // Without members the numbers are those of the job, if its own is.
    return ends->own == rank ? std::optional(Transfer{rank, ends->peer, ends->sends, &operation}) : std::nullopt;
  }
  const auto own = static_cast<std::size_t>(ends->own);
  const auto peer = static_cast<std::size_t>(ends->peer);
  if (own >= group->ranks.size() || peer >= group->ranks.size()) return std::nullopt;
  if (group->ranks[own] != static_cast<std::uint64_t>(rank)) return std::nullopt;
  return Transfer{rank, static_cast<int>(group->ranks[peer]), ends->sends, &operation};
}

/// The number of the first batch, if the first transfer is part of one.
std::optional<std::uint64_t> first_batch(const std::vector<const RecordedOperation*>& waiting) {
  for (const RecordedOperation* operation : waiting) {
    if (!operation->closes_transfers) continue;
    const bool of_first = operation->point_to_point_sequence == waiting.front()->point_to_point_sequence;
    return of_first ? std::optional(operation->point_to_point_sequence) : std::nullopt;
  }
  return std::nullopt;
}

RankTransfers transfers_in(int rank, const FlightRecorder& recorder) {
  RankTransfers found{rank, {}, 0};
  std::vector<const RecordedOperation*> waiting;
  for (const std::size_t i : model::unfinished(recorder.operations)) waiting.push_back(&recorder.operations[i]);
  if (waiting.empty() || !waiting.front()->backend.starts_with("nccl") || !waiting.front()->carries_transfers())
    return found;
  const auto batch = first_batch(waiting);
  for (const RecordedOperation* operation : waiting) {
    if (!operation->point_to_point) continue;
    const auto transfer = transfer_of(rank, recorder, *operation);
    if (!transfer) return {rank, {}, 0};
    found.pending.push_back(*transfer);
    if (batch == operation->point_to_point_sequence) found.under_way = found.pending.size();
  }
  found.under_way = std::max<std::size_t>(found.under_way, found.pending.empty() ? 0 : 1);
  return found;
}

}  // namespace

bool Transfer::meets(const Transfer& other) const {
  return rank == other.peer && peer == other.rank && sends != other.sends &&
         operation->backend == other.operation->backend && operation->group == other.operation->group;
}

std::vector<RankTransfers> pending_transfers_of(const std::vector<RankFacts>& ranks) {
  std::vector<RankTransfers> found;
  for (const RankFacts& rank : ranks) {
    for (const auto& recorder : rank.process->last().flight_recorders) {
      RankTransfers transfers = transfers_in(rank.number, recorder);
      if (transfers.pending.empty()) continue;
      found.push_back(std::move(transfers));
      break;
    }
  }
  return found;
}

}  // namespace hangstack::classifiers
