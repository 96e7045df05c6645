#pragma once
// Which tables of names an ELF file has: no table is read, only the list of its sections.

#include <string>

#include "model/error.h"

namespace hangstack::sampler {

struct SymbolTables {
  bool symbols = false;  ///< .symtab: every function
  bool dynamic = false;  ///< .dynsym: exported functions
  bool lines = false;    ///< .debug_line, in the file itself
  bool unwind = false;   ///< .eh_frame or .debug_frame

  friend bool operator==(const SymbolTables&, const SymbolTables&) = default;
};

/// `bad_elf` if the file is no 64-bit ELF file or its section table lies outside; at most 65536 sections and 1 MiB of
/// names are read. Opening a file on a dead file system blocks.
model::Expected<SymbolTables> read_symbol_tables(const std::string& path);

}  // namespace hangstack::sampler
