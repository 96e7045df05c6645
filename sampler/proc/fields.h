#pragma once
// Walks over the text of a /proc file: words, numbers, lines. Never reads behind its end.

#include <algorithm>
#include <charconv>
#include <optional>
#include <string_view>

namespace hangstack::sampler {

/// The whole of `text` as a number in `base`, without sign, blanks or prefix; nothing if it is not one or too large.
template <typename Number>
std::optional<Number> number_from(std::string_view text, int base = 10) {
  Number value{};
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), value, base);
  if (error != std::errc{} || stop != text.data() + text.size()) return std::nullopt;
  return value;
}

/// Like `number_from` in base 16, with "0x" in front.
template <typename Number>
std::optional<Number> prefixed_hex_from(std::string_view text) {
  if (!text.starts_with("0x")) return std::nullopt;
  return number_from<Number>(text.substr(2), 16);
}

/// Takes pieces from the front of a text that must outlive it.
class Fields {
 public:
  explicit Fields(std::string_view text) : rest_(text) {}

  /// The next piece without blanks and tabs; empty at the end.
  std::string_view word() {
    skip_blanks();
    const std::size_t length = std::min(rest_.find_first_of(" \t"), rest_.size());
    return take(length);
  }

  template <typename Number>
  std::optional<Number> number(int base = 10) {
    return number_from<Number>(word(), base);
  }

  void skip_blanks() { rest_.remove_prefix(std::min(rest_.find_first_not_of(" \t"), rest_.size())); }

  [[nodiscard]] std::string_view rest() const { return rest_; }

 private:
  std::string_view take(std::size_t length) {
    const std::string_view piece = rest_.substr(0, length);
    rest_.remove_prefix(length);
    return piece;
  }

  std::string_view rest_;
};

/// Lines of a text, each without its newline. The kernel ends every line with one: what follows the last newline is
/// the piece of a line that was cut, and is not given.
class Lines {
 public:
  explicit Lines(std::string_view text) : rest_(text) {}

  std::optional<std::string_view> next() {
    const std::size_t end = rest_.find('\n');
    if (end == std::string_view::npos) return std::nullopt;
    const std::string_view line = rest_.substr(0, end);
    rest_.remove_prefix(end + 1);
    return line;
  }

  /// What is left: not empty after the last line if the text was cut.
  [[nodiscard]] std::string_view rest() const { return rest_; }

 private:
  std::string_view rest_;
};

}  // namespace hangstack::sampler
