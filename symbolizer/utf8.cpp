#include "symbolizer/utf8.h"

#include <cstdint>
#include <stdexcept>

namespace hangstack::symbolizer {

namespace {

std::uint8_t byte_of(char c) { return static_cast<std::uint8_t>(c); }

/// Length of the well-formed sequence at the start of `text`; 0 if there is none.
std::size_t sequence_length(std::string_view text) {
  const std::uint8_t lead = byte_of(text[0]);
  if (lead < 0x80) return 1;
  std::size_t length = 0;
  std::uint8_t low = 0x80;
  std::uint8_t high = 0xbf;
  if (lead >= 0xc2 && lead <= 0xdf) length = 2;
  if (lead >= 0xe0 && lead <= 0xef) length = 3;
  if (lead >= 0xf0 && lead <= 0xf4) length = 4;
  if (length == 0 || text.size() < length) return 0;
  // Overlong forms, surrogates, and what lies above U+10FFFF.
  if (lead == 0xe0) low = 0xa0;
  if (lead == 0xed) high = 0x9f;
  if (lead == 0xf0) low = 0x90;
  if (lead == 0xf4) high = 0x8f;
  for (std::size_t i = 1; i < length; ++i) {
    const std::uint8_t next = byte_of(text[i]);
    if (next < low || next > high) return 0;
    low = 0x80;
    high = 0xbf;
  }
  return length;
}

}  // namespace

std::string valid_utf8(std::string_view bytes) {
  std::string text;
  while (!bytes.empty()) {
    const std::size_t length = sequence_length(bytes);
    text += length == 0 ? std::string_view("\xef\xbf\xbd") : bytes.substr(0, length);
    bytes.remove_prefix(length == 0 ? 1 : length);
  }
  return text;
}

std::string bytes_as_characters(std::string_view bytes) {
  std::string text;
  for (const char c : bytes) {
    if (byte_of(c) < 0x80) {
      text += c;
    } else {
      text += static_cast<char>(0xc0 | (byte_of(c) >> 6));
      text += static_cast<char>(0x80 | (byte_of(c) & 0x3f));
    }
  }
  return text;
}

std::string characters_as_bytes(std::string_view text) {
  std::string bytes;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const std::uint8_t lead = byte_of(text[i]);
    if (lead < 0x80) {
      bytes += text[i];
      continue;
    }
    if ((lead != 0xc2 && lead != 0xc3) || i + 1 == text.size() || (byte_of(text[i + 1]) & 0xc0) != 0x80) {
      throw std::invalid_argument("a character above U+00FF in a string of bytes");
    }
    bytes += static_cast<char>(((lead & 0x03) << 6) | (byte_of(text[++i]) & 0x3f));
  }
  return bytes;
}

}  // namespace hangstack::symbolizer
