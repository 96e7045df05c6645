#pragma once
// What a fuzz entry implements (libFuzzer's name, so that clang's -fsanitize=fuzzer can run it too): reads `size` bytes
// that may be anything, must not crash, hang or leak; returns 0.

#include <cstddef>
#include <cstdint>
#include <string_view>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace hangstack::tests {

inline std::string_view text_of(const std::uint8_t* data, std::size_t size) {
  return {reinterpret_cast<const char*>(data), size};
}

}  // namespace hangstack::tests
