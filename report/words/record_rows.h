#pragma once
// What ranks recorded, as tables: ranks that say the same are one row.

#include <string>
#include <vector>

#include "model/diagnosis.h"
#include "report/record_summary.h"

namespace hangstack::report {

struct RecordRow {
  model::RankSet ranks;
  std::vector<std::string> cells;  ///< printable
};

struct RecordRows {
  std::vector<std::string> heading;  ///< of the cells
  std::vector<RecordRow> rows;
};

/// Of the flight recorders, unfinished operations first; an age is that of the rank which waits the longest.
RecordRows operation_rows(const std::vector<RankProcess>& ranks);

/// NCCL's communicators as they stand in the ranks' memory.
RecordRows communicator_rows(const std::vector<RankProcess>& ranks);

/// What RAS told of each rank of each communicator. A rank that was not sampled is named by where it is.
RecordRows ras_rows(const model::Job& job);

}  // namespace hangstack::report
