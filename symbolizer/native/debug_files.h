#pragma once
// The other files that describe an ELF file: separate debug files, and mini debug information inside it.

#include <memory>

#include "symbolizer/native/elf_file.h"

namespace hangstack::symbolizer {

/// The separate debug file, found as gdb finds it: /usr/lib/debug/.build-id/xx/yyy.debug, then by .gnu_debuglink beside
/// the file, in .debug/ and below /usr/lib/debug. Each is looked for below the root that the file was opened under too
/// (/proc/PID/root/...). Checked by build-id, or by the checksum of .gnu_debuglink if the file has none. Null if there
/// is none.
std::unique_ptr<ElfFile> open_separate_debug_file(const ElfFile& file);

/// The symbol table compressed in .gnu_debugdata (Fedora's mini debug information). Null if there is none, or if it
/// does not decompress to an ELF file of at most 64 MiB.
std::unique_ptr<ElfFile> open_mini_debug_data(const ElfFile& file);

}  // namespace hangstack::symbolizer
