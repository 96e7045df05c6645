#include "report/words/record_rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "model/duration.h"
#include "report/printable.h"

namespace hangstack::report {
namespace {

using model::RecordedOperation;

constexpr std::size_t kMostTensors = 4;

/// "[1024] Float, [8,4] BFloat16 and 3 more".
std::string tensors_in_words(const std::vector<model::RecordedTensor>& tensors) {
  std::string text;
  for (std::size_t i = 0; i < std::min(tensors.size(), kMostTensors); ++i) {
    text += fmt::format("{}[{}] {}", i == 0 ? "" : ", ", fmt::join(tensors[i].sizes, ","), tensors[i].dtype);
  }
  if (tensors.size() > kMostTensors) text += fmt::format(" and {} more", tensors.size() - kMostTensors);
  return text;
}

std::string group_in_words(const RecordedOperation& operation) {
  std::string text = operation.group_description.empty() ? operation.group : operation.group_description;
  if (!operation.backend.empty()) text = operation.backend + " " + text;
  return text;
}

std::string number_of(const RecordedOperation& operation) {
  return operation.carries_transfers() ? fmt::format("p2p #{}", operation.point_to_point_sequence)
                                       : fmt::format("#{}", operation.sequence);
}

std::string call_site_of(const RecordedOperation& operation) {
  const model::RecordedFrame* site = operation.call_site();
  return site == nullptr ? "" : fmt::format("{} {}:{}", site->function, site->file, site->line);
}

/// Collects rows by their cells, in order of appearance.
class Folding {
 public:
  RecordRow& row(std::vector<std::string> cells) {
    for (auto& cell : cells) cell = printable(cell);
    const auto [at, fresh] = known_.try_emplace(cells, rows_.size());
    if (fresh) rows_.push_back({{}, std::move(cells)});
    return rows_[at->second];
  }
  std::vector<RecordRow> take() { return std::move(rows_); }

 private:
  std::map<std::vector<std::string>, std::size_t> known_;
  std::vector<RecordRow> rows_;
};

std::string joined(const std::vector<std::string>& words) { return fmt::format("{}", fmt::join(words, ", ")); }

std::string flags_in_words(std::int32_t init_state, std::int32_t error, bool aborted, bool finalized, bool destroyed) {
  std::vector<std::string> words;
  if (init_state == model::kNcclInProgress) words.emplace_back("initialisation in progress");
  if (init_state != 0 && init_state != model::kNcclInProgress)
    words.push_back(fmt::format("initialisation: ncclResult_t {}", init_state));
  if (error == model::kNcclInProgress) words.emplace_back("a call in progress");
  if (error != 0 && error != model::kNcclInProgress) words.push_back(fmt::format("error: ncclResult_t {}", error));
  if (aborted) words.emplace_back("aborted");
  if (finalized) words.emplace_back("finalized");
  if (destroyed) words.emplace_back("being destroyed");
  return joined(words);
}

std::string launched_in_words(const model::RasRank& rank) {
  std::vector<std::string> words;
  for (std::size_t i = 0; i < rank.launched.size(); ++i)
    if (rank.launched[i].value_or(0) > 0)
      words.push_back(fmt::format("{} {}", model::kNcclCollectives[i], *rank.launched[i]));
  if (rank.launched_in_all) words.push_back(fmt::format("{} in all", *rank.launched_in_all));
  return joined(words);
}

std::string launched_in_words(const model::Communicator& communicator) {
  std::vector<std::string> words;
  for (std::size_t i = 0; i < communicator.launched.size(); ++i)
    if (communicator.launched[i] > 0)
      words.push_back(fmt::format("{} {}", model::kNcclCollectives[i], communicator.launched[i]));
  if (communicator.launched_of_any_kind > 0)
    words.push_back(fmt::format("{} of any kind", communicator.launched_of_any_kind));
  return words.empty() ? "none" : joined(words);
}

}  // namespace

RecordRows operation_rows(const std::vector<RankProcess>& ranks) {
  constexpr double kNsPerSecond = 1e9;
  struct Operations {
    model::RankSet ranks;
    std::vector<std::string> cells;
    double age_s = 0;
    bool finished = false;
  };
  std::map<std::vector<std::string>, std::size_t> known;
  std::vector<Operations> found;
  for (const auto& [rank, process] : ranks) {
    for (const auto& recorder : process->flight_recorders) {
      for (const RecordedOperation& operation : recorder.operations) {
        std::vector<std::string> cells{
            group_in_words(operation),
            number_of(operation),
            operation.name,
            tensors_in_words(operation.inputs.empty() ? operation.outputs : operation.inputs),
            std::string(operation_state(operation)),
            call_site_of(operation)};
        for (auto& cell : cells) cell = printable(cell);
        const auto [at, fresh] = known.try_emplace(cells, found.size());
        if (fresh) found.push_back({{}, std::move(cells), 0, operation.finished()});
        Operations& row = found[at->second];
        if (rank) row.ranks.insert(*rank);
        if (operation.created_unix_ns > 0)
          row.age_s = std::max(
              row.age_s, static_cast<double>(process->captured_at_unix_ns - operation.created_unix_ns) / kNsPerSecond);
      }
    }
  }
  std::ranges::stable_partition(found, [](const Operations& row) { return !row.finished; });
  RecordRows table{{"group", "number", "operation", "sizes", "state", "called at", "begun"}, {}};
  for (Operations& row : found) {
    row.cells.push_back(row.age_s > 0 ? model::duration(row.age_s) + " ago" : "");
    table.rows.push_back({std::move(row.ranks), std::move(row.cells)});
  }
  return table;
}

RecordRows communicator_rows(const std::vector<RankProcess>& ranks) {
  Folding folding;
  for (const auto& [rank, process] : ranks) {
    for (const auto& library : process->nccl_libraries) {
      for (const model::Communicator& one : library.communicators) {
        RecordRow& row =
            folding.row({fmt::format("{:#x}", one.hash), one.name, std::to_string(one.ranks), launched_in_words(one),
                         flags_in_words(one.init_state, one.async_error, one.aborted, one.finalized, one.destroyed)});
        if (rank) row.ranks.insert(*rank);
      }
    }
  }
  return {{"communicator", "name", "ranks of it", "launched", "state"}, folding.take()};
}

RecordRows ras_rows(const model::Job& job) {
  Folding folding;
  for (const model::RasRecord& record : job.ras) {
    for (const auto& communicator : record.report.communicators) {
      for (const model::RasRank& rank : communicator.members) {
        const std::string who =
            rank.job_rank ? "" : fmt::format("rank {} of it, pid {} at {}", rank.rank, rank.pid, rank.host);
        RecordRow& row = folding.row({fmt::format("{:#x}", communicator.hash), who,
                                      std::string(model::ras_presence_name(rank.presence)), launched_in_words(rank),
                                      flags_in_words(rank.init_state.value_or(0), rank.async_error.value_or(0),
                                                     rank.aborted, rank.finalized, rank.destroyed)});
        if (rank.job_rank) row.ranks.insert(*rank.job_rank);
      }
    }
  }
  return {{"communicator", "not sampled", "presence", "launched", "state"}, folding.take()};
}

}  // namespace hangstack::report
