#include "symbolizer/utf8.h"

#include <cstdint>
#include <stdexcept>

#include "model/utf8.h"

namespace hangstack::symbolizer {

namespace {

std::uint8_t byte_of(char c) { return static_cast<std::uint8_t>(c); }

}  // namespace

std::string valid_utf8(std::string_view bytes) {
  std::string text;
  for (std::size_t at = 0; at < bytes.size();) {
    const model::CodePoint c = model::decode_at(bytes, at);
    text += c.valid ? bytes.substr(at, c.length) : std::string_view("\xef\xbf\xbd");
    at += c.length;
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
