#include "report/json/json_writer.h"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <iterator>

#include "model/utf8.h"
#include "report/printable.h"

namespace hangstack::report {
namespace {

constexpr int kIndent = 2;

/// True for ASCII that stands for itself between quotes. A table: this is asked for every byte of a report.
constexpr auto kPlain = [] {
  std::array<bool, 256> plain{};
  for (std::size_t c = 0x20; c < 0x7F; ++c) plain[c] = c != '"' && c != '\\';
  return plain;
}();

void append_escape(std::string& out, char32_t point) {
  auto to = std::back_inserter(out);
  if (point < 0x10000) {
    fmt::format_to(to, "\\u{:04x}", static_cast<unsigned>(point));
    return;
  }
  const auto rest = static_cast<unsigned>(point - 0x10000);
  fmt::format_to(to, "\\u{:04x}\\u{:04x}", 0xD800U + (rest >> 10U), 0xDC00U + (rest & 0x3FFU));
}

}  // namespace

void JsonWriter::begin(char bracket, Layout layout) {
  before_value();
  const bool one_line = layout == Layout::one_line || (!levels_.empty() && levels_.back().one_line);
  levels_.push_back({one_line, true});
  out_ += bracket;
}

void JsonWriter::end(char bracket) {
  const Level level = levels_.back();
  levels_.pop_back();
  if (!level.one_line && !level.empty) {
    out_ += '\n';
    out_.append(levels_.size() * kIndent, ' ');
  }
  out_ += bracket;
}

void JsonWriter::before_value() {
  if (after_key_) {
    after_key_ = false;
    return;
  }
  if (levels_.empty()) return;
  Level& level = levels_.back();
  if (!level.empty) out_ += level.one_line ? ", " : ",";
  if (!level.one_line) {
    out_ += '\n';
    out_.append(levels_.size() * kIndent, ' ');
  }
  level.empty = false;
}

void JsonWriter::key(std::string_view name) {
  before_value();
  out_ += '"';
  out_ += name;
  out_ += "\": ";
  after_key_ = true;
}

void JsonWriter::literal(std::string_view text) {
  before_value();
  out_ += text;
}

void JsonWriter::value(std::string_view text) {
  before_value();
  quoted(text);
}

void JsonWriter::value(double number) {
  before_value();
  if (!std::isfinite(number)) {
    out_ += "null";
    return;
  }
  fmt::format_to(std::back_inserter(out_), "{}", number);
}

void JsonWriter::member_or_null(std::string_view name, std::string_view text) {
  key(name);
  if (text.empty()) {
    value(nullptr);
  } else {
    value(text);
  }
}

void JsonWriter::member_hex(std::string_view name, std::uint64_t number) {
  key(name);
  before_value();
  fmt::format_to(std::back_inserter(out_), "\"{:#x}\"", number);
}

void JsonWriter::quoted(std::string_view text) {
  out_ += '"';
  for (std::size_t at = 0; at < text.size();) {
    std::size_t run = at;
    while (run < text.size() && kPlain[static_cast<unsigned char>(text[run])]) ++run;
    out_.append(text.substr(at, run - at));
    at = run;
    if (at == text.size()) break;
    const model::CodePoint c = model::decode_at(text, at);
    if (c.value == '"' || c.value == '\\') {
      out_ += '\\';
      out_ += text[at];
    } else if (!c.valid) {
      out_ += "\uFFFD";
    } else if (is_unsafe(c.value)) {
      append_escape(out_, c.value);
    } else {
      out_.append(text.substr(at, c.length));
    }
    at += c.length;
  }
  out_ += '"';
}

}  // namespace hangstack::report
