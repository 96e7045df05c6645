#pragma once
// Answers for one module out of its opened file and the debug files that belong to it. Remembers nothing but the files:
// answers are kept by Module.

#include <memory>

#include "symbolizer/native/elf_file.h"
#include "symbolizer/native/module_facts.h"

namespace hangstack::symbolizer {

class CallFrames;
class SourceLines;

class ModuleSource {
 public:
  explicit ModuleSource(std::unique_ptr<ElfFile> file);
  ~ModuleSource();

  [[nodiscard]] const ElfFile& file() const { return *file_; }
  std::optional<SymbolPlace> find_symbol(std::string_view name);
  std::map<std::string, SymbolPlace> find_objects(std::span<const std::string_view> names);
  std::optional<AddressRange> function_range(model::ModuleAddress address);
  std::optional<CallFrameRow> row(model::ModuleAddress address);
  /// Ascending, without repetition.
  std::map<model::ModuleAddress, SymbolName> names(std::span<const model::ModuleAddress> addresses);
  std::vector<SourceLevel> source(model::ModuleAddress address);
  std::optional<StructMembers> find_struct(std::string_view name, std::span<const std::string_view> members);

 private:
  ElfFile* separate();
  ElfFile* mini();
  CallFrames& frames();
  ElfFile* described();

  std::unique_ptr<ElfFile> file_;
  bool looked_for_separate_ = false;
  bool looked_for_mini_ = false;
  std::unique_ptr<ElfFile> separate_;
  std::unique_ptr<ElfFile> mini_;
  std::unique_ptr<CallFrames> frames_;
  std::unique_ptr<SourceLines> lines_;
};

}  // namespace hangstack::symbolizer
