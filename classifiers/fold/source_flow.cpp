#include "classifiers/fold/source_flow.h"

#include <algorithm>
#include <optional>

#include "classifiers/fold/python_source.h"

namespace hangstack::classifiers {
namespace {

using Lines = std::vector<LogicalLine>;

bool is_loop(std::string_view word) { return word == "for" || word == "while"; }
bool is_function(std::string_view word) { return word == "def" || word == "class"; }
bool leaves(std::string_view word) {
  return word == "return" || word == "raise" || word == "continue" || word == "break";
}

/// Headers around a line, innermost first, up to its function (not included).
std::vector<std::size_t> headers_of(const Lines& lines, std::size_t at) {
  std::vector<std::size_t> headers;
  for (auto parent = parent_of(lines, at); parent && !is_function(lines[*parent].word);
       parent = parent_of(lines, *parent)) {
    headers.push_back(*parent);
  }
  return headers;
}

std::optional<std::size_t> function_of(const Lines& lines, std::size_t at) {
  auto parent = parent_of(lines, at);
  while (parent && !is_function(lines[*parent].word)) parent = parent_of(lines, *parent);
  return parent;
}

/// The first line after the block that begins with the header at `header`.
std::size_t end_of_block(const Lines& lines, std::size_t header) {
  std::size_t i = header + 1;
  while (i < lines.size() && lines[i].indent > lines[header].indent) ++i;
  return i;
}

/// `else` and `elif` of an `if`, `except` of a `try`: not run after the arm before them.
bool is_other_arm(const Lines& lines, std::size_t at) {
  const auto word = lines[at].word;
  if (word == "elif" || word == "except" || word == "case") return true;
  if (word != "else") return false;
  for (std::size_t i = at; i-- > 0;) {
    if (lines[i].indent < lines[at].indent) return false;
    if (lines[i].indent == lines[at].indent) return lines[i].word == "if" || lines[i].word == "elif";
  }
  return false;
}

/// Walks on from `from`, statement by statement, out of one block after the other.
Flow walk_forward(const Lines& lines, std::size_t from, std::size_t to) {
  if (leaves(lines[from].word)) return Flow::skipped;
  int indent = lines[from].indent;
  for (std::size_t i = from + 1; i <= to;) {
    const LogicalLine& line = lines[i];
    if (line.indent > indent) {  // a block below a statement of this level: it may run
      if (i == to) return Flow::follows;
      ++i;
      continue;
    }
    indent = line.indent;
    if (is_other_arm(lines, i)) {
      const std::size_t end = end_of_block(lines, i);
      if (to < end) return Flow::skipped;
      i = end;
      continue;
    }
    if (i == to) return Flow::follows;
    if (leaves(line.word)) return Flow::skipped;
    ++i;
  }
  return Flow::follows;
}

/// `to` stands above `from`.
Flow look_back(const Lines& lines, std::size_t from, std::size_t to) {
  const auto around_from = headers_of(lines, from);
  const auto around_to = headers_of(lines, to);
  const auto encloses_from = [&](std::size_t header) {
    return header == from || std::find(around_from.begin(), around_from.end(), header) != around_from.end();
  };
  // On every way here: its branches are around this line too. A loop that is over was passed as well.
  const bool on_every_way = std::all_of(around_to.begin(), around_to.end(), [&](std::size_t header) {
    return is_loop(lines[header].word) || encloses_from(header);
  });
  if (!on_every_way) return Flow::earlier;
  const bool loop = std::any_of(around_to.begin(), around_to.end(), [&](std::size_t header) {
    return is_loop(lines[header].word) && encloses_from(header);
  });
  return loop ? Flow::passed_in_loop : Flow::passed;
}

}  // namespace

Flow flow_between(std::string_view source, int from, int to) {
  const Lines lines = logical_lines(source);
  const auto a = line_at(lines, from);
  const auto b = line_at(lines, to);
  if (!a || !b || *a == *b || function_of(lines, *a) != function_of(lines, *b)) return Flow::unknown;
  return *a < *b ? walk_forward(lines, *a, *b) : look_back(lines, *a, *b);
}

bool in_loop(std::string_view source, int line) {
  const Lines lines = logical_lines(source);
  const auto at = line_at(lines, line);
  if (!at) return false;
  const auto headers = headers_of(lines, *at);
  return std::any_of(headers.begin(), headers.end(), [&](std::size_t header) { return is_loop(lines[header].word); });
}

}  // namespace hangstack::classifiers
