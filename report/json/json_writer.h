#pragma once
// Writes JSON as a stream. A report holds tens of thousands of frames: building a document of values first costs
// several times the time and memory of writing it.

#include <concepts>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace hangstack::report {

/// Keys come out in the order they are written. Bytes that are not UTF-8 are replaced by U+FFFD; characters that
/// steer terminals are written as \u escapes, so that a reader gets them back and `cat` does no harm.
class JsonWriter {
 public:
  enum class Layout : std::uint8_t { lines, one_line };

  explicit JsonWriter(std::string& out) : out_(out) {}

  /// Everything inside a one_line object or array stays on its line.
  void begin_object(Layout layout = Layout::lines) { begin('{', layout); }
  void end_object() { end('}'); }
  void begin_array(Layout layout = Layout::lines) { begin('[', layout); }
  void end_array() { end(']'); }
  /// `name` is a word of ours: it is not escaped.
  void key(std::string_view name);

  void value(std::string_view text);
  void value(const char* text) { value(std::string_view(text)); }
  void value(const std::string& text) { value(std::string_view(text)); }
  void value(bool flag) { literal(flag ? "true" : "false"); }
  void value(std::nullptr_t) { literal("null"); }
  /// null if it is not finite.
  void value(double number);
  template <std::integral T>
  void value(T number) {
    literal(std::to_string(number));
  }
  template <typename T>
  void value(const std::optional<T>& maybe) {
    maybe ? value(*maybe) : value(nullptr);
  }

  template <typename T>
  void member(std::string_view name, const T& what) {
    key(name);
    value(what);
  }
  /// null for the empty text: unknown.
  void member_or_null(std::string_view name, std::string_view text);
  /// "0x7f12": JSON numbers lose the low bits of addresses in readers that use doubles.
  void member_hex(std::string_view name, std::uint64_t number);

 private:
  void begin(char bracket, Layout layout);
  void end(char bracket);
  void literal(std::string_view text);
  void before_value();
  void quoted(std::string_view text);

  struct Level {
    bool one_line = false;
    bool empty = true;
  };
  std::string& out_;
  std::vector<Level> levels_;
  bool after_key_ = false;
};

}  // namespace hangstack::report
