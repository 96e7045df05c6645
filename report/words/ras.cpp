#include "report/words/ras.h"

#include <fmt/core.h>

#include <algorithm>

#include "report/printable.h"
#include "report/words/folding.h"

namespace hangstack::report {
namespace {

using model::RasCommunicator;
using model::RasPresence;

std::size_t count_ranks(const model::RasReport& report, RasPresence presence) {
  std::size_t found = 0;
  for (const RasCommunicator& communicator : report.communicators)
    found += static_cast<std::size_t>(std::ranges::count(communicator.members, presence, &model::RasRank::presence));
  return found;
}

bool counts_differ(const RasCommunicator& communicator) {
  const model::RasRank* first = nullptr;
  for (const model::RasRank& rank : communicator.members) {
    if (rank.presence != RasPresence::answered) continue;
    if (first != nullptr && (rank.launched != first->launched || rank.launched_in_all != first->launched_in_all))
      return true;
    first = &rank;
  }
  return false;
}

std::string answer(const model::RasReport& report) {
  const auto all = static_cast<std::size_t>(std::max(report.communicators_in_all, 0));
  std::string text = counted(std::max(all, report.communicators.size()), "communicator", "communicators");
  const auto unequal = std::ranges::count_if(report.communicators, counts_differ);
  text += unequal == 0 ? ", equal counts" : fmt::format(", {} with unequal counts", unequal);
  if (const auto silent = count_ranks(report, RasPresence::silent); silent > 0)
    text += fmt::format(", {} did not answer", counted(silent, "rank", "ranks"));
  if (const auto dead = count_ranks(report, RasPresence::dead); dead > 0)
    text += fmt::format(", {} dead to it", counted(dead, "rank", "ranks"));
  return text;
}

}  // namespace

std::string ras_in_words(const model::RasRecord& record) {
  if (record.reply.address.empty()) return {};
  const bool ok = record.reply.status == model::RecordStatus::ok;
  return printable(
      ok ? fmt::format("NCCL RAS at {}: {}", record.reply.address, answer(record.report))
         : fmt::format("NCCL RAS {}: {}", model::record_status_name(record.reply.status), record.reply.reason));
}

}  // namespace hangstack::report
