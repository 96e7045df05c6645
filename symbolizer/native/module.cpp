#include "symbolizer/native/module.h"

#include <algorithm>
#include <cstring>

#include "symbolizer/native/elf_file.h"
#include "symbolizer/native/module_source.h"
#include "symbolizer/native/section_probe.h"
#include "symbolizer/native/symbol_search.h"

namespace hangstack::symbolizer {

std::string module_key(const model::MappedFile& file) {
  return file.build_id.empty() ? file.device + ":" + std::to_string(file.inode) + ":" + file.path : file.build_id;
}

Module::Module(std::string key) : key_(std::move(key)) {}
Module::~Module() = default;

void Module::offer(const model::MappedFile& file) {
  if (facts_.path.empty()) facts_.path = file.path;
  if (!source_ && std::ranges::find(offered_, file) == offered_.end()) offered_.push_back(file);
}

void Module::offer_image(std::vector<std::byte> image, const std::string& path) {
  if (facts_.path.empty()) facts_.path = path;
  if (source_) return;
  auto opened = ElfFile::from_image(std::move(image), path);
  if (!opened) {
    problem_ = opened.error().message;
    return;
  }
  source_ = std::make_unique<ModuleSource>(std::move(*opened));
}

void Module::set_facts(ModuleFacts facts) {
  facts_ = std::move(facts);
  has_loaded_facts_ = true;
}

std::string_view Module::name() const {
  const std::string_view path = facts_.path;
  return path.substr(path.rfind('/') + 1);
}

ModuleSource* Module::source() {
  for (; !source_ && tried_ < offered_.size(); ++tried_) {
    const model::MappedFile& file = offered_[tried_];
    // An inode number means nothing on another machine, where loaded facts were likely recorded.
    if (has_loaded_facts_ && file.build_id.empty()) continue;
    auto opened = ElfFile::open(file);
    if (opened) {
      source_ = std::make_unique<ModuleSource>(std::move(*opened));
      problem_.clear();
    } else {
      problem_ = opened.error().message;
    }
  }
  return source_.get();
}

bool Module::available() { return has_loaded_facts_ || source() != nullptr; }

const std::vector<LoadSegment>& Module::segments() {
  if (facts_.segments.empty() && source() != nullptr) facts_.segments = source()->file().segments();
  return facts_.segments;
}

std::optional<AddressRange> Module::section(std::string_view name) {
  const std::string key(name);
  if (auto known = facts_.sections.find(key); known != facts_.sections.end()) return known->second;
  if (!source_ && tried_ == 0 && !offered_.empty() && !has_loaded_facts_ && lacks_section(offered_.front(), name))
    return facts_.sections[key] = std::nullopt;
  if (source() == nullptr) return std::nullopt;
  return facts_.sections[key] = source()->file().section(name);
}

std::optional<SymbolPlace> Module::find_symbol(std::string_view name) {
  const std::string key(name);
  if (auto known = facts_.symbols_by_name.find(key); known != facts_.symbols_by_name.end()) return known->second;
  if (source() == nullptr) return std::nullopt;
  return facts_.symbols_by_name[key] = source()->find_symbol(name);
}

void Module::resolve_objects(std::span<const std::string_view> names) {
  std::vector<std::string_view> wanted;
  for (const std::string_view name : names)
    if (!facts_.symbols_by_name.contains(std::string(name))) wanted.push_back(name);
  if (wanted.empty() || source() == nullptr) return;
  const auto found = source()->find_objects(wanted);
  for (const std::string_view name : wanted) {
    const auto place = found.find(std::string(name));
    facts_.symbols_by_name[std::string(name)] = place == found.end() ? std::nullopt : std::optional(place->second);
  }
}

const std::string& Module::slot_symbol(model::ModuleAddress slot) {
  static const std::string kNone;
  auto known = facts_.slots.find(slot.value);
  if (known == facts_.slots.end()) {
    if (source() == nullptr) return kNone;
    known = facts_.slots.emplace(slot.value, symbol_of_slot(source()->file(), slot)).first;
  }
  return known->second;
}

std::size_t Module::read(model::ModuleAddress address, std::span<std::byte> into) {
  const std::size_t known = facts_.bytes.read(address.value, into);
  if (known == into.size() || source() == nullptr) return known;
  const auto bytes = source()->file().bytes_from(address);
  const std::size_t count = std::min(bytes.size(), into.size());
  if (count == 0) return 0;
  std::memcpy(into.data(), bytes.data(), count);
  facts_.bytes.add(address.value, bytes.first(count));
  return count;
}

std::optional<AddressRange> Module::function_range(model::ModuleAddress address) {
  if (auto known = facts_.functions.find(address.value); known != facts_.functions.end()) return known->second;
  if (source() == nullptr) return std::nullopt;
  return facts_.functions[address.value] = source()->function_range(address);
}

const CallFrameRow* Module::row(model::ModuleAddress address) {
  auto known = facts_.rows.find(address.value);
  if (known == facts_.rows.end()) {
    if (source() == nullptr) return nullptr;
    known = facts_.rows.emplace(address.value, source()->row(address)).first;
  }
  return known->second ? &*known->second : nullptr;
}

void Module::resolve_names(std::span<const model::ModuleAddress> addresses) {
  std::vector<model::ModuleAddress> wanted;
  for (const auto address : addresses) {
    if (!facts_.names.contains(address.value)) wanted.push_back(address);
  }
  if (wanted.empty() || source() == nullptr) return;
  std::ranges::sort(wanted);
  wanted.erase(std::unique(wanted.begin(), wanted.end()), wanted.end());
  auto found = source()->names(wanted);
  for (const auto address : wanted) {
    const auto name = found.find(address);
    facts_.names[address.value] = name == found.end() ? std::nullopt : std::optional(name->second);
  }
}

const SymbolName* Module::name_at(model::ModuleAddress address) const {
  const auto known = facts_.names.find(address.value);
  return known == facts_.names.end() || !known->second ? nullptr : &*known->second;
}

const std::vector<SourceLevel>& Module::source_at(model::ModuleAddress address) {
  static const std::vector<SourceLevel> kNone;
  auto known = facts_.sources.find(address.value);
  if (known == facts_.sources.end()) {
    if (source() == nullptr) return kNone;
    known = facts_.sources.emplace(address.value, source()->source(address)).first;
  }
  return known->second;
}

std::optional<StructMembers> Module::struct_members(std::string_view name, std::span<const std::string_view> members) {
  const std::string key(name);
  if (auto known = facts_.structs.find(key); known != facts_.structs.end()) return known->second;
  if (source() == nullptr) return std::nullopt;
  return facts_.structs[key] = source()->find_struct(name, members);
}

}  // namespace hangstack::symbolizer
