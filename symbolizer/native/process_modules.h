#pragma once
// Which file, and which address in it, an address of one process is.

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "model/address.h"
#include "model/capture.h"
#include "model/memory_reader.h"
#include "symbolizer/native/module.h"
#include "symbolizer/native/module_cache.h"

namespace hangstack::symbolizer {

/// A remote address seen as an address in a file.
struct ModulePlace {
  Module* module = nullptr;
  model::ModuleAddress address;
  std::uint64_t load_bias = 0;  ///< remote address = module address + load bias (modulo 2^64)
};

/// One copy of a file in the address space, as the loader (or anybody's mmap) put it there.
struct LoadedModule {
  Module* module = nullptr;
  std::uint64_t load_bias = 0;
  std::uint64_t start = 0;  ///< lowest and highest remote address of its mappings, half-open
  std::uint64_t end = 0;
  bool executable = false;  ///< some of it may be executed: false for a copy that is merely read

  [[nodiscard]] model::RemoteAddress to_remote(model::ModuleAddress a) const {
    return model::RemoteAddress{a.value + load_bias};
  }
};

/// The modules of one process. Borrows the capture and the cache: both must outlive it. Files are opened when they are
/// first asked for.
class ProcessModules {
 public:
  /// `memory` serves the vDSO's image from recorded bytes; it is used in the constructor only.
  ProcessModules(const model::ProcessCapture& process, ModuleCache& cache, model::MemoryReader& memory);

  /// The mapping that holds `address`; null if none does.
  [[nodiscard]] const model::Mapping* mapping_at(model::RemoteAddress address) const;

  /// Do both addresses lie in one mapping, as two addresses of one stack do? False if one lies in none.
  [[nodiscard]] bool same_mapping(std::uint64_t a, std::uint64_t b) const;

  /// None for anonymous memory, and for files that are not ELF or cannot be opened.
  std::optional<ModulePlace> find(model::RemoteAddress address);

  /// The module whose mapping holds `address`, even if its file cannot be opened (then it says why); null for memory
  /// without an ELF file.
  Module* module_at(model::RemoteAddress address);

  /// Files of the process in the order of the capture.
  [[nodiscard]] std::span<const model::MappedFile> files() const { return process_.files; }
  Module& module_of(const model::MappedFile& file) { return cache_.module_of(file); }

  /// The copies of a file in this process, ascending by address: usually one; more after dlmopen, or when somebody
  /// maps the file to read it. Opens the file.
  std::vector<LoadedModule> copies_of(const model::MappedFile& file);

 private:
  struct FileMapping {
    const model::Mapping* mapping = nullptr;
    Module* module = nullptr;  ///< null: no ELF file
    bool bias_known = false;
    std::optional<std::uint64_t> load_bias;  ///< none if no PT_LOAD header fits the mapping
  };
  FileMapping* entry_at(model::RemoteAddress address);
  std::optional<std::uint64_t> load_bias_of(FileMapping& entry);

  const model::ProcessCapture& process_;
  ModuleCache& cache_;
  std::vector<FileMapping> entries_;  ///< as process_.mappings
};

}  // namespace hangstack::symbolizer
