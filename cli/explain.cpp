#include "cli/explain.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "classifiers/patterns/pages.h"
#include "cli/nearest_names.h"
#include "cli/reproducers.h"
#include "cli/topics.h"

namespace hangstack::cli {
namespace {

using model::ErrorCode;
using model::Expected;
using model::failure;

constexpr std::string_view kReproducer = "reproducer";
constexpr std::string_view kReproducerTitle = "Scripts that hang a PyTorch job in a documented way.";

std::string list_of_pages() {
  std::string text = "hangstack explain NAME prints the page on a pattern or a topic.\n\nPatterns\n";
  const auto line = [&](std::string_view name, std::string_view title) {
    text += fmt::format("  {:<24} {}\n", name, title);
  };
  for (const auto& page : classifiers::pattern_pages()) line(page.name, page.title);
  text += "\nTopics\n";
  for (const Topic& topic : topics()) line(topic.name, topic.title);
  line("reproducer [NAME]", kReproducerTitle);
  return text;
}

std::string list_of_reproducers() {
  std::string text =
      "Scripts that hang a PyTorch job on purpose, by the pattern that they show. To have one, by either name:\n"
      "  hangstack explain reproducer NAME > reproducer.py\n";
  std::string_view pattern;
  for (const Reproducer& each : reproducers()) {
    if (each.pattern != pattern) text += fmt::format("\n{}\n", each.pattern);
    pattern = each.pattern;
    text += fmt::format("  {:<23} {} ranks, {} GPUs  {}\n", each.name, each.ranks, each.gpus, each.title);
  }
  return text + fmt::format("\nwithout a script, for only the lab can show them: {}\n",
                            fmt::join(patterns_without_reproducer(), ", "));
}

/// Patterns and scripts, each once.
std::vector<std::string_view> reproducer_names() {
  std::vector<std::string_view> names;
  for (const Reproducer& each : reproducers()) names.insert(names.end(), {each.pattern, each.name});
  std::ranges::sort(names);
  names.erase(std::ranges::unique(names).begin(), names.end());
  return names;
}

Expected<std::string> no_reproducer(const std::string& name) {
  if (std::ranges::find(patterns_without_reproducer(), name) != patterns_without_reproducer().end()) {
    return failure(
        ErrorCode::usage,
        fmt::format("no script shows {} by itself: only the lab can, on a GPU that fails or a machine prepared for it",
                    name),
        "what there is: hangstack explain reproducer");
  }
  const auto near = nearest_names(name, reproducer_names());
  return failure(ErrorCode::usage, fmt::format("no pattern and no script is called \"{}\"", name),
                 near.empty() ? std::string("what there is: hangstack explain reproducer")
                              : fmt::format("nearest: {}; all: hangstack explain reproducer", fmt::join(near, ", ")));
}

Expected<std::string> explain_reproducer(const std::string& name) {
  if (name.empty()) return list_of_reproducers();
  const auto list = reproducers();
  auto found = std::ranges::find(list, name, &Reproducer::name);
  if (found == list.end()) found = std::ranges::find(list, name, &Reproducer::pattern);
  if (found == list.end()) return no_reproducer(name);
  return std::string(found->text);
}

/// With the way to a script that shows the pattern, if there is one. None if it is neither a pattern nor a topic.
std::optional<std::string> page_text(const std::string& name) {
  if (const auto* page = classifiers::page_of(name)) {
    const auto list = reproducers();
    const bool shown = std::ranges::find(list, name, &Reproducer::pattern) != list.end();
    return std::string(page->text) +
           (shown ? fmt::format("\nA script that hangs so: hangstack explain reproducer {}\n", name) : std::string());
  }
  const auto found = std::ranges::find(topics(), name, &Topic::name);
  if (found == topics().end()) return {};
  return std::string(found->text);
}

Expected<std::string> no_page(const std::string& name) {
  std::vector<std::string_view> names{kReproducer};
  for (const auto& page : classifiers::pattern_pages()) names.push_back(page.name);
  for (const Topic& topic : topics()) names.push_back(topic.name);
  const auto scripts = reproducer_names();
  std::string fix = "what there is: hangstack explain";
  if (std::ranges::find(scripts, name) != scripts.end()) {
    fix = fmt::format("a script of that name: hangstack explain reproducer {}", name);
  } else if (const auto near = nearest_names(name, names); !near.empty()) {
    fix = fmt::format("nearest: {}; all: hangstack explain", fmt::join(near, ", "));
  }
  return failure(ErrorCode::usage, fmt::format("no pattern and no topic is called \"{}\"", name), std::move(fix));
}

}  // namespace

Expected<std::string> explain(const std::string& topic, const std::string& name) {
  if (topic.empty()) return list_of_pages();
  if (topic == kReproducer) return explain_reproducer(name);
  auto text = page_text(topic);
  if (!text) return no_page(topic);
  if (name.empty()) return *std::move(text);
  return failure(ErrorCode::usage, fmt::format("the page on {} has no parts: \"{}\" is one name too many", topic, name),
                 fmt::format("hangstack explain {}", topic));
}

}  // namespace hangstack::cli
