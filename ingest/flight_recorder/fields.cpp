#include "ingest/flight_recorder/fields.h"

#include <charconv>

#include "ingest/text.h"

namespace hangstack::ingest {
namespace {

constexpr std::size_t kMaxNameLength = 4096;

template <typename Number>
std::optional<Number> number_in(std::string_view text) {
  Number number = 0;
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (code != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return number;
}

std::optional<std::vector<std::uint64_t>> ranks_in(std::string_view text, std::size_t most) {
  std::vector<std::uint64_t> ranks;
  if (!text.starts_with('[') || !text.ends_with(']')) return std::nullopt;
  text = trimmed(text.substr(1, text.size() - 2), " ");
  while (!text.empty()) {
    const std::size_t comma = text.find(',');
    const auto rank = number_in<std::uint64_t>(trimmed(text.substr(0, comma), " "));
    if (!rank || ranks.size() >= most) return std::nullopt;
    ranks.push_back(*rank);
    text = comma == std::string_view::npos ? std::string_view() : text.substr(comma + 1);
  }
  return ranks;
}

}  // namespace

std::optional<std::int64_t> number_of(const std::optional<Value>& value) {
  if (!value) return std::nullopt;
  if (const auto text = value->text()) return number_in<std::int64_t>(*text);
  return value->integer();
}

std::optional<std::uint64_t> count_of(const std::optional<Value>& value) {
  const auto number = number_of(value);
  if (!number || *number < 0) return std::nullopt;
  return static_cast<std::uint64_t>(*number);
}

std::optional<std::string> name_of(const std::optional<Value>& value) {
  if (!value) return std::nullopt;
  const auto text = value->text();
  if (!text || text->size() > kMaxNameLength) return std::nullopt;
  return std::string(*text);
}

std::optional<std::vector<std::uint64_t>> ranks_of(const std::optional<Value>& value, std::size_t most) {
  if (!value) return std::nullopt;
  if (const auto text = value->text()) return ranks_in(*text, most);
  if (value->kind() != ValueKind::list || value->size() > most) return std::nullopt;
  std::vector<std::uint64_t> ranks;
  for (std::size_t i = 0; i < value->size(); ++i) {
    const auto rank = count_of(value->element(i));
    if (!rank) return std::nullopt;
    ranks.push_back(*rank);
  }
  return ranks;
}

}  // namespace hangstack::ingest
