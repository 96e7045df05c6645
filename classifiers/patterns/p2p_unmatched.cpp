// p2p_unmatched: a rank waits in a send or recv whose other end its peer does not have under way, and the peer waits
// itself: it has gone on without it, or has other transfers before it.
//
// Evidence: the ranks' flight recorders (what is unfinished, between whom), stacks and the kernel's counters. Cannot
// know: whether one side has one transfer too few or the other one too many.

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "classifiers/evidence/observations.h"
#include "classifiers/evidence/recorded.h"
#include "classifiers/patterns/pattern.h"

namespace hangstack::classifiers {
namespace {

using model::RankSet;
using model::Verdict;

/// `transfer` waits for its peer.
struct Wait {
  Transfer transfer;
  bool behind = false;  ///< the peer has the other end, behind what it waits for itself
};

const RankTransfers* transfers_of(const JobFacts& job, int rank) {
  const auto found = std::ranges::find(job.pending_transfers, rank, &RankTransfers::rank);
  return found == job.pending_transfers.end() ? nullptr : &*found;
}

/// Whether the rank stands still and its recorder tells what it has unfinished.
bool waits_and_tells(const JobFacts& job, int rank) {
  const RankFacts* facts = job.rank(rank);
  if (facts == nullptr || job.moved.contains(rank)) return false;
  if (!job.inside.contains(rank) && !job.device.contains(rank)) return false;
  return std::ranges::any_of(facts->process->last().flight_recorders, [](const model::FlightRecorder& recorder) {
    return recorder.status == model::RecordStatus::ok;
  });
}

/// The transfers under way whose other end is not. Empty if a rank that something waits for tells nothing.
std::vector<Wait> waits_in(const JobFacts& job) {
  std::vector<Wait> waits;
  for (const RankTransfers& mine : job.pending_transfers) {
    if (!waits_and_tells(job, mine.rank)) continue;
    for (std::size_t i = 0; i < mine.under_way; ++i) {
      const Transfer& transfer = mine.pending[i];
      if (!waits_and_tells(job, transfer.peer)) return {};
      const RankTransfers* theirs = transfers_of(job, transfer.peer);
      const auto other_end = [&](const Transfer& other) { return transfer.meets(other); };
      if (theirs == nullptr) {
        waits.push_back({transfer, false});
        continue;
      }
      const auto found = std::ranges::find_if(theirs->pending, other_end);
      const auto place = static_cast<std::size_t>(found - theirs->pending.begin());
      if (place >= theirs->under_way) waits.push_back({transfer, found != theirs->pending.end()});
    }
  }
  return waits;
}

struct Unmatched {
  std::vector<Wait> waits;  ///< not empty
  RankSet waiting;
  RankSet culprits;
  bool circle = false;  ///< all that are waited for wait themselves in sends and receives
};

/// Those that most of the waits touch.
RankSet most_involved(const std::vector<Wait>& waits) {
  std::map<int, std::size_t> touched;
  for (const Wait& wait : waits) {
    ++touched[wait.transfer.rank];
    ++touched[wait.transfer.peer];
  }
  std::size_t most = 0;
  for (const auto& [rank, count] : touched) most = std::max(most, count);
  RankSet found;
  for (const auto& [rank, count] : touched)
    if (count == most) found.insert(rank);
  return found;
}

std::optional<Unmatched> unmatched_in(const JobFacts& job) {
  Unmatched found{waits_in(job), {}, {}, false};
  for (const Wait& wait : found.waits) found.waiting.insert(wait.transfer.rank);
  // The ends of all chains: who waits for nobody's send or recv, though others wait for theirs.
  for (const Wait& wait : found.waits)
    if (transfers_of(job, wait.transfer.peer) == nullptr) found.culprits.insert(wait.transfer.peer);
  if (!found.culprits.empty()) {
    std::erase_if(found.waits, [&](const Wait& wait) { return !found.culprits.contains(wait.transfer.peer); });
    return found;
  }
  // Chains that end in a rank whose own transfers have met their other ends are not for want of one.
  for (const Wait& wait : found.waits)
    if (!found.waiting.contains(wait.transfer.peer)) return std::nullopt;
  if (found.waits.empty()) return std::nullopt;
  found.circle = true;
  found.culprits = most_involved(found.waits);
  return found;
}

std::string shape_of(const Unmatched& unmatched) {
  const bool sends = unmatched.waits.front().transfer.sends;
  if (!unmatched.circle) return sends ? "send without a recv" : "recv without a send";
  const bool all_behind = std::ranges::all_of(unmatched.waits, &Wait::behind);
  return all_behind ? "in crossed order" : "between other ranks than the peers expect";
}

std::string summary_of(const JobFacts& job, const Unmatched& unmatched) {
  constexpr std::size_t kMostTold = 2;
  std::string text;
  for (std::size_t i = 0; i < std::min(kMostTold, unmatched.waits.size()); ++i) {
    const Transfer& transfer = unmatched.waits[i].transfer;
    text += fmt::format("{}{} in {}", i == 0 ? "" : "; ", job.subject({transfer.rank}, "is", "are"),
                        transfer_text(job, transfer));
  }
  if (unmatched.waits.size() > kMostTold) text += fmt::format("; and {} more", unmatched.waits.size() - kMostTold);
  if (unmatched.circle) {
    const bool all_behind = std::ranges::all_of(unmatched.waits, &Wait::behind);
    return text + (all_behind ? ": each has what its peer waits for behind that."
                              : ": their peers have not the other end under way.");
  }
  const int first = *unmatched.culprits.ranks().begin();
  return text + fmt::format("; {} no such {} under way: {} {}.", job.subject(unmatched.culprits, "has", "have"),
                            unmatched.waits.front().transfer.sends ? "recv" : "send",
                            unmatched.culprits.size() == 1 ? "it" : "the first", doing(job, first));
}

Verdict verdict_on(const JobFacts& job, const Unmatched& unmatched) {
  Verdict verdict;
  verdict.pattern = "p2p_unmatched";
  verdict.shape = shape_of(unmatched);
  verdict.culprit_ranks = unmatched.culprits;
  verdict.summary = summary_of(job, unmatched);
  argue_by_records(verdict, job, unmatched.waiting.united(unmatched.culprits));
  if (!unmatched.circle)
    verdict.against.emplace_back("or its peer calls one too many: no record says which side is right");
  verdict.next_steps.push_back({"which transfers does each side think there are? the whole stacks",
                                at_ranks(job, unmatched.waiting.united(unmatched.culprits), "--full")});
  verdict.verification.emplace_back("each send has its recv on the peer, at the same place in both ranks' order");
  return verdict;
}

}  // namespace

Ruling judge_p2p_unmatched(const JobFacts& job) {
  if (job.pending_transfers.empty()) return {{}, {}, "no flight recorder has a send or recv as the oldest unfinished"};
  const auto unmatched = unmatched_in(job);
  if (!unmatched) return {{}, {}, "each unfinished send or recv has met its other end, or a peer has not come to it"};
  return {verdict_on(job, *unmatched),
          {},
          fmt::format("{} in transfers whose other end {} not have under way",
                      job.subject(unmatched->waiting, "waits", "wait"),
                      job.who(unmatched->culprits) + (unmatched->culprits.size() == 1 ? " does" : " do"))};
}

}  // namespace hangstack::classifiers
