#include "symbolizer/native/module_source.h"

#include <algorithm>
#include <array>

#include "symbolizer/native/call_frames.h"
#include "symbolizer/native/debug_files.h"
#include "symbolizer/native/source_lines.h"
#include "symbolizer/native/struct_search.h"
#include "symbolizer/native/symbol_search.h"

namespace hangstack::symbolizer {

ModuleSource::ModuleSource(std::unique_ptr<ElfFile> file) : file_(std::move(file)) {}
ModuleSource::~ModuleSource() = default;

ElfFile* ModuleSource::separate() {
  if (!looked_for_separate_) separate_ = open_separate_debug_file(*file_);
  looked_for_separate_ = true;
  return separate_.get();
}

ElfFile* ModuleSource::mini() {
  if (!looked_for_mini_) mini_ = open_mini_debug_data(*file_);
  looked_for_mini_ = true;
  return mini_.get();
}

CallFrames& ModuleSource::frames() {
  if (!frames_) frames_ = std::make_unique<CallFrames>(*file_, [this] { return separate(); });
  return *frames_;
}

std::optional<SymbolPlace> ModuleSource::find_symbol(std::string_view name) {
  if (auto found = find_by_name(*file_, SymbolTable::symtab, name)) return found;
  if (auto found = find_by_name(*file_, SymbolTable::dynsym, name)) return found;
  if (mini() != nullptr) {
    if (auto found = find_by_name(*mini_, SymbolTable::symtab, name)) return found;
  }
  return separate() != nullptr ? find_by_name(*separate_, SymbolTable::symtab, name) : std::nullopt;
}

std::map<std::string, SymbolPlace> ModuleSource::find_objects(std::span<const std::string_view> names) {
  auto found = symbolizer::find_objects(*file_, names);
  if (found.empty() && separate() != nullptr) found = symbolizer::find_objects(*separate(), names);
  return found;
}

std::optional<AddressRange> ModuleSource::function_range(model::ModuleAddress address) {
  return frames().function_range(address);
}

std::optional<CallFrameRow> ModuleSource::row(model::ModuleAddress address) { return frames().row(address); }

std::map<model::ModuleAddress, SymbolName> ModuleSource::names(std::span<const model::ModuleAddress> addresses) {
  std::vector<model::ModuleAddress> missing(addresses.begin(), addresses.end());
  std::map<model::ModuleAddress, SymbolName> found;
  const auto look_in = [&](const ElfFile* file, SymbolTable table) {
    if (file == nullptr || missing.empty()) return;
    found.merge(find_by_address(*file, table, missing, [this](model::ModuleAddress a) { return function_range(a); }));
    std::erase_if(missing, [&](model::ModuleAddress a) { return found.contains(a); });
  };
  look_in(file_.get(), SymbolTable::symtab);
  look_in(file_.get(), SymbolTable::dynsym);
  if (!missing.empty()) look_in(mini(), SymbolTable::symtab);
  if (!missing.empty()) look_in(separate(), SymbolTable::symtab);
  return found;
}

/// The file that has DWARF; null if none has.
ElfFile* ModuleSource::described() {
  const bool own = file_->section_bytes(".debug_info").has_value() || file_->section_bytes(".zdebug_info").has_value();
  return own ? file_.get() : separate();
}

std::vector<SourceLevel> ModuleSource::source(model::ModuleAddress address) {
  if (!lines_) lines_ = std::make_unique<SourceLines>(described());
  return lines_->at(address);
}

std::optional<StructMembers> ModuleSource::find_struct(std::string_view name,
                                                       std::span<const std::string_view> members) {
  const ElfFile* file = described();
  return file == nullptr ? std::nullopt : symbolizer::find_struct(*file, name, members);
}

}  // namespace hangstack::symbolizer
