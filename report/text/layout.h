#pragma once
// Text in columns. Every string given here is printable already (report/printable.h).

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace hangstack::report {

/// Spaces up to `width` columns; wider text comes back as it is.
std::string padded(std::string_view text, int width);

/// Lines of at most `width` columns, broken at spaces; a word that is longer is broken where it must be.
/// At least one line.
std::vector<std::string> wrapped(std::string_view text, int width);

/// The same for a shell command: broken lines end in " \", so that it can be copied.
std::vector<std::string> wrapped_command(std::string_view command, int width);

enum class Paint : std::uint8_t { none, bad, good, unsure, heading, faint };

/// The text of a report as it grows.
class Page {
 public:
  /// A page is at least 80 columns wide.
  Page(int width, bool color);

  [[nodiscard]] int width() const { return width_; }
  /// Adds a line; spaces at its end are dropped.
  void line(std::string_view text);
  /// Texts that are not broken, three spaces between them (two if only that fits one line), on as many lines as
  /// they need; too long ones are cut.
  void parts(const std::vector<std::string>& texts, Paint paint = Paint::none);
  /// An empty line, unless the page is empty or ends in one.
  void gap();
  /// `text` in colour if the page has colours. Measure before painting.
  [[nodiscard]] std::string paint(Paint paint, std::string_view text) const;
  [[nodiscard]] std::string take() { return std::move(out_); }

 private:
  int width_;
  bool color_;
  std::string out_;
};

/// A table: columns as wide as their widest cell, two spaces between them.
class Table {
 public:
  explicit Table(std::vector<std::string> heading);
  void row(std::vector<std::string> cells, Paint paint = Paint::none);
  /// `indent` spaces before each line. On a page that is too narrow, cells of
  /// column `flexible` lose their middle, then those of wide columns their end.
  void print(Page& page, int indent, std::size_t flexible) const;

 private:
  struct Row {
    std::vector<std::string> cells;
    Paint paint = Paint::none;
  };
  std::vector<Row> rows_;
};

}  // namespace hangstack::report
