#pragma once
// Why a stack ended, in the words of a report.

#include <cstdint>
#include <string>

#include "model/address.h"
#include "model/capture.h"
#include "model/snapshot.h"
#include "symbolizer/native/process_modules.h"

namespace hangstack::symbolizer {

struct StackEnd {
  std::string text;
  bool complete = false;
  model::StackNeed need = model::StackNeed::nothing;
};

/// "libfoo.so+0x1234", "[jit]+0x12", or the bare address.
std::string describe(model::RemoteAddress address, ProcessModules& modules);

StackEnd complete_end();
StackEnd needs_register(model::Register reg, model::RemoteAddress at, ProcessModules& modules);
/// More of the stack if that is where `address` lies.
StackEnd needs_memory(std::uint64_t address, const model::ThreadCapture& thread, ProcessModules& modules);
/// Says too if it is the file that cannot be opened.
StackEnd no_call_frame_information(model::RemoteAddress at, ProcessModules& modules);
StackEnd bad_return_address(std::uint64_t address, model::RemoteAddress from, ProcessModules& modules);
StackEnd no_progress(model::RemoteAddress at, ProcessModules& modules);

}  // namespace hangstack::symbolizer
