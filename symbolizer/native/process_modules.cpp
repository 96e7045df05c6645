#include "symbolizer/native/process_modules.h"

#include <algorithm>
#include <limits>
#include <utility>

namespace hangstack::symbolizer {

namespace {

constexpr std::uint64_t kPage = 4096;
constexpr std::size_t kMaxImageBytes = std::size_t{1} << 20;

std::uint64_t page_down(std::uint64_t value) { return value & ~(kPage - 1); }

/// Does the loader map this part of the file for this segment? It maps whole pages.
bool covers(const LoadSegment& segment, std::uint64_t file_offset) {
  const std::uint64_t start = page_down(segment.file_offset);
  if (file_offset < start || segment.file_size > std::numeric_limits<std::uint64_t>::max() - segment.file_offset) {
    return false;
  }
  return file_offset < segment.file_offset + segment.file_size;
}

/// Two segments can share a page of the file: then the one whose start the mapping has (RELRO makes the first pages of
/// a writable segment read-only, like the segment before it), or whose rights it has.
const LoadSegment* segment_for(const std::vector<LoadSegment>& segments, const model::Mapping& mapping) {
  const LoadSegment* best = nullptr;
  int best_score = -1;
  for (const LoadSegment& s : segments) {
    if (!covers(s, mapping.file_offset)) continue;
    if (mapping.executable && !s.executable) continue;
    const int score = (page_down(s.file_offset) == mapping.file_offset ? 4 : 0) +
                      (s.executable == mapping.executable ? 2 : 0) + (s.writable == mapping.writable ? 1 : 0);
    if (score > best_score) {
      best = &s;
      best_score = score;
    }
  }
  return best;
}

std::vector<std::byte> read_image(const model::Mapping& mapping, model::MemoryReader& memory) {
  std::vector<std::byte> image(std::min<std::uint64_t>(mapping.end - mapping.start, kMaxImageBytes));
  image.resize(memory.read_up_to(model::RemoteAddress{mapping.start}, image));
  return image;
}

}  // namespace

ProcessModules::ProcessModules(const model::ProcessCapture& process, ModuleCache& cache, model::MemoryReader& memory)
    : process_(process), cache_(cache) {
  std::map<std::pair<std::string, std::uint64_t>, Module*> by_inode;
  for (const model::MappedFile& file : process.files) {
    by_inode[{file.device, file.inode}] = &cache.module_of(file);
  }
  entries_.reserve(process.mappings.size());
  for (const model::Mapping& mapping : process.mappings) {
    FileMapping entry{&mapping, nullptr, false, std::nullopt};
    if (mapping.path == "[vdso]") {
      if (auto image = read_image(mapping, memory); !image.empty()) {
        entry.module = &cache.module_of_image(mapping.path, std::move(image));
      }
    } else if (mapping.inode != 0) {
      const auto found = by_inode.find({mapping.device, mapping.inode});
      if (found != by_inode.end()) entry.module = found->second;
    }
    entries_.push_back(entry);
  }
}

ProcessModules::FileMapping* ProcessModules::entry_at(model::RemoteAddress address) {
  auto next =
      std::ranges::upper_bound(entries_, address.value, {}, [](const FileMapping& e) { return e.mapping->start; });
  if (next == entries_.begin()) return nullptr;
  --next;
  return address.value < next->mapping->end ? &*next : nullptr;
}

const model::Mapping* ProcessModules::mapping_at(model::RemoteAddress address) const {
  auto next =
      std::ranges::upper_bound(entries_, address.value, {}, [](const FileMapping& e) { return e.mapping->start; });
  if (next == entries_.begin() || address.value >= std::prev(next)->mapping->end) return nullptr;
  return std::prev(next)->mapping;
}

bool ProcessModules::same_mapping(std::uint64_t a, std::uint64_t b) const {
  const model::Mapping* mapping = mapping_at(model::RemoteAddress{a});
  return mapping != nullptr && mapping == mapping_at(model::RemoteAddress{b});
}

std::optional<std::uint64_t> ProcessModules::load_bias_of(FileMapping& entry) {
  if (entry.bias_known || entry.module == nullptr) return entry.load_bias;
  entry.bias_known = true;
  const model::Mapping& mapping = *entry.mapping;
  const LoadSegment* segment = segment_for(entry.module->segments(), mapping);
  if (segment != nullptr) {
    entry.load_bias = mapping.start - mapping.file_offset + segment->file_offset - segment->address;
  }
  return entry.load_bias;
}

std::optional<ModulePlace> ProcessModules::find(model::RemoteAddress address) {
  FileMapping* entry = entry_at(address);
  if (entry == nullptr || entry->module == nullptr) return std::nullopt;
  const auto bias = load_bias_of(*entry);
  if (!bias) return std::nullopt;
  return ModulePlace{entry->module, model::ModuleAddress{address.value - *bias}, *bias};
}

Module* ProcessModules::module_at(model::RemoteAddress address) {
  const FileMapping* entry = entry_at(address);
  return entry == nullptr ? nullptr : entry->module;
}

std::vector<LoadedModule> ProcessModules::copies_of(const model::MappedFile& file) {
  Module* module = &cache_.module_of(file);
  std::vector<LoadedModule> copies;
  for (FileMapping& entry : entries_) {
    if (entry.module != module) continue;
    const auto bias = load_bias_of(entry);
    if (!bias) continue;
    auto copy = std::ranges::find(copies, *bias, &LoadedModule::load_bias);
    if (copy == copies.end()) {
      copies.push_back({module, *bias, entry.mapping->start, entry.mapping->end, entry.mapping->executable});
      continue;
    }
    copy->end = std::max(copy->end, entry.mapping->end);
    copy->executable = copy->executable || entry.mapping->executable;
  }
  return copies;
}

}  // namespace hangstack::symbolizer
