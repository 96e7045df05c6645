#pragma once
// The sections of the text report, in their order on the page. Each begins with its own gap, and prints
// nothing if it has nothing to say.

#include "model/diagnosis.h"
#include "report/process_index.h"
#include "report/report.h"
#include "report/text/layout.h"

namespace hangstack::report {

/// Version, time, what was sampled and what it cost the job.
void header_section(Page& page, const model::Report& report);

/// Which job the following sections are about, if there are several.
void job_heading(Page& page, const model::Job& job);

/// HUNG, NOT HUNG or UNDECIDED with pattern, culprits and confidence; then the argument.
void verdict_section(Page& page, const model::Job& job);

/// Ranks (or processes) folded by what they wait in.
void ranks_section(Page& page, const model::Job& job, const model::Report& report);

/// The merged tree of blocked threads.
void tree_section(Page& page, const model::Job& job, bool whole);

/// One line for each question that NCCL's RAS was asked, or that found no RAS.
void ras_section(Page& page, const model::Job& job);

/// What the logs say: the first failure, and the last notable line of each rank.
void logs_section(Page& page, const model::Job& job);

void alternatives_section(Page& page, const model::Job& job);

/// What could not be read, each with its fix; failures that differ only in numbers are one entry.
void problems_section(Page& page, const model::Report& report);

/// `--why`.
void decisions_section(Page& page, const model::Job& job);

/// `--full` and `--all-threads`: threads with their stacks. Threads with equal stacks are one entry, unless both
/// options are given.
void stacks_section(Page& page, const model::Report& report, const TextOptions& options);

/// How many threads there were, and where to see more.
void footer_section(Page& page, const model::Report& report, const TextOptions& options);

}  // namespace hangstack::report
