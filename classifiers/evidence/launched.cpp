#include "classifiers/evidence/launched.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

namespace hangstack::classifiers {

using model::Observation;
using model::RankSet;

namespace {

std::string communicator_text(std::uint64_t hash, std::string_view name, int ranks) {
  const std::string quoted = name.empty() ? "" : fmt::format(" \"{}\"", name);
  return fmt::format("NCCL communicator {:#x}{} ({} ranks)", hash, quoted, ranks);
}

}  // namespace

std::string communicator_text(const SharedCommunicator& communicator) {
  return communicator_text(communicator.hash, communicator.name, communicator.ranks);
}

std::string communicator_text(const JointCommunicator& communicator) {
  return communicator_text(communicator.hash, {}, communicator.ranks);
}

std::string launches_text(const model::Communicator& side) {
  std::string text;
  for (std::size_t i = 0; i < side.launched.size(); ++i) {
    if (side.launched[i] == 0) continue;
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", side.launched[i], model::kNcclCollectives[i]);
  }
  if (side.launched_of_any_kind > 0)
    text += fmt::format("{}{} collectives", text.empty() ? "" : ", ", side.launched_of_any_kind);
  return text.empty() ? "nothing" : text;
}

std::vector<Observation> launched_on_communicators(const JobFacts& job) {
  std::vector<Observation> out;
  for (const SharedCommunicator& communicator : job.unequal_communicators) {
    if (communicator.by_ras) continue;
    std::map<std::string, RankSet> texts;
    for (const auto& [rank, side] : communicator.sides) texts[launches_text(*side)].insert(rank);
    for (const auto& [text, ranks] : texts)
      out.push_back(
          {fmt::format("launched {} on {}", text, communicator_text(communicator)), ranks, std::string(kNcclMemory)});
  }
  constexpr std::size_t kMost = 8;
  if (out.size() > kMost) out.resize(kMost);
  return out;
}

bool behind_in_launches(const JobFacts& job, const RankSet& waiting, const RankSet& late) {
  if (waiting.empty() || late.empty()) return false;
  return std::ranges::any_of(job.unequal_communicators, [&](const SharedCommunicator& communicator) {
    const auto launched = [&](int rank) {
      const auto side = communicator.sides.find(rank);
      return side == communicator.sides.end() ? 0 : side->second->launched_in_all();
    };
    std::uint64_t ahead = launched(*waiting.ranks().begin());
    for (const int rank : waiting.ranks()) ahead = std::min(ahead, launched(rank));
    // One that has launched nothing may be one that does not count.
    return std::ranges::all_of(late.ranks(), [&](int rank) { return launched(rank) > 0 && launched(rank) < ahead; });
  });
}

}  // namespace hangstack::classifiers
