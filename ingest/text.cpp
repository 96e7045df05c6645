#include "ingest/text.h"

#include <algorithm>
#include <charconv>

#include "model/utf8.h"

namespace hangstack::ingest {

std::string_view take_line(std::string_view& text) {
  const auto end = std::min(text.find('\n'), text.size());
  const auto line = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  return line;
}

std::string_view trimmed(std::string_view text, std::string_view blanks) {
  const auto begin = text.find_first_not_of(blanks);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(blanks) - begin + 1);
}

std::string_view between(std::string_view text, std::string_view open, std::string_view close) {
  const auto begin = text.find(open);
  if (begin == std::string_view::npos) return {};
  const auto end = text.find(close, begin + open.size());
  if (end == std::string_view::npos) return {};
  return text.substr(begin + open.size(), end - begin - open.size());
}

std::string printable_name(std::string_view text) {
  std::string name;
  for (std::size_t at = 0; at < text.size() && name.size() < kMostNameBytes;) {
    const auto point = model::decode_at(text, at);
    const bool control = point.value < 0x20 || point.value == 0x7f;
    name += !point.valid ? "\xEF\xBF\xBD" : control ? std::string_view(" ") : text.substr(at, point.length);
    at += point.length;
  }
  return name;
}

long long leading_number(std::string_view text) {
  long long number = 0;
  const bool hex = text.starts_with("0x");
  if (hex) text.remove_prefix(2);
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), number, hex ? 16 : 10);
  return code == std::errc{} ? number : 0;
}

}  // namespace hangstack::ingest
