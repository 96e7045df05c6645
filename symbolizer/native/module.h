#pragma once
// One ELF file, shared by all processes that map it: the only way in which the symbolizer asks a file anything.
// Every answer is remembered (module_facts.h), so that each is paid for once over all ranks and samples, and so that a
// capture can be replayed where the file is not.

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "model/address.h"
#include "model/capture.h"
#include "symbolizer/native/module_facts.h"

namespace hangstack::symbolizer {

class ModuleSource;

/// Not for two threads at a time. No function fails: an answer that cannot be had is empty, and
/// `unavailable_because` says why if the file itself is the reason.
class Module {
 public:
  /// `key`: the build-id in hex, or "DEVICE:INODE:PATH" for files without one (see module_key).
  explicit Module(std::string key);
  ~Module();
  Module(const Module&) = delete;
  Module& operator=(const Module&) = delete;

  /// More places where the file may be opened; tried until one is the right file.
  void offer(const model::MappedFile& file);
  /// An image that lies in memory (the vDSO).
  void offer_image(std::vector<std::byte> image, const std::string& path);

  [[nodiscard]] const std::string& key() const { return key_; }
  /// As the first process that mapped it sees it.
  [[nodiscard]] const std::string& path() const { return facts_.path; }
  /// The last part of the path.
  [[nodiscard]] std::string_view name() const;

  /// The file is open, or facts stand in for it.
  bool available();
  /// One sentence; empty if available.
  [[nodiscard]] const std::string& unavailable_because() const { return problem_; }

  /// PT_LOAD headers in file order.
  const std::vector<LoadSegment>& segments();

  /// Address range of a section, e.g. ".PyRuntime"; none if the file has no section headers or no such section.
  std::optional<AddressRange> section(std::string_view name);

  /// A defined symbol by its exact name from .symtab, else .dynsym (a version suffix "@@V" there is ignored), else
  /// .gnu_debugdata or a separate debug file. One linear pass for each name that was not asked before.
  std::optional<SymbolPlace> find_symbol(std::string_view name);

  /// As find_symbol would answer for data objects of .symtab, all in one pass; afterwards find_symbol is a look-up.
  void resolve_objects(std::span<const std::string_view> names);

  /// The symbol that the loader writes into this slot (a GOT entry), by the file's relocations; empty if none does.
  const std::string& slot_symbol(model::ModuleAddress slot);

  /// Bytes of the file image at an address, as far as PT_LOAD headers cover it (zeros beyond the file size are not
  /// given: they are the process's own). The number of bytes filled from the start of `into`.
  std::size_t read(model::ModuleAddress address, std::span<std::byte> into);

  /// The function's range by call frame information (initial location and length of its FDE). Note that compilers
  /// give a function's `.cold` part an FDE of its own.
  std::optional<AddressRange> function_range(model::ModuleAddress address);

  /// The row in force at `address`; none without call frame information there. The pointer lives as long as the module.
  const CallFrameRow* row(model::ModuleAddress address);

  /// Finds the symbols of all addresses in one pass; afterwards `name_at` is a look-up.
  void resolve_names(std::span<const model::ModuleAddress> addresses);
  /// The symbol whose [start, start + size) covers the address; null if there is none or it was not resolved.
  const SymbolName* name_at(model::ModuleAddress address) const;

  /// Source position and inlined functions from DWARF; empty without it.
  const std::vector<SourceLevel>& source_at(model::ModuleAddress address);

  /// Where members of a struct lie, by DWARF (see find_struct): a struct is asked for once, with the same members.
  std::optional<StructMembers> struct_members(std::string_view name, std::span<const std::string_view> members);

  [[nodiscard]] const ModuleFacts& facts() const { return facts_; }
  /// Facts of an earlier run: what they answer is not asked of the file again.
  void set_facts(ModuleFacts facts);

 private:
  ModuleSource* source();

  std::string key_;
  ModuleFacts facts_;
  bool has_loaded_facts_ = false;
  std::string problem_;
  std::vector<model::MappedFile> offered_;
  std::size_t tried_ = 0;  ///< of offered_
  std::unique_ptr<ModuleSource> source_;
};

/// The key under which a mapped file is shared.
std::string module_key(const model::MappedFile& file);

}  // namespace hangstack::symbolizer
