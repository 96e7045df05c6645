#include "ingest/ras/ras_reply.h"

#include <algorithm>
#include <string>

namespace hangstack::ingest {
namespace {

/// The server's answers to the commands before the report (src/ras/client_support.cc).
bool is_preamble(std::string_view line) {
  return line.starts_with("SERVER PROTOCOL ") || line == "OK" || line.starts_with("ERROR: ");
}

std::string_view without_preamble(std::string_view text) {
  for (;;) {
    const std::size_t end = text.find('\n');
    if (end == std::string_view::npos) return text;
    std::string_view line = text.substr(0, end);
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (!line.empty() && !is_preamble(line)) return text;
    text.remove_prefix(end + 1);
  }
}

}  // namespace

model::Expected<model::RasReport> read_ras_reply(std::string_view reply) {
  const std::string_view body = without_preamble(reply);
  auto report = body.starts_with('{') ? read_ras_json(body) : read_ras_text(body);
  if (!report) return report;
  for (model::RasCommunicator& communicator : report->communicators) {
    std::ranges::stable_sort(communicator.members, {}, &model::RasRank::rank);
    const auto repeated = std::ranges::unique(communicator.members, {}, &model::RasRank::rank);
    communicator.members.erase(repeated.begin(), repeated.end());
  }
  return report;
}

}  // namespace hangstack::ingest
