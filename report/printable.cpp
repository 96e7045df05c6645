#include "report/printable.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <span>

#include "model/utf8.h"

namespace hangstack::report {
namespace {

struct Range {
  char32_t first;
  char32_t last;
};

bool within(std::span<const Range> ranges, char32_t point) {
  const auto* it = std::upper_bound(ranges.data(), ranges.data() + ranges.size(), point,
                                    [](char32_t p, const Range& r) { return p < r.first; });
  return it != ranges.data() && point <= std::prev(it)->last;
}

constexpr auto kUnsafe = std::to_array<Range>({{0x00, 0x1F},
                                               {0x7F, 0x9F},
                                               {0xAD, 0xAD},
                                               {0x61C, 0x61C},
                                               {0x180E, 0x180E},
                                               {0x200B, 0x200F},
                                               {0x2028, 0x202E},
                                               {0x2060, 0x206F},
                                               {0xFE00, 0xFE0F},
                                               {0xFEFF, 0xFEFF},
                                               {0xFFF9, 0xFFFB},
                                               {0x1BCA0, 0x1BCA3},
                                               {0xE0000, 0xE0FFF},
                                               {0xF0000, 0x10FFFF}});

// Combining marks of the scripts that names are likely to be written in (general categories Mn and Me).
constexpr auto kCombining = std::to_array<Range>({{0x300, 0x36F},
                                                  {0x483, 0x489},
                                                  {0x591, 0x5BD},
                                                  {0x610, 0x61A},
                                                  {0x64B, 0x65F},
                                                  {0x93C, 0x93C},
                                                  {0x941, 0x948},
                                                  {0x94D, 0x94D},
                                                  {0xE31, 0xE31},
                                                  {0xE34, 0xE3A},
                                                  {0xE47, 0xE4E},
                                                  {0x1AB0, 0x1AFF},
                                                  {0x1DC0, 0x1DFF},
                                                  {0x20D0, 0x20F0},
                                                  {0x302A, 0x302D},
                                                  {0x3099, 0x309A},
                                                  {0xFE20, 0xFE2F}});

// East_Asian_Width W and F (Unicode 15 EastAsianWidth.txt), neighbouring blocks joined.
constexpr auto kWide = std::to_array<Range>({{0x1100, 0x115F},
                                             {0x231A, 0x231B},
                                             {0x23E9, 0x23EC},
                                             {0x2E80, 0x303E},
                                             {0x3041, 0x33FF},
                                             {0x3400, 0x4DBF},
                                             {0x4E00, 0xA4CF},
                                             {0xA960, 0xA97C},
                                             {0xAC00, 0xD7A3},
                                             {0xF900, 0xFAFF},
                                             {0xFE30, 0xFE6F},
                                             {0xFF01, 0xFF60},
                                             {0xFFE0, 0xFFE6}});

constexpr auto kWideBeyondBmp = std::to_array<Range>({{0x16FE0, 0x18CFF}, {0x1F300, 0x1FAFF}, {0x20000, 0x3FFFD}});

}  // namespace

bool is_unsafe(char32_t point) { return within(kUnsafe, point); }

int column_width(char32_t point) {
  if (point < 0x300) return 1;
  if (within(kCombining, point)) return 0;
  return within(kWide, point) || within(kWideBeyondBmp, point) ? 2 : 1;
}

std::string printable(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t at = 0; at < text.size();) {
    const model::CodePoint c = model::decode_at(text, at);
    if (c.valid && !is_unsafe(c.value)) {
      out.append(text.substr(at, c.length));
    } else if (!c.valid) {
      out += "\uFFFD";
    } else if (c.value == '\n') {
      out += "\\n";
    } else if (c.value == '\t') {
      out += "\\t";
    } else if (c.value < 0x100) {
      fmt::format_to(std::back_inserter(out), "\\x{:02x}", static_cast<unsigned>(c.value));
    } else {
      fmt::format_to(std::back_inserter(out), "\\u{{{:x}}}", static_cast<unsigned>(c.value));
    }
    at += c.length;
  }
  return out;
}

int columns(std::string_view text) {
  int sum = 0;
  for (std::size_t at = 0; at < text.size();) {
    const model::CodePoint c = model::decode_at(text, at);
    sum += column_width(c.value);
    at += c.length;
  }
  return sum;
}

}  // namespace hangstack::report
