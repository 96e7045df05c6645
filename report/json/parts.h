#pragma once
// The parts of the JSON report. Each writes one value where the writer stands.

#include <cstdint>
#include <string>

#include "model/diagnosis.h"
#include "report/json/json_writer.h"
#include "report/process_index.h"

namespace hangstack::report {

void write_job(JsonWriter& json, const model::Job& job, const ProcessIndex& index);

/// The last sample of the process in full.
void write_process(JsonWriter& json, const model::ProcessHistory& history, const ProcessIndex& index);

/// What the job's ranks recorded and have not finished, and the last operation of each group.
void write_flight_recorder(JsonWriter& json, const model::Job& job, const ProcessIndex& index);

/// NCCL's communicators, one item for each rank that holds a side of one.
void write_communicators(JsonWriter& json, const model::Job& job, const ProcessIndex& index);

/// What NCCL's RAS answered, one item for each rank of each communicator that it told of.
void write_ras(JsonWriter& json, const model::Job& job);

/// The notable lines of the job's logs, by time.
void write_logs(JsonWriter& json, const model::Job& job);

/// "2026-11-29T03:12:41Z"; empty if the number is no date.
std::string rfc3339(std::int64_t unix_s);

void write_clocks(JsonWriter& json, const model::ThreadClocks& clocks);

}  // namespace hangstack::report
