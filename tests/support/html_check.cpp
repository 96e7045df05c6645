#include "tests/support/html_check.h"

#include <algorithm>
#include <array>
#include <vector>

namespace hangstack::tests {
namespace {

constexpr auto kAttributes = std::to_array<std::string_view>(
    {"aria-label", "autocomplete", "charset", "class", "content", "data-ranks", "hidden", "href", "http-equiv", "id",
     "lang", "name", "open", "placeholder", "role", "spellcheck", "start", "type"});
constexpr auto kEntities = std::to_array<std::string_view>({"&amp;", "&lt;", "&gt;", "&quot;", "&#39;"});

bool is_word(char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-'; }

class Checker {
 public:
  Checker(std::string_view page, std::string_view style, std::string_view script)
      : page_(page), style_(style), script_(script) {}

  std::optional<std::string> fault() {
    if (!take("<!DOCTYPE html>\n")) return at("no doctype");
    while (at_ < page_.size()) {
      if (auto wrong = page_[at_] == '<' ? tag() : text()) return wrong;
    }
    if (!open_.empty()) return "not closed: " + open_.back();
    return styles_ == 1 && scripts_ == 1 ? std::nullopt : std::optional<std::string>("not one style and one script");
  }

 private:
  std::optional<std::string> at(const std::string& what) const {
    return what + " at \"" + std::string(page_.substr(at_, 60)) + "\"";
  }
  bool take(std::string_view word) {
    if (!page_.substr(at_).starts_with(word)) return false;
    at_ += word.size();
    return true;
  }
  std::string_view word() {
    const std::size_t first = at_;
    while (at_ < page_.size() && is_word(page_[at_])) ++at_;
    return page_.substr(first, at_ - first);
  }

  std::optional<std::string> text() {
    const unsigned char c = static_cast<unsigned char>(page_[at_]);
    if (c == '&') {
      const bool known = std::ranges::any_of(kEntities, [&](auto entity) { return take(entity); });
      return known ? std::nullopt : at("a bare &");
    }
    if (c == '>' || c == '"' || c == '\'' || (c < 0x20 && c != '\n') || c == 0x7f) return at("a bare character");
    ++at_;
    return std::nullopt;
  }

  std::optional<std::string> tag() {
    ++at_;
    if (take("/")) {
      const std::string name(word());
      if (!take(">") || open_.empty() || open_.back() != name) return at("wrong end of " + name);
      open_.pop_back();
      return std::nullopt;
    }
    const std::string name(word());
    if (name.empty()) return at("no tag");
    if (auto wrong = attributes()) return wrong;
    if (name == "meta" || name == "input") return std::nullopt;
    open_.push_back(name);
    if (name == "style") return embedded(style_, styles_);
    if (name == "script") return embedded(script_, scripts_);
    return std::nullopt;
  }

  std::optional<std::string> embedded(std::string_view content, int& count) {
    ++count;
    return take(content) ? std::nullopt : at("not what was embedded");
  }

  std::optional<std::string> attributes() {
    while (take(" ")) {
      const std::string_view name = word();
      if (std::ranges::find(kAttributes, name) == kAttributes.end()) return at("attribute " + std::string(name));
      if (!take("=\"")) return at("no value");
      if (name == "href" && at_ < page_.size() && page_[at_] != '#') return at("a link out of the page");
      while (at_ < page_.size() && page_[at_] != '"') {
        if (page_[at_] == '<') return at("a bare character in an attribute");
        if (auto wrong = text()) return wrong;
      }
      if (!take("\"")) return at("no end of a value");
    }
    return take(">") ? std::nullopt : at("no end of a tag");
  }

  std::string_view page_;
  std::string_view style_;
  std::string_view script_;
  std::size_t at_ = 0;
  int styles_ = 0;
  int scripts_ = 0;
  std::vector<std::string> open_;
};

}  // namespace

std::optional<std::string> fault_of_html(std::string_view page, std::string_view style, std::string_view script) {
  return Checker(page, style, script).fault();
}

}  // namespace hangstack::tests
