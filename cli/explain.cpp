#include "cli/explain.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <string_view>
#include <vector>

#include "cli/nearest_names.h"
#include "cli/reproducers.h"

namespace hangstack::cli {
namespace {

using model::ErrorCode;
using model::Expected;
using model::failure;

constexpr std::string_view kReproducer = "reproducer";
constexpr auto kTopics =
    "topics of hangstack explain:\n"
    "  reproducer [PATTERN|SCRIPT]   a script that hangs a PyTorch job in a documented way; alone: a list of them\n";

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

}  // namespace

Expected<std::string> explain(const std::string& topic, const std::string& name) {
  if (topic.empty()) return std::string(kTopics);
  if (topic == kReproducer) return explain_reproducer(name);
  const auto scripts = reproducer_names();
  const bool is_script = std::ranges::find(scripts, topic) != scripts.end();
  return failure(ErrorCode::usage, fmt::format("hangstack explain has no topic \"{}\"", topic),
                 is_script ? fmt::format("a script that shows it: hangstack explain reproducer {}", topic)
                           : fmt::format("topics: {}", kReproducer));
}

}  // namespace hangstack::cli
