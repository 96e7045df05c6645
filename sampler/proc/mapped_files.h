#pragma once
// Which ELF files a process has mapped, and where their bytes can be opened.

#include <span>
#include <vector>

#include "model/capture.h"
#include "model/memory_reader.h"
#include "sampler/proc/proc_files.h"

namespace hangstack::sampler {

/// The files among `mappings` that have an executable part and whose mapping of offset 0 starts with the header of a
/// 64-bit ELF file; each once, in the order of the mappings. Data files are not touched. Their build-ids come from the
/// notes in memory (NT_GNU_BUILD_ID): at most one page and 16 KiB of notes per file are read, in two batches.
/// Where to open them, best first: PROC/PID/root (the process's own view), PROC/PID/map_files (deleted files too, needs
/// CAP_CHECKPOINT_RESTORE or CAP_SYS_ADMIN), PROC/PID/exe for the program itself, the plain path. A deleted file is
/// tried by map_files and exe first, since another file may have its path. No file is opened here.
/// `tid` is a live thread of a process whose leader has ended, else 0.
std::vector<model::MappedFile> list_mapped_files(const ProcFiles& proc, std::int32_t pid,
                                                 std::span<const model::Mapping> mappings, model::MemoryReader& memory,
                                                 std::int32_t tid = 0);

}  // namespace hangstack::sampler
