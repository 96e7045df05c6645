#include "report/text/layout.h"

#include <fmt/color.h>
#include <fmt/core.h>

#include <algorithm>
#include <numeric>

#include "report/printable.h"
#include "report/words/cut.h"

namespace hangstack::report {
namespace {

constexpr int kNarrowestPage = 80;
constexpr int kWideGap = 3;

/// Words between spaces. With `quotes`, spaces between quotation marks of a shell do not part.
std::vector<std::string> split_words(std::string_view text, bool quotes) {
  std::vector<std::string> words(1);
  char open = 0;
  for (const char c : text) {
    if (c == ' ' && open == 0) {
      if (!words.back().empty()) words.emplace_back();
      continue;
    }
    if (quotes && (c == '\'' || c == '"') && (open == 0 || open == c)) open = open == 0 ? c : '\0';
    words.back() += c;
  }
  if (words.back().empty()) words.pop_back();
  return words;
}

/// Greedy filling of lines of `room` columns.
std::vector<std::string> fill(std::vector<std::string> words, int room) {
  room = std::max(room, 8);
  std::vector<std::string> lines(1);
  int used = 0;
  for (std::string& own : words) {
    int needed = columns(own);
    if (used > 0 && used + 1 + needed > room) {
      lines.emplace_back();
      used = 0;
    }
    while (needed > room) {
      const std::size_t cut = std::max<std::size_t>(bytes_that_fit(own, room), 1);
      lines.back() = own.substr(0, cut);
      lines.emplace_back();
      own.erase(0, cut);
      needed = columns(own);
    }
    if (used > 0) {
      lines.back() += ' ';
      ++used;
    }
    lines.back() += own;
    used += needed;
  }
  return lines;
}

/// Takes from `flexible` as long as it is wide enough to say something, then from the widest column.
void narrow(std::vector<int>& widths, int room, std::size_t flexible) {
  constexpr int kStillReadable = 24;
  int surplus = std::accumulate(widths.begin(), widths.end(), -room);
  while (surplus > 0) {
    auto column = std::max_element(widths.begin(), widths.end());
    if (flexible < widths.size() && widths[flexible] > kStillReadable) {
      column = widths.begin() + static_cast<std::ptrdiff_t>(flexible);
    }
    if (*column <= 1) return;
    --*column;
    --surplus;
  }
}

fmt::text_style style_of(Paint paint) {
  switch (paint) {
    case Paint::bad: return fmt::fg(fmt::terminal_color::red) | fmt::emphasis::bold;
    case Paint::good: return fmt::fg(fmt::terminal_color::green) | fmt::emphasis::bold;
    case Paint::unsure: return fmt::fg(fmt::terminal_color::yellow) | fmt::emphasis::bold;
    case Paint::heading: return fmt::emphasis::bold;
    case Paint::faint: return fmt::emphasis::faint;
    case Paint::none: break;
  }
  return {};
}

}  // namespace

std::string padded(std::string_view text, int width) {
  std::string out(text);
  const int used = columns(text);
  if (used < width) out.append(static_cast<std::size_t>(width - used), ' ');
  return out;
}

std::vector<std::string> wrapped(std::string_view text, int width) { return fill(split_words(text, false), width); }

std::vector<std::string> wrapped_command(std::string_view command, int width) {
  if (columns(command) <= width) return {std::string(command)};
  auto lines = fill(split_words(command, true), width - 2);
  for (std::size_t i = 0; i + 1 < lines.size(); ++i) lines[i] += " \\";
  return lines;
}

Page::Page(int width, bool color) : width_(std::max(width, kNarrowestPage)), color_(color) {}

void Page::line(std::string_view text) {
  const std::size_t end = text.find_last_not_of(' ');
  out_ += end == std::string_view::npos ? std::string_view() : text.substr(0, end + 1);
  out_ += '\n';
}

void Page::parts(const std::vector<std::string>& texts, Paint paint) {
  int wide = -kWideGap;
  for (const auto& text : texts) wide += kWideGap + columns(text);
  const bool narrow_fits = wide - (static_cast<int>(texts.size()) - 1) <= width_;
  const int gap = wide > width_ && narrow_fits ? kWideGap - 1 : kWideGap;
  std::string together;
  for (const auto& text : texts) {
    const std::string fitting = cut_end(text, width_);
    if (!together.empty() && columns(together) + gap + columns(fitting) > width_) {
      line(this->paint(paint, together));
      together.clear();
    }
    if (!together.empty()) together.append(static_cast<std::size_t>(gap), ' ');
    together += fitting;
  }
  line(this->paint(paint, together));
}

void Page::gap() {
  if (out_.empty() || out_.ends_with("\n\n")) return;
  out_ += '\n';
}

std::string Page::paint(Paint paint, std::string_view text) const {
  if (!color_ || paint == Paint::none || text.empty()) return std::string(text);
  return fmt::format(style_of(paint), "{}", text);
}

Table::Table(std::vector<std::string> heading) { row(std::move(heading), Paint::faint); }

void Table::row(std::vector<std::string> cells, Paint paint) { rows_.push_back({std::move(cells), paint}); }

void Table::print(Page& page, int indent, std::size_t flexible) const {
  constexpr int kBetween = 2;
  std::vector<int> widths;
  for (const Row& row : rows_) {
    widths.resize(std::max(widths.size(), row.cells.size()));
    for (std::size_t i = 0; i < row.cells.size(); ++i) widths[i] = std::max(widths[i], columns(row.cells[i]));
  }
  const int gaps = kBetween * (static_cast<int>(widths.size()) - 1);
  narrow(widths, page.width() - indent - gaps, flexible);
  for (const Row& row : rows_) {
    std::string text(static_cast<std::size_t>(indent), ' ');
    for (std::size_t i = 0; i < row.cells.size(); ++i) {
      if (i > 0) text.append(kBetween, ' ');
      text += padded(i == flexible ? cut_middle(row.cells[i], widths[i]) : cut_end(row.cells[i], widths[i]), widths[i]);
    }
    text.erase(text.find_last_not_of(' ') + 1);
    page.line(page.paint(row.paint, text));
  }
}

}  // namespace hangstack::report
