#include "classifiers/fold/ras_view.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "classifiers/evidence/launched.h"
#include "classifiers/fold/facts.h"

namespace hangstack::classifiers {
namespace {

using model::Communicator;
using model::RasPresence;
using model::RasRank;
using model::RasRecord;

/// The job's ranks by the pid that RAS knows, of the processes that the record was asked for.
std::map<std::int32_t, int> numbers_of(const RasRecord& record, const std::vector<RankFacts>& ranks) {
  std::map<std::int32_t, int> numbers;
  for (const RankFacts& rank : ranks) {
    const auto& process = rank.process->last();
    if (process.host != record.reply.host || !std::ranges::binary_search(record.reply.pids, process.pid)) continue;
    numbers.emplace(process.ns_pid != 0 ? process.ns_pid : process.pid, rank.number);
  }
  return numbers;
}

template <typename Action>
void for_each_rank(RasRecord& record, const Action& action) {
  for (auto& communicator : record.report.communicators)
    for (RasRank& rank : communicator.members) action(rank);
}

void number_ranks(RasRecord& record, const std::map<std::int32_t, int>& numbers) {
  std::map<std::string, std::set<std::int32_t>> known;
  for_each_rank(record, [&](const RasRank& rank) {
    if (numbers.contains(rank.pid)) known[rank.host].insert(rank.pid);
  });
  if (known.empty()) return;
  const auto here = std::ranges::max_element(known, {}, [](const auto& host) { return host.second.size(); });
  for_each_rank(record, [&](RasRank& rank) {
    const auto number = numbers.find(rank.pid);
    if (number != numbers.end() && rank.host == here->first) rank.job_rank = number->second;
  });
}

bool compares(const RasRank& rank) {
  const bool counts = rank.launched_in_all || std::ranges::any_of(rank.launched, [](const auto& n) { return !!n; });
  return rank.job_rank && counts && rank.presence == RasPresence::answered && !rank.given_up();
}

Communicator side_of(const model::RasCommunicator& communicator, const RasRank& rank) {
  Communicator side;
  side.hash = communicator.hash;
  side.rank = rank.rank;
  side.ranks = communicator.ranks;
  for (std::size_t i = 0; i < rank.launched.size(); ++i) side.launched[i] = rank.launched[i].value_or(0);
  side.launched_of_any_kind = rank.launched_in_all.value_or(0);
  return side;
}

/// What memory says of `like`, of the kinds that it tells.
Communicator told_alike(const Communicator& memory, const RasRank& like) {
  Communicator side;
  for (std::size_t i = 0; i < memory.launched.size(); ++i)
    if (like.launched[i]) side.launched[i] = memory.launched[i];
  if (like.launched_in_all) side.launched_of_any_kind = memory.launched_in_all();
  return side;
}

bool any_more(const Communicator& than, const Communicator& side) {
  for (std::size_t i = 0; i < side.launched.size(); ++i)
    if (side.launched[i] > than.launched[i]) return true;
  return side.launched_of_any_kind > than.launched_of_any_kind;
}

using Key = std::pair<std::uint64_t, int>;

/// By hash and rank, of communicators of which memory counts something; none for a rank with several sides.
std::map<Key, const Communicator*> counted_in_memory(const std::vector<RankFacts>& ranks) {
  std::map<Key, const Communicator*> sides;
  std::set<std::uint64_t> counted;
  for (const RankFacts& rank : ranks) {
    for (const auto& library : rank.process->last().nccl_libraries) {
      for (const Communicator& side : library.communicators) {
        if (!sides.emplace(Key{side.hash, rank.number}, &side).second) sides[{side.hash, rank.number}] = nullptr;
        if (side.launched_in_all() > 0) counted.insert(side.hash);
      }
    }
  }
  std::erase_if(sides, [&](const auto& side) { return side.second == nullptr || !counted.contains(side.first.first); });
  return sides;
}

}  // namespace

std::vector<RasRecord> ras_of(const std::vector<RasRecord>& records, const std::vector<RankFacts>& ranks) {
  std::vector<RasRecord> found;
  for (const RasRecord& record : records) {
    const auto numbers = numbers_of(record, ranks);
    if (numbers.empty()) continue;
    number_ranks(found.emplace_back(record), numbers);
  }
  return found;
}

std::vector<SharedCommunicator> communicators_of(const std::vector<RasRecord>& records,
                                                 std::shared_ptr<std::vector<Communicator>>& storage) {
  struct Side {
    const model::RasCommunicator* communicator;
    const RasRank* rank;
  };
  std::map<std::uint64_t, std::map<int, Side>> by_hash;
  std::set<std::uint64_t> several;  // of which one process holds several sides
  std::size_t sides = 0;
  for (const RasRecord& record : records) {
    for (const auto& communicator : record.report.communicators) {
      for (const RasRank& rank : communicator.members) {
        if (!compares(rank)) continue;
        ++sides;
        if (!by_hash[communicator.hash].emplace(*rank.job_rank, Side{&communicator, &rank}).second)
          several.insert(communicator.hash);
      }
    }
  }
  storage = std::make_shared<std::vector<Communicator>>();
  storage->reserve(sides);
  std::vector<SharedCommunicator> found;
  for (const auto& [hash, ranks] : by_hash) {
    if (ranks.size() < 2 || several.contains(hash)) continue;
    SharedCommunicator& shared = found.emplace_back();
    shared.hash = hash;
    shared.by_ras = true;
    shared.ranks = ranks.begin()->second.communicator->ranks;
    for (const auto& [number, side] : ranks)
      shared.sides[number] = &storage->emplace_back(side_of(*side.communicator, *side.rank));
  }
  return found;
}

std::vector<CountsApart> counts_apart(const std::vector<RankFacts>& ranks, const std::vector<RasRecord>& records,
                                      const model::RankSet& moved) {
  std::vector<CountsApart> apart;
  const auto memory = counted_in_memory(ranks);
  for (const RasRecord& record : records) {
    for (const auto& communicator : record.report.communicators) {
      for (const RasRank& rank : communicator.members) {
        if (!compares(rank)) continue;
        const auto side = memory.find({communicator.hash, *rank.job_rank});
        if (side == memory.end()) continue;
        const Communicator by_memory = told_alike(*side->second, rank);
        const Communicator by_ras = side_of(communicator, rank);
        const bool fewer = any_more(by_ras, by_memory);
        const bool more = any_more(by_memory, by_ras);
        if (fewer || (more && !moved.contains(*rank.job_rank)))
          apart.push_back({communicator.hash, *rank.job_rank, launches_text(by_memory), launches_text(by_ras)});
      }
    }
  }
  return apart;
}

}  // namespace hangstack::classifiers
