#pragma once
// Sends and receives over the ranks, by their flight recorders. A recorder numbers them for itself, so that those of
// two ranks are joined by who sends to whom, not by number.

#include <string>
#include <vector>

#include "model/records.h"

namespace hangstack::classifiers {

struct RankFacts;

/// A send or receive that a rank waits for. Points into the processes.
struct Transfer {
  int rank = 0;        ///< whose it is
  int peer = 0;        ///< the other end
  bool sends = false;  ///< it is the rank that sends
  const model::RecordedOperation* operation = nullptr;

  /// Whether `other` is the other end of one transfer with this one, in the same group.
  [[nodiscard]] bool meets(const Transfer& other) const;
};

/// The unfinished transfers of one rank, in the order of recording.
struct RankTransfers {
  int rank = 0;
  std::vector<Transfer> pending;
  /// How many of them are under way: the whole first batch, or the first one. What stands behind waits for these.
  std::size_t under_way = 0;
};

/// Of NCCL's groups, of ranks that have such and nothing older to end: an unfinished collective before the first of
/// them holds them up. Ascending by rank.
std::vector<RankTransfers> pending_transfers_of(const std::vector<RankFacts>& ranks);

}  // namespace hangstack::classifiers
