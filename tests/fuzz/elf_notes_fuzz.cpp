#include <span>

#include "sampler/proc/elf_notes.h"
#include "tests/fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto bytes = std::as_bytes(std::span(data, size));
  (void)hangstack::sampler::find_build_id(bytes);
  for (const auto& note : hangstack::sampler::find_notes(bytes))
    if (note.offset <= size && size - note.offset >= note.size)
      (void)hangstack::sampler::find_build_id(bytes.subspan(note.offset, note.size));
  return 0;
}
