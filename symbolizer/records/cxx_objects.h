#pragma once
// Objects of libstdc++ and of c10 in another process. Each is a few words inside a struct that is
// copied already, and bytes elsewhere, which are read and bounded here. An answer of none: these bytes are no such
// object, or its part elsewhere cannot be read.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "model/memory_reader.h"
#include "symbolizer/remote_struct.h"

namespace hangstack::symbolizer {

/// A struct of the process: where it lies, and its bytes.
struct CxxStruct {
  model::RemoteAddress address;
  RemoteStruct bytes;
};

inline constexpr std::uint64_t kMaxNameLength = 4096;

/// std::string of `string_bytes`. 32: {data, size, 16 bytes}, short ones point to their own last 16 bytes (GCC 5 on).
/// 8: a pointer to the characters, behind {size, capacity, references} (_GLIBCXX_USE_CXX11_ABI=0). UTF-8 or ASCII;
/// longer than kMaxNameLength bytes, or with control characters, is no name.
std::optional<std::string> read_string(model::MemoryReader& memory, const CxxStruct& in, std::uint64_t offset,
                                       std::size_t string_bytes = 32);

/// std::vector {begin, end, end of the room} of elements of `element_bytes`; at most `most` of them, 1 MiB in all.
std::optional<std::vector<std::byte>> read_vector(model::MemoryReader& memory, const CxxStruct& in,
                                                  std::uint64_t offset, std::size_t element_bytes, std::size_t most);

/// c10::SmallVector {begin, uint32 size, uint32 capacity, room} (c10/util/SmallVector.h) of signed integers of
/// `element_bytes`, 4 or 8.
std::optional<std::vector<std::int64_t>> read_small_vector(model::MemoryReader& memory, const CxxStruct& in,
                                                           std::uint64_t offset, std::size_t element_bytes = 8);

/// The values of a std::map that lies at `map`, in their order: each as the first `value_bytes` of its pair. Stops at
/// a node that cannot be read and after `most`; leaves out what lies below a node that was seen before or too deep.
std::vector<CxxStruct> read_map(model::MemoryReader& memory, model::RemoteAddress map, std::size_t value_bytes,
                                std::size_t most);

/// The values of a std::unordered_map that lies at `map`, in the order of its list of nodes {next, value}; likewise.
std::vector<CxxStruct> read_hash_map(model::MemoryReader& memory, model::RemoteAddress map, std::size_t value_bytes,
                                     std::size_t most);

}  // namespace hangstack::symbolizer
