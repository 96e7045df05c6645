#include <string>

#include "ingest/ingest.h"
#include "model/file_path.h"

namespace hangstack::ingest {
namespace {

constexpr int kMaxRank = 1 << 20;

std::optional<int> number_at(std::string_view text) {
  int number = 0;
  std::size_t digits = 0;
  for (; digits < text.size() && text[digits] >= '0' && text[digits] <= '9'; ++digits) {
    number = number * 10 + (text[digits] - '0');
    if (number > kMaxRank) return std::nullopt;
  }
  return digits == 0 ? std::nullopt : std::optional(number);
}

bool only_a_suffix_follows(std::string_view text) {
  const std::size_t end = text.find_first_not_of("0123456789");
  return end == std::string_view::npos || text[end] == '.';
}

}  // namespace

std::optional<int> rank_in_name(std::string_view path) {
  std::string name(model::base_name(path));
  for (char& c : name)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  const std::string_view text = name;
  for (std::size_t at = text.rfind("rank"); at != std::string_view::npos; at = text.rfind("rank", at - 1)) {
    std::string_view behind = text.substr(at + 4);
    if (behind.starts_with('_') || behind.starts_with('-')) behind.remove_prefix(1);
    if (const auto rank = number_at(behind)) return rank;
    if (at == 0) break;
  }
  const std::size_t line = text.rfind('_');
  if (line == std::string_view::npos || !only_a_suffix_follows(text.substr(line + 1))) return std::nullopt;
  return number_at(text.substr(line + 1));
}

}  // namespace hangstack::ingest
