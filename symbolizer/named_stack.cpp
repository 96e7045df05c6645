#include "symbolizer/named_stack.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <map>

#include "symbolizer/native/function_name.h"

namespace hangstack::symbolizer {

namespace {

using model::Frame;
using model::FrameKind;

Frame marker(std::string function, std::string note) {
  Frame frame;
  frame.kind = FrameKind::marker;
  frame.function = std::move(function);
  frame.note = std::move(note);
  return frame;
}

/// For addresses without an ELF file.
std::string memory_name(model::RemoteAddress address, const ProcessModules& modules) {
  const model::Mapping* mapping = modules.mapping_at(address);
  if (mapping == nullptr) return {};
  if (!mapping->path.empty()) return mapping->path;
  return mapping->executable ? "[jit]" : "[anonymous]";
}

std::string why_unnamed(model::RemoteAddress address, ProcessModules& modules) {
  if (Module* module = modules.module_at(address)) {
    return module->available() ? "no symbol covers this address" : module->unavailable_because();
  }
  const model::Mapping* mapping = modules.mapping_at(address);
  if (mapping == nullptr) return "nothing is mapped at this address";
  return mapping->path.empty() ? "code generated at run time" : "not an ELF file";
}

/// Not for the C library: its functions say all that a reader wants, and unpacking its separate debug file (compressed,
/// Debian's libc6-dbg) takes longer than naming everything else in a rank.
bool wants_lines(const Module& module) {
  constexpr auto kLibraryC = std::to_array<std::string_view>({"libc.so", "libc-2.", "ld-linux"});
  return std::ranges::none_of(kLibraryC, [&](std::string_view start) { return module.name().starts_with(start); });
}

}  // namespace

void StackNamer::resolve(const std::vector<UnwoundStack>& stacks, ProcessModules& modules) {
  std::map<Module*, std::vector<model::ModuleAddress>> wanted;
  for (const UnwoundStack& stack : stacks) {
    for (const UnwoundFrame& frame : stack.frames) {
      if (const auto place = modules.find(frame.lookup())) wanted[place->module].push_back(place->address);
    }
  }
  for (const auto& [module, addresses] : wanted) module->resolve_names(addresses);
}

const std::string& StackNamer::normal_form_of(const std::string& raw) {
  auto known = normal_forms_.find(raw);
  if (known == normal_forms_.end()) known = normal_forms_.emplace(raw, normal_form(raw)).first;
  return known->second;
}

NamedFrame StackNamer::name_frame(const UnwoundFrame& unwound, ProcessModules& modules) {
  NamedFrame named{{}, unwound.sp, unwound.cfa};
  if (unwound.is_signal_frame) {
    Frame frame = marker("<signal handler called>", "");
    frame.address = unwound.pc;
    named.levels.push_back(std::move(frame));
    return named;
  }
  Frame frame;
  frame.address = unwound.pc;
  frame.trust = unwound.trust;
  const auto place = modules.find(unwound.lookup());
  if (place) {
    frame.module = place->module->path();
    frame.offset = unwound.pc - place->load_bias;
    if (const SymbolName* symbol = place->module->name_at(place->address)) {
      frame.function = normal_form_of(symbol->raw);
      if (frame.function != symbol->raw) frame.symbol = symbol->raw;
    }
  } else {
    const Module* module = modules.module_at(unwound.lookup());
    frame.module = module != nullptr ? module->path() : memory_name(unwound.lookup(), modules);
  }
  if (place && lines_ && wants_lines(*place->module)) {
    const auto& levels = place->module->source_at(place->address);
    for (std::size_t i = 0; i + 1 < levels.size(); ++i) {
      Frame inlined = frame;
      inlined.kind = FrameKind::inlined;
      inlined.function = normal_form_of(levels[i].function);
      inlined.symbol.clear();
      inlined.file = levels[i].file;
      inlined.line = levels[i].line;
      named.levels.push_back(std::move(inlined));
    }
    if (!levels.empty()) {
      frame.file = levels.back().file;
      frame.line = levels.back().line;
      if (frame.function.empty()) frame.function = normal_form_of(levels.back().function);
    }
  }
  if (frame.function.empty()) frame.note = why_unnamed(unwound.lookup(), modules);
  named.levels.push_back(std::move(frame));
  return named;
}

std::vector<NamedFrame> StackNamer::name(const UnwoundStack& stack, ProcessModules& modules) {
  std::vector<NamedFrame> frames;
  frames.reserve(stack.frames.size() + 1);
  for (std::size_t i = 0; i < stack.frames.size(); ++i) {
    if (stack.omitted != 0 && i == stack.omitted_before) {
      frames.push_back({{marker(fmt::format("<{} frames omitted>", stack.omitted), "the stack is very deep")}, 0, 0});
    }
    frames.push_back(name_frame(stack.frames[i], modules));
  }
  return frames;
}

bool is_outermost_function(const std::string& symbol) {
  constexpr auto kOutermost = std::to_array<std::string_view>(
      {"_start", "__clone", "clone", "__clone3", "clone3", "_dl_start_user", "__start_thread"});
  return std::ranges::find(kOutermost, symbol) != kOutermost.end();
}

}  // namespace hangstack::symbolizer
