#include "report/words/cut.h"

#include "model/utf8.h"
#include "report/printable.h"

namespace hangstack::report {
namespace {

constexpr std::string_view kEllipsis = "…";

}  // namespace

std::size_t bytes_that_fit(std::string_view text, int width) {
  std::size_t at = 0;
  int used = 0;
  while (at < text.size()) {
    const model::CodePoint c = model::decode_at(text, at);
    used += column_width(c.value);
    if (used > width) break;
    at += c.length;
  }
  return at;
}

std::string cut_end(std::string_view text, int width) {
  if (width < 1) return {};
  if (columns(text) <= width) return std::string(text);
  return std::string(text.substr(0, bytes_that_fit(text, width - 1))) + std::string(kEllipsis);
}

std::string cut_start(std::string_view text, int width) {
  if (width < 1) return {};
  int used = columns(text);
  if (used <= width) return std::string(text);
  std::size_t at = 0;
  while (used > width - 1 && at < text.size()) {
    const model::CodePoint c = model::decode_at(text, at);
    used -= column_width(c.value);
    at += c.length;
  }
  return std::string(kEllipsis) + std::string(text.substr(at));
}

std::string cut_middle(std::string_view text, int width) {
  if (columns(text) <= width) return std::string(text);
  const int head = (width - 1) / 2;
  return std::string(text.substr(0, bytes_that_fit(text, head))) + cut_start(text, width - head);
}

}  // namespace hangstack::report
