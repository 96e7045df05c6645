#pragma once
// PyTorch's flight recorder, read where it lies.

#include "model/error.h"
#include "model/memory_reader.h"
#include "model/records.h"
#include "symbolizer/records/captured_traceback.h"
#include "symbolizer/records/recorder_layout.h"

namespace hangstack::symbolizer {

/// The recorder at `address`, by the first layout that its bytes agree with: flags are 0 or 1, the ring is a vector of
/// whole entries within its capacity, their ids follow each other, their names are names. `not_found` if it is switched
/// off; `malformed_input` if no layout agrees, `unreadable_memory` if it cannot be read.
/// Of the ring the operations are given that `worth_telling` picks, with frames as far as `tracebacks` finds them in
/// the same memory. An entry that changes while it is read (the process may go on recording) is left out.
model::Expected<model::FlightRecorder> read_flight_recorder(model::MemoryReader& memory, model::RemoteAddress address,
                                                            TracebackReader& tracebacks);

/// The same by one layout.
model::Expected<model::FlightRecorder> read_flight_recorder(model::MemoryReader& memory, model::RemoteAddress address,
                                                            TracebackReader& tracebacks, const RecorderLayout& layout);

/// PyTorch's name of a c10::ScalarType (torch/headeronly/core/ScalarType.h of 2.15; older ones have its beginning).
std::string_view scalar_type_name(std::uint8_t type);

}  // namespace hangstack::symbolizer
