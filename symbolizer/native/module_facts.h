#pragma once
// What was asked of one ELF file, with the answers: the cache of a run, and what a replay needs instead of the file.

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "model/address.h"
#include "symbolizer/native/call_frame_row.h"
#include "symbolizer/native/recorded_bytes.h"

namespace hangstack::symbolizer {

/// Half-open range of addresses in one ELF file.
struct AddressRange {
  model::ModuleAddress start;
  model::ModuleAddress end;

  [[nodiscard]] bool contains(model::ModuleAddress a) const { return start <= a && a < end; }
  [[nodiscard]] std::uint64_t size() const { return end.value - start.value; }
  friend bool operator==(const AddressRange&, const AddressRange&) = default;
};

/// A PT_LOAD program header. Sizes and offsets in bytes.
struct LoadSegment {
  std::uint64_t file_offset = 0;
  std::uint64_t file_size = 0;
  std::uint64_t address = 0;
  std::uint64_t memory_size = 0;
  bool executable = false;
  bool writable = false;

  friend bool operator==(const LoadSegment&, const LoadSegment&) = default;
};

/// Where a symbol of a given name lies.
struct SymbolPlace {
  model::ModuleAddress address;
  std::uint64_t size = 0;  ///< bytes; 0 if the table does not say

  friend bool operator==(const SymbolPlace&, const SymbolPlace&) = default;
};

/// The symbol that covers an address.
struct SymbolName {
  std::string raw;  ///< as the table has it
  model::ModuleAddress start;
  std::uint64_t size = 0;

  friend bool operator==(const SymbolName&, const SymbolName&) = default;
};

/// One level of source at an address: the innermost inlined function first, the real function last.
struct SourceLevel {
  std::string function;  ///< raw linkage name, else the plain name; empty if unknown
  std::string file;
  int line = 0;  ///< 0: unknown

  friend bool operator==(const SourceLevel&, const SourceLevel&) = default;
};

/// A member of a struct; both in bytes.
struct StructMember {
  std::uint64_t offset = 0;
  std::uint64_t size = 0;

  friend bool operator==(const StructMember&, const StructMember&) = default;
};

/// By the names that were asked for; those that the struct has not are left out.
using StructMembers = std::map<std::string, StructMember>;

/// A key that is absent was never asked; an empty optional is the answer "there is none".
struct ModuleFacts {
  std::string path;  ///< as the first process that mapped it sees it
  std::vector<LoadSegment> segments;
  std::map<std::string, std::optional<AddressRange>> sections;
  std::map<std::string, std::optional<SymbolPlace>> symbols_by_name;
  std::map<std::uint64_t, std::optional<CallFrameRow>> rows;       ///< by address
  std::map<std::uint64_t, std::optional<AddressRange>> functions;  ///< FDE by address
  std::map<std::uint64_t, std::optional<SymbolName>> names;        ///< by address
  std::map<std::uint64_t, std::vector<SourceLevel>> sources;       ///< by address
  std::map<std::uint64_t, std::string> slots;  ///< symbol that the loader writes to a GOT slot; empty: none
  std::map<std::string, std::optional<StructMembers>> structs;  ///< by the struct's name
  RecordedBytes bytes;

  friend bool operator==(const ModuleFacts&, const ModuleFacts&) = default;
};

}  // namespace hangstack::symbolizer
