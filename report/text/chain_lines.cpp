#include "report/text/chain_lines.h"

#include <algorithm>

#include "report/printable.h"
#include "report/text/layout.h"
#include "report/words/cut.h"

namespace hangstack::report {
namespace {

constexpr std::string_view kArrow = " > ";
constexpr std::size_t kInnermostKept = 3;

using Steps = std::vector<ChainStep>;

std::vector<std::string> fill(const Steps& steps, const ChainRoom& room) {
  std::vector<std::string> lines(1);
  int used = 0;
  for (const auto& step : steps) {
    int width = lines.size() == 1 ? room.first_line : room.others;
    const int needed = columns(step.label) + (used > 0 ? static_cast<int>(kArrow.size()) : 0);
    if (used > 0 && used + needed > width) {
      lines.emplace_back();
      used = 0;
      width = room.others;
    }
    if (used > 0) lines.back() += kArrow;
    lines.back() += cut_end(step.label, width);
    used = columns(lines.back());
  }
  return lines;
}

/// `steps` with `count` of them from `first` on replaced by one "…".
Steps elided(const Steps& steps, std::size_t first, std::size_t count) {
  const auto at = steps.begin() + static_cast<std::ptrdiff_t>(first);
  Steps out(steps.begin(), at);
  out.push_back({"…", false});
  out.insert(out.end(), at + static_cast<std::ptrdiff_t>(count), steps.end());
  return out;
}

struct Window {
  std::size_t first = 0;
  std::size_t last = 0;  ///< half-open
};

/// The native frames below the first one under Python, without the innermost.
Window native_middle(const Steps& steps) {
  const auto python = std::find_if(steps.rbegin(), steps.rend(), [](const auto& s) { return s.python; });
  const auto first = static_cast<std::size_t>(steps.rend() - python) + 1;
  const std::size_t last = steps.size() > kInnermostKept ? steps.size() - kInnermostKept : 0;
  return {first, std::max(first, last)};
}

}  // namespace

std::vector<std::string> chain_lines(const Steps& steps, const ChainRoom& room) {
  auto lines = fill(steps, room);
  const auto fits = [&] { return room.most_lines == 0 || lines.size() <= static_cast<std::size_t>(room.most_lines); };
  if (fits()) return lines;
  // Dropping one more step at a time costs quadratic work: a recursion of thousands of frames is cut beforehand.
  constexpr std::size_t kManySteps = 200;
  if (steps.size() > kManySteps) {
    return chain_lines(elided(steps, kManySteps / 2, steps.size() - kManySteps + 1), room);
  }
  const Window native = native_middle(steps);
  for (std::size_t count = 1; native.first + count <= native.last && !fits(); ++count) {
    lines = fill(elided(steps, native.last - count, count), room);
  }
  for (std::size_t kept = steps.size() - 1; kept >= 2 && !fits(); --kept) {
    const std::size_t head = (kept + 1) / 2;
    lines = fill(elided(steps, head, steps.size() - kept), room);
  }
  if (!fits()) lines.resize(static_cast<std::size_t>(room.most_lines));
  return lines;
}

}  // namespace hangstack::report
