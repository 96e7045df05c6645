#pragma once
// Writes HTML as a stream. Whatever is given as text or as the value of an attribute may be hostile.

#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

namespace hangstack::report {

/// `&`, `<`, `>` and both quotation marks as entities: safe in text and in attributes between quotation marks.
/// Characters that steer or reorder text are made visible first, as in the text report; bytes that are no UTF-8 are
/// replaced.
std::string html_escaped(std::string_view text);

struct Attribute {
  std::string_view name;  ///< a word of ours: it is not escaped
  std::string_view value;
};

class HtmlWriter {
 public:
  explicit HtmlWriter(std::string& out) : out_(out) {}

  /// `tag` and `style` (the class; may be empty) are words of ours. The attributes are escaped.
  void open(std::string_view tag, std::string_view style = {}, std::initializer_list<Attribute> attributes = {});
  /// Elements end in the order that HTML asks for: the innermost open one.
  void close();
  void text(std::string_view text) { out_ += html_escaped(text); }
  /// An element with nothing but text in it.
  void element(std::string_view tag, std::string_view style, std::string_view content);
  /// An element that has no content: <meta>, <input>.
  void empty_element(std::string_view tag, std::initializer_list<Attribute> attributes);
  /// <style> or <script> with bytes of ours, which no escape may touch.
  void embedded(std::string_view tag, std::string_view content);

 private:
  std::string& out_;
  std::vector<std::string_view> open_;
};

}  // namespace hangstack::report
