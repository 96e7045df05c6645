#include "ingest/lines/encoding.h"

#include <cstddef>
#include <cstdint>

namespace hangstack::ingest {
namespace {

void append_utf8(std::string& to, std::uint32_t point) {
  const auto tail = [&](int shift) { to += static_cast<char>(0x80U | ((point >> shift) & 0x3FU)); };
  if (point < 0x80) {
    to += static_cast<char>(point);
  } else if (point < 0x800) {
    to += static_cast<char>(0xC0U | (point >> 6U));
    tail(0);
  } else if (point < 0x10000) {
    to += static_cast<char>(0xE0U | (point >> 12U));
    tail(6);
    tail(0);
  } else {
    to += static_cast<char>(0xF0U | (point >> 18U));
    tail(12);
    tail(6);
    tail(0);
  }
}

constexpr std::uint32_t kReplacement = 0xFFFD;

bool leads(std::uint32_t unit) { return unit >= 0xD800 && unit < 0xDC00; }
bool trails(std::uint32_t unit) { return unit >= 0xDC00 && unit < 0xE000; }

/// `bytes` without their byte order mark. A byte left over at the end is dropped: the file was cut off.
std::string from_utf16(std::string_view bytes, bool little_endian) {
  const auto unit = [&](std::size_t at) {
    const auto first = static_cast<std::uint8_t>(bytes[at]);
    const auto second = static_cast<std::uint8_t>(bytes[at + 1]);
    return static_cast<std::uint32_t>(little_endian ? first | (second << 8U) : (first << 8U) | second);
  };
  std::string text;
  text.reserve(bytes.size() / 2);
  for (std::size_t at = 0; at + 1 < bytes.size(); at += 2) {
    const std::uint32_t first = unit(at);
    if (leads(first) && at + 3 < bytes.size() && trails(unit(at + 2))) {
      append_utf8(text, 0x10000U + ((first - 0xD800U) << 10U) + (unit(at + 2) - 0xDC00U));
      at += 2;
    } else {
      append_utf8(text, leads(first) || trails(first) ? kReplacement : first);
    }
  }
  return text;
}

void drop_carriage_returns(std::string& text) {
  if (text.find("\r\n") == std::string::npos) return;
  std::size_t kept = 0;
  for (std::size_t at = 0; at < text.size(); ++at)
    if (text[at] != '\r' || at + 1 == text.size() || text[at + 1] != '\n') text[kept++] = text[at];
  text.resize(kept);
}

}  // namespace

std::string without_colours(std::string_view text) {
  std::string plain;
  plain.reserve(text.size());
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (text[at] != '\x1b') {
      plain += text[at];
      continue;
    }
    if (at + 1 < text.size() && text[at + 1] == '[') ++at;
    while (at + 1 < text.size() && (text[at + 1] == ';' || (text[at + 1] >= '0' && text[at + 1] <= '9'))) ++at;
    // What ends a sequence is no line's end.
    if (at + 1 < text.size() && text[at + 1] != '\n') ++at;
  }
  return plain;
}

std::string as_lines(std::string_view bytes) {
  std::string text;
  if (bytes.starts_with("\xFF\xFE") || bytes.starts_with("\xFE\xFF"))
    text = from_utf16(bytes.substr(2), bytes[0] == '\xFF');
  else
    text = bytes.starts_with("\xEF\xBB\xBF") ? bytes.substr(3) : bytes;
  drop_carriage_returns(text);
  return text.find('\x1b') == std::string::npos ? text : without_colours(text);
}

}  // namespace hangstack::ingest
