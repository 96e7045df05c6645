#include "symbolizer/records/recorders.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "model/file_path.h"
#include "symbolizer/records/cxx_objects.h"
#include "symbolizer/records/flight_recorder.h"

namespace hangstack::symbolizer {
namespace {

using model::RemoteAddress;

struct KnownVariable {
  std::string_view library;
  std::string_view symbol;
  RecorderPlace::Kind kind;
  std::string_view name;
};

// nm of the wheels of PyTorch 2.4 to 2.15: the statics of FlightRecorder<Event>::get() (2.8 on), FlightRecorder::get()
// (2.6, 2.7), NCCLTraceBuffer::get() (2.4, 2.5) and getFlightRecorder() (2.15).
constexpr auto kVariables = std::to_array<KnownVariable>({
    {"libtorch_cpu.so", "_ZZN4c10d14FlightRecorderIN3c105EventEE3getEvE8instance", RecorderPlace::Kind::pointer,
     "FlightRecorder<c10::Event>"},
    {"libtorch_cpu.so", "_ZZN4c10d17getFlightRecorderERKNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEEE8registry",
     RecorderPlace::Kind::registry, "getFlightRecorder"},
    {"libtorch_cuda.so", "_ZZN4c10d14FlightRecorderIN3c104cuda9CUDAEventEE3getEvE8instance",
     RecorderPlace::Kind::pointer, "FlightRecorder<c10::cuda::CUDAEvent>"},
    {"libtorch_cuda.so", "_ZZN4c10d14FlightRecorderIN2at4cuda9CUDAEventEE3getEvE8instance",
     RecorderPlace::Kind::pointer, "FlightRecorder<at::cuda::CUDAEvent>"},
    {"libtorch_cuda.so", "_ZZN4c10d14FlightRecorder3getEvE8instance", RecorderPlace::Kind::pointer, "FlightRecorder"},
    {"libtorch_cuda.so", "_ZZN4c10d15NCCLTraceBuffer3getEvE8instance", RecorderPlace::Kind::pointer, "NCCLTraceBuffer"},
});

constexpr std::size_t kMaxBackends = 64;

void add_places(ProcessModules& modules, const model::MappedFile& file, std::vector<RecorderPlace>& places) {
  const std::string_view library = model::base_name(file.path);
  std::vector<std::string_view> symbols;
  for (const KnownVariable& variable : kVariables)
    if (variable.library == library) symbols.push_back(variable.symbol);
  if (symbols.empty()) return;
  Module& module = modules.module_of(file);
  module.resolve_objects(symbols);
  for (const KnownVariable& variable : kVariables) {
    if (variable.library != library) continue;
    const auto symbol = module.find_symbol(variable.symbol);
    if (!symbol) continue;
    for (const LoadedModule& copy : modules.copies_of(file)) {
      const RemoteAddress address = copy.to_remote(symbol->address);
      const model::Mapping* mapping = modules.mapping_at(address);
      if (mapping == nullptr || !mapping->readable || !mapping->writable) continue;
      places.push_back({variable.kind, address, std::string(library) + " " + std::string(variable.name)});
    }
  }
}

model::FlightRecorder read_one(RemoteAddress address, std::string place, TracebackReader& tracebacks,
                               model::MemoryReader& memory) {
  auto found = read_flight_recorder(memory, address, tracebacks);
  model::FlightRecorder recorder;
  if (found) {
    recorder = std::move(*found);
  } else {
    const bool off = found.error().code == model::ErrorCode::not_found;
    recorder.status = off ? model::RecordStatus::absent : model::RecordStatus::failed;
    recorder.reason = found.error().message;
    if (!found.error().fix.empty()) recorder.reason += "; " + found.error().fix;
  }
  recorder.place = std::move(place);
  return recorder;
}

}  // namespace

std::vector<RecorderPlace> find_recorder_places(ProcessModules& modules) {
  std::vector<RecorderPlace> places;
  for (const model::MappedFile& file : modules.files()) add_places(modules, file, places);
  return places;
}

std::vector<model::FlightRecorder> read_recorders(std::span<const RecorderPlace> places,
                                                  std::span<const Runtime> runtimes, model::MemoryReader& memory) {
  std::vector<model::FlightRecorder> recorders;
  TracebackReader tracebacks(runtimes, memory);
  for (const RecorderPlace& place : places) {
    if (place.kind == RecorderPlace::Kind::pointer) {
      const auto pointer = memory.read<std::uint64_t>(place.address);
      if (pointer && *pointer != 0)
        recorders.push_back(read_one(RemoteAddress{*pointer}, place.name, tracebacks, memory));
      continue;
    }
    // {std::string key, pointer}
    constexpr std::uint64_t kKeyBytes = 32;
    for (const CxxStruct& pair : read_hash_map(memory, place.address, kKeyBytes + 8, kMaxBackends)) {
      const auto backend = read_string(memory, pair, 0);
      const RemoteAddress recorder{pair.bytes.u64(kKeyBytes)};
      if (backend && recorder)
        recorders.push_back(read_one(recorder, place.name + "(\"" + *backend + "\")", tracebacks, memory));
    }
  }
  return recorders;
}

std::vector<model::FlightRecorder> read_recorders(const model::ProcessCapture& process, ProcessModules& modules,
                                                  model::MemoryReader& memory) {
  const std::vector<RecorderPlace> places = find_recorder_places(modules);
  if (places.empty()) return {};
  return read_recorders(places, find_runtimes(process, modules, memory).runtimes, memory);
}

}  // namespace hangstack::symbolizer
