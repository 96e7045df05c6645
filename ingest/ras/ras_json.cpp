// The JSON of RAS (src/ras/client_support.cc of NCCL 2.28.7 to 2.30.7): communicators[] with ranks[] and
// missing_ranks[]. NCCL 2.28.7 to 2.28.9 leave out the comma after "nvml_dev" of a missing rank.

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "ingest/document/json.h"
#include "ingest/ras/ras_reply.h"

namespace hangstack::ingest {
namespace {

using model::RasCommunicator;
using model::RasPresence;
using model::RasRank;

constexpr std::string_view kNvmlDevice = "\"nvml_dev\":";

/// With the commas that are missing after `"nvml_dev": 1`.
std::string with_commas(std::string_view text) {
  std::string whole;
  whole.reserve(text.size());
  for (;;) {
    const std::size_t at = text.find(kNvmlDevice);
    if (at == std::string_view::npos) return whole.append(text);
    std::size_t end = std::min(text.find_first_not_of(" -0123456789", at + kNvmlDevice.size()), text.size());
    whole.append(text.substr(0, end));
    text.remove_prefix(end);
    const std::size_t next = text.find_first_not_of(" \t\r\n");
    if (next != std::string_view::npos && text[next] == '"') whole += ',';
  }
}

std::optional<std::int32_t> number_in(Value object, std::string_view key) {
  const auto value = object.find(key);
  const auto number = value ? value->integer() : std::nullopt;
  return number && std::in_range<std::int32_t>(*number) ? std::optional(static_cast<std::int32_t>(*number))
                                                        : std::nullopt;
}

bool flag_in(Value object, std::string_view key) {
  const auto value = object.find(key);
  return value && value->boolean().value_or(false);
}

/// At most 64 bytes.
std::string text_in(Value object, std::string_view key) {
  const auto value = object.find(key);
  return std::string((value ? value->text() : std::nullopt).value_or("").substr(0, 64));
}

std::uint64_t hash_in(Value object) {
  std::string text = text_in(object, "hash");
  const std::size_t start = text.starts_with("0x") ? 2 : 0;
  std::uint64_t value = 0;
  std::from_chars(text.data() + start, text.data() + text.size(), value, 16);
  return value;
}

RasRank rank_from(Value object, bool missing) {
  RasRank rank;
  rank.rank = number_in(object, "rank").value_or(0);
  rank.host = text_in(object, "host");
  if (rank.host == "unknown") rank.host.clear();
  rank.pid = std::max(number_in(object, "pid").value_or(0), 0);  // -1: not known
  rank.device = number_in(object, "cuda_dev");
  if (missing) rank.presence = RasPresence::no_communicator;
  if (const auto status = object.find("status")) {
    if (missing && flag_in(*status, "unresponsive")) rank.presence = RasPresence::silent;
    if (missing && flag_in(*status, "considered_dead")) rank.presence = RasPresence::dead;
    rank.init_state = number_in(*status, "init_state");
    rank.async_error = number_in(*status, "async_error");
    rank.finalized = flag_in(*status, "finalize_called");
    rank.destroyed = flag_in(*status, "destroy_flag");
    rank.aborted = flag_in(*status, "abort_flag");
  }
  if (const auto counts = object.find("collective_counts")) {
    for (std::size_t i = 0; i < model::kNcclCollectives.size(); ++i) {
      const auto value = counts->find(model::kNcclCollectives[i]);
      const auto count = value ? value->integer() : std::nullopt;
      if (count && *count >= 0) rank.launched.at(i) = static_cast<std::uint64_t>(*count);
    }
  }
  return rank;
}

void add_ranks(Value communicator, std::string_view list, RasCommunicator& to, std::size_t& ranks) {
  const auto members = communicator.find(list);
  if (!members || members->kind() != ValueKind::list) return;
  for (std::size_t i = 0; i < members->size() && ranks < kMostRasRanks; ++i, ++ranks)
    to.members.push_back(rank_from(members->element(i), list == "missing_ranks"));
}

}  // namespace

model::Expected<model::RasReport> read_ras_json(std::string_view text) {
  const auto document = read_json(with_commas(text));
  if (!document) return tl::make_unexpected(document.error());
  const Value root = document->root();
  model::RasReport report;
  report.json = true;
  report.nccl_version = text_in(root, "nccl_version");
  const auto communicators = root.find("communicators");
  if (report.nccl_version.empty() || !communicators || communicators->kind() != ValueKind::list)
    return model::failure(model::ErrorCode::malformed_input, "what RAS sent is JSON, and not its report");
  report.communicators_in_all = number_in(root, "communicators_count").value_or(0);
  if (const auto ras = root.find("ras")) report.timeouts = number_in(*ras, "timeouts_count").value_or(0);
  std::size_t ranks = 0;
  for (std::size_t i = 0; i < communicators->size() && i < kMostRasCommunicators; ++i) {
    const Value communicator = communicators->element(i);
    RasCommunicator& told = report.communicators.emplace_back();
    told.hash = hash_in(communicator);
    told.ranks = number_in(communicator, "size").value_or(0);
    add_ranks(communicator, "ranks", told, ranks);
    add_ranks(communicator, "missing_ranks", told, ranks);
  }
  return report;
}

}  // namespace hangstack::ingest
