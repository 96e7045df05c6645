#pragma once
// UTF-8 (RFC 3629) as code points. The bytes may be anything.

#include <cstddef>
#include <string_view>

namespace hangstack::model {

inline constexpr char32_t kReplacement = 0xFFFD;  ///< stands for bytes that are not UTF-8

struct CodePoint {
  char32_t value = kReplacement;
  std::size_t length = 1;  ///< bytes it took; at least 1
  bool valid = false;      ///< false: `value` is kReplacement and `length` bytes are no UTF-8
};

/// The code point at `at` < text.size(). An invalid sequence takes as many bytes as its longest valid beginning
/// (Unicode 15, section 3.9, "maximal subpart"), so that every reader counts the same replacements.
CodePoint decode_at(std::string_view text, std::size_t at);

}  // namespace hangstack::model
