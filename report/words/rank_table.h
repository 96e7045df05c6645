#pragma once
// Ranks (or processes) folded by what they wait in. All text is printable.

#include <string>
#include <vector>

#include "model/diagnosis.h"

namespace hangstack::report {

struct RankTableRow {
  model::Group group;
  bool read = true;
  bool blamed = false;  ///< has a culprit among its ranks
  std::string place;    ///< pids, or hosts if there are several
};

/// Culprits first, as in the job; then the others; then those that could not be read.
struct RankTable {
  bool ranks = false;   ///< the job has rank numbers
  bool places = false;  ///< pids or hosts: a dump tells neither
  bool hosts = false;   ///< more than one
  bool moved = false;   ///< there were samples to compare
  std::vector<RankTableRow> rows;
  std::string missing;  ///< ranks that are nowhere, as a sentence; empty: none
  std::string others;   ///< "launcher 41800; dataloader workers 41890-3": processes of the job that are no ranks

  [[nodiscard]] bool empty() const { return rows.empty() && missing.empty() && others.empty(); }
  [[nodiscard]] std::vector<std::string> heading() const;
  /// As many as in the heading; the list of ranks takes at most `rank_width` columns.
  [[nodiscard]] std::vector<std::string> cells(const RankTableRow& row, int rank_width) const;
};

/// `list_width`: columns for the list of missing ranks.
RankTable rank_table(const model::Job& job, const model::Report& report, int list_width);

}  // namespace hangstack::report
