#include "classifiers/fold/python_source.h"

#include <algorithm>
#include <cctype>

namespace hangstack::classifiers {
namespace {

constexpr int kMostLines = 200000;

bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

class Reader {
 public:
  explicit Reader(std::string_view text) : text_(text) {}

  std::vector<LogicalLine> read() {
    while (at_ < text_.size() && line_ < kMostLines) {
      LogicalLine line;
      line.first = line_;
      line.indent = indent();
      const bool empty = at_ >= text_.size() || text_[at_] == '\n' || text_[at_] == '#' || text_[at_] == '\r';
      line.word = word();
      rest_of_statement();
      line.last = line_ - 1;
      if (!empty) lines_.push_back(line);
    }
    return std::move(lines_);
  }

 private:
  int indent() {
    int columns = 0;
    for (; at_ < text_.size(); ++at_) {
      if (text_[at_] == ' ') {
        ++columns;
      } else if (text_[at_] == '\t') {
        columns = (columns / 8 + 1) * 8;
      } else {
        break;
      }
    }
    return columns;
  }

  [[nodiscard]] std::string_view word() const {
    std::size_t end = at_;
    while (end < text_.size() && is_word(text_[end])) ++end;
    const std::string_view first = text_.substr(at_, end - at_);
    if (first != "async") return first;
    while (end < text_.size() && text_[end] == ' ') ++end;
    std::size_t second = end;
    while (second < text_.size() && is_word(text_[second])) ++second;
    return text_.substr(end, second - end);
  }

  /// Up to and with the newline that ends the statement.
  void rest_of_statement() {
    int depth = 0;
    while (at_ < text_.size()) {
      const char c = text_[at_];
      if (c == '\'' || c == '"') {
        string(c);
        continue;
      }
      ++at_;
      if (c == '#') {
        while (at_ < text_.size() && text_[at_] != '\n') ++at_;
      } else if (c == '(' || c == '[' || c == '{') {
        ++depth;
      } else if (c == ')' || c == ']' || c == '}') {
        depth = std::max(depth - 1, 0);
      } else if (c == '\\' && at_ < text_.size() && text_[at_] == '\n') {
        ++at_;
        ++line_;
      } else if (c == '\n') {
        ++line_;
        if (depth == 0) return;
      }
    }
    ++line_;
  }

  void string(char quote) {
    const std::string_view three = quote == '"' ? "\"\"\"" : "'''";
    const bool triple = text_.substr(at_, 3) == three;
    at_ += triple ? 3 : 1;
    while (at_ < text_.size()) {
      const char c = text_[at_];
      if (triple && text_.substr(at_, 3) == three) {
        at_ += 3;
        return;
      }
      if (!triple && c == '\n') return;  // unterminated: the statement ends here
      if (c == '\n') ++line_;
      if (c == '\\' && at_ + 1 < text_.size()) {
        if (text_[at_ + 1] == '\n') ++line_;
        ++at_;
      }
      ++at_;
      if (!triple && c == quote) return;
    }
  }

  std::string_view text_;
  std::size_t at_ = 0;
  int line_ = 1;
  std::vector<LogicalLine> lines_;
};

}  // namespace

std::vector<LogicalLine> logical_lines(std::string_view source) { return Reader(source).read(); }

std::optional<std::size_t> line_at(const std::vector<LogicalLine>& lines, int line) {
  const auto found =
      std::find_if(lines.begin(), lines.end(), [&](const LogicalLine& l) { return l.first <= line && line <= l.last; });
  if (found == lines.end()) return std::nullopt;
  return static_cast<std::size_t>(found - lines.begin());
}

std::optional<std::size_t> parent_of(const std::vector<LogicalLine>& lines, std::size_t at) {
  for (std::size_t i = at; i-- > 0;) {
    if (lines[i].indent < lines[at].indent) return i;
  }
  return std::nullopt;
}

}  // namespace hangstack::classifiers
