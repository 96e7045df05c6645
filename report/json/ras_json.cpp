#include <fmt/core.h>

#include <optional>
#include <string>

#include "model/ras.h"
#include "report/json/parts.h"

namespace hangstack::report {
namespace {

using Layout = JsonWriter::Layout;

void write_counts(JsonWriter& json, const model::RasRank& rank) {
  json.key("seq");
  json.begin_object();
  for (std::size_t i = 0; i < rank.launched.size(); ++i)
    if (rank.launched[i]) json.member(model::kNcclCollectives[i], *rank.launched[i]);
  json.end_object();
  json.member("collectives", rank.launched_in_all);
}

void write_item(JsonWriter& json, const model::RasRecord& record, const model::RasCommunicator& communicator,
                const model::RasRank& rank) {
  json.begin_object(Layout::one_line);
  json.member("rank", rank.job_rank);
  json.member("pid", rank.pid == 0 ? std::nullopt : std::optional(rank.pid));
  json.member_or_null("address", rank.host);
  json.member("hash", fmt::format("{:#x}", communicator.hash));
  json.member("communicator_rank", rank.rank);
  json.member("nranks", communicator.ranks);
  json.member("device", rank.device);
  json.member("presence", model::ras_presence_name(rank.presence));
  write_counts(json, rank);
  json.member("async_error", rank.async_error);
  json.member("init_state", rank.init_state);
  json.member("aborted", rank.aborted);
  json.member("finalized", rank.finalized);
  json.member("destroyed", rank.destroyed);
  json.member("nccl_version", record.report.nccl_version);
  json.end_object();
}

/// Of several questions the best answer, with the reason of another one.
const model::RasRecord* best_of(const model::Job& job) {
  const model::RasRecord* best = nullptr;
  for (const model::RasRecord& record : job.ras)
    if (best == nullptr || record.reply.status == model::RecordStatus::ok) best = &record;
  return best;
}

}  // namespace

void write_ras(JsonWriter& json, const model::Job& job) {
  const model::RasRecord* best = best_of(job);
  json.begin_object();
  json.member("status", model::record_status_name(best == nullptr ? model::RecordStatus::absent : best->reply.status));
  json.member_or_null("reason", best == nullptr ? "RAS was not asked" : best->reply.reason);
  json.member_or_null("fix", best == nullptr ? "" : best->reply.fix);
  constexpr std::int64_t kNsPerSecond = 1'000'000'000;
  const std::int64_t read_at = best == nullptr ? 0 : best->reply.read_at_unix_ns / kNsPerSecond;
  json.member_or_null("read_at", read_at == 0 ? std::string() : rfc3339(read_at));
  json.member_or_null("asked_at", best == nullptr ? std::string() : best->reply.address);
  json.key("items");
  json.begin_array();
  for (const model::RasRecord& record : job.ras)
    for (const auto& communicator : record.report.communicators)
      for (const model::RasRank& rank : communicator.members) write_item(json, record, communicator, rank);
  json.end_array();
  json.end_object();
}

}  // namespace hangstack::report
