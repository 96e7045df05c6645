#pragma once
// Whether an ELF file can have a section, from its section headers alone: most files of a process are asked only that.

#include <string_view>

#include "model/capture.h"

namespace hangstack::symbolizer {

/// True if the file at the first of `file.open_paths` has the mapped inode and no section of this name. False if it has
/// one, or if this way does not tell: the file must then be opened. Reads a few KiB and maps nothing.
bool lacks_section(const model::MappedFile& file, std::string_view name);

}  // namespace hangstack::symbolizer
