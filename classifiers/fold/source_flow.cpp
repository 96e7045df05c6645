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

/// An arm that is not run after the arm whose header is at `before`: `else` and `elif` after one of an `if`, `except`
/// and `else` after an `except`, one `case` after another.
bool excludes(std::string_view before, std::string_view arm) {
  if (before == "if" || before == "elif") return arm == "elif" || arm == "else";
  if (before == "except") return arm == "except" || arm == "else";
  return before == "case" && arm == "case";
}

/// The header of the block that ends right before `at`, at whose level `at` stands.
std::size_t header_before(const Lines& lines, std::size_t at) {
  std::size_t i = at;
  while (i > 0 && lines[i - 1].indent > lines[at].indent) --i;
  return i > 0 ? i - 1 : at;
}

/// Where a line that leaves its block goes on; none: out of the function.
std::optional<std::size_t> goes_on_at(const Lines& lines, std::size_t at) {
  if (lines[at].word != "break" && lines[at].word != "continue") return std::nullopt;
  const auto headers = headers_of(lines, at);
  const auto loop = std::find_if(headers.begin(), headers.end(), [&](std::size_t i) { return is_loop(lines[i].word); });
  if (loop == headers.end()) return std::nullopt;
  const std::size_t end = end_of_block(lines, *loop);
  const bool skips_else = lines[at].word == "break" && end < lines.size() && lines[end].word == "else" &&
                          lines[end].indent == lines[*loop].indent;
  return skips_else ? end_of_block(lines, end) : end;
}

/// Walks on from `from`, statement by statement, out of one block after the other.
Flow walk_forward(const Lines& lines, std::size_t from, std::size_t to) {
  int indent = lines[from].indent;
  std::string_view arm_done;  // the word of the arm that was left at this level, while its siblings follow
  for (std::size_t i = from; i <= to;) {
    const LogicalLine& line = lines[i];
    if (line.indent > indent) {  // a block below a statement of this level: it may run
      if (i == to) return Flow::follows;
      ++i;
      continue;
    }
    if (line.indent < indent) arm_done = lines[header_before(lines, i)].word;
    indent = line.indent;
    if (excludes(arm_done, line.word)) {
      i = end_of_block(lines, i);
      if (to < i) return Flow::skipped;
      continue;
    }
    arm_done = {};
    if (i == to) return Flow::follows;
    if (leaves(line.word)) {
      const auto next = goes_on_at(lines, i);
      if (!next || to < *next) return Flow::skipped;
      i = *next;
      if (i < lines.size()) indent = lines[i].indent;
      continue;
    }
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

bool heads_loop(std::string_view source, int line) {
  const Lines lines = logical_lines(source);
  const auto at = line_at(lines, line);
  return at && is_loop(lines[*at].word);
}

}  // namespace hangstack::classifiers
