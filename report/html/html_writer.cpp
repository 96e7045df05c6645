#include "report/html/html_writer.h"

#include <algorithm>
#include <array>

#include "report/printable.h"

namespace hangstack::report {
namespace {

/// Spaces around words in a line matter: only elements that are blocks of their own end in a line break.
bool is_inline(std::string_view tag) {
  constexpr auto kInline = std::to_array<std::string_view>({"span", "a", "code", "b", "summary", "td", "th", "button"});
  return std::ranges::find(kInline, tag) != kInline.end();
}

}  // namespace

std::string html_escaped(std::string_view text) {
  const std::string safe = printable(text);
  std::string out;
  out.reserve(safe.size());
  for (const char c : safe) {
    switch (c) {
      case '&': out += "&amp;"; break;
      case '<': out += "&lt;"; break;
      case '>': out += "&gt;"; break;
      case '"': out += "&quot;"; break;
      case '\'': out += "&#39;"; break;
      default: out += c;
    }
  }
  return out;
}

void HtmlWriter::open(std::string_view tag, std::string_view style, std::initializer_list<Attribute> attributes) {
  out_ += '<';
  out_ += tag;
  if (!style.empty()) {
    out_ += " class=\"";
    out_ += style;
    out_ += '"';
  }
  for (const auto& [name, value] : attributes) {
    out_ += ' ';
    out_ += name;
    out_ += "=\"";
    out_ += html_escaped(value);
    out_ += '"';
  }
  out_ += '>';
  open_.push_back(tag);
}

void HtmlWriter::close() {
  out_ += "</";
  out_ += open_.back();
  out_ += '>';
  if (!is_inline(open_.back())) out_ += '\n';
  open_.pop_back();
}

void HtmlWriter::element(std::string_view tag, std::string_view style, std::string_view content) {
  open(tag, style);
  text(content);
  close();
}

void HtmlWriter::empty_element(std::string_view tag, std::initializer_list<Attribute> attributes) {
  open(tag, {}, attributes);
  open_.pop_back();
  out_ += '\n';
}

void HtmlWriter::embedded(std::string_view tag, std::string_view content) {
  open(tag);
  out_ += content;
  close();
}

}  // namespace hangstack::report
