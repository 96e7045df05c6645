#pragma once
// The flight recorders of a process: gloo's and the other backends' in libtorch_cpu, classic NCCL's in libtorch_cuda.

#include <span>
#include <string>
#include <vector>

#include "model/memory_reader.h"
#include "model/records.h"
#include "symbolizer/native/process_modules.h"
#include "symbolizer/python/runtime.h"

namespace hangstack::symbolizer {

/// A variable that leads to recorders.
struct RecorderPlace {
  enum class Kind : std::uint8_t {
    pointer,   ///< FlightRecorder<Event>::get()'s static pointer
    registry,  ///< getFlightRecorder()'s static std::unordered_map<std::string, pointer>
  };
  Kind kind = Kind::pointer;
  model::RemoteAddress address;
  std::string name;  ///< "libtorch_cpu.so FlightRecorder<c10::Event>"
};

/// Their variables are local symbols: a library without .symtab gives none. Opens files.
std::vector<RecorderPlace> find_recorder_places(ProcessModules& modules);

/// The recorders behind the places; none for a variable that nobody has set yet. Each says why it could not be read.
/// `runtimes`: the process's interpreters, which name what called.
std::vector<model::FlightRecorder> read_recorders(std::span<const RecorderPlace> places,
                                                  std::span<const Runtime> runtimes, model::MemoryReader& memory);

/// All of it, for a process whose memory is recorded.
std::vector<model::FlightRecorder> read_recorders(const model::ProcessCapture& process, ProcessModules& modules,
                                                  model::MemoryReader& memory);

}  // namespace hangstack::symbolizer
