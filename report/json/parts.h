#pragma once
// The parts of the JSON report. Each writes one value where the writer stands.

#include "model/diagnosis.h"
#include "report/json/json_writer.h"
#include "report/process_index.h"

namespace hangstack::report {

void write_job(JsonWriter& json, const model::Job& job, const ProcessIndex& index);

/// The last sample of the process in full.
void write_process(JsonWriter& json, const model::ProcessHistory& history, const ProcessIndex& index);

void write_clocks(JsonWriter& json, const model::ThreadClocks& clocks);

}  // namespace hangstack::report
