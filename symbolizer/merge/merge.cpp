#include "symbolizer/merge/merge.h"

#include <fmt/core.h>

#include <algorithm>
#include <cstddef>
#include <optional>

namespace hangstack::symbolizer {
namespace {

using model::Frame;

Frame marker(std::string note) {
  Frame frame;
  frame.kind = model::FrameKind::marker;
  frame.trust = model::FrameTrust::interpreter;
  frame.note = std::move(note);
  return frame;
}

/// Where each group goes: before native frame `position`; the number of native frames means after all of them.
struct Placement {
  std::size_t position = 0;
  const PythonGroup* group = nullptr;
  bool exact = true;  ///< the native frame is known to run it
};

std::size_t native_frame_holding(const std::vector<NativeFrame>& frames, std::uint64_t address) {
  const auto found = std::ranges::find_if(
      frames, [address](const NativeFrame& f) { return f.stack_begin <= address && address < f.stack_end; });
  return static_cast<std::size_t>(found - frames.begin());
}

/// The first native frame that lies wholly outside (above) an address no frame holds.
std::size_t first_frame_above(const std::vector<NativeFrame>& frames, std::uint64_t address) {
  const auto found = std::ranges::find_if(frames, [address](const NativeFrame& f) { return f.stack_begin > address; });
  return static_cast<std::size_t>(found - frames.begin());
}

std::vector<Placement> place_by_anchor(const NativeStack& native, const PythonThread& python) {
  std::vector<Placement> placements;
  std::size_t last = 0;
  for (const PythonGroup& group : python.groups) {
    Placement p;
    p.group = &group;
    if (group.anchor) p.position = native_frame_holding(native.frames, *group.anchor);
    if (!group.anchor || p.position == native.frames.size()) {
      p.exact = false;
      p.position = group.anchor ? first_frame_above(native.frames, *group.anchor) : last;
    }
    // The interpreter's own order wins over addresses that contradict it.
    if (p.position < last) {
      p.exact = false;
      p.position = last;
    }
    last = p.position;
    placements.push_back(p);
  }
  return placements;
}

/// Python frame and eval call pair up one to one. None if the counts cannot be right.
std::optional<std::vector<Placement>> place_by_count(const NativeStack& native, const PythonThread& python) {
  std::vector<std::size_t> evals;
  for (std::size_t i = 0; i < native.frames.size(); ++i) {
    if (native.frames[i].is_eval) evals.push_back(i);
  }
  const std::size_t groups = python.groups.size();
  std::size_t skip = 0;  // innermost calls that have no frame yet
  if (native.complete) {
    // At most the innermost call has not entered its frame; a chain that broke shows its innermost frames only.
    if (evals.size() != groups && evals.size() != groups + 1 && python.broken.empty()) return std::nullopt;
    if (evals.size() < groups) return std::nullopt;
    if (python.broken.empty()) skip = evals.size() - groups;
  }
  std::vector<Placement> placements;
  for (std::size_t i = 0; i < groups; ++i) {
    const bool known = i + skip < evals.size();
    placements.push_back({known ? evals[i + skip] : native.frames.size(), &python.groups[i], known});
  }
  return placements;
}

std::size_t frame_count(const PythonThread& python) {
  std::size_t count = 0;
  for (const PythonGroup& group : python.groups) count += group.frames.size();
  return count;
}

void append(std::vector<Frame>& to, const std::vector<Frame>& frames) {
  to.insert(to.end(), frames.begin(), frames.end());
}

std::vector<Frame> interleave(const NativeStack& native, const std::vector<Placement>& placements) {
  std::vector<Frame> merged;
  auto next = placements.begin();
  for (std::size_t i = 0; i <= native.frames.size(); ++i) {
    bool marked = false;
    for (; next != placements.end() && next->position == i; ++next) {
      if (!next->exact && !marked && !next->group->frames.empty()) {
        const bool after_end = i == native.frames.size();
        merged.push_back(marker(after_end ? "the native stack ends here; the interpreter's own frames go on"
                                          : "no native frame is known to run the Python frames that follow"));
        marked = true;
      }
      append(merged, next->group->frames);
    }
    if (i < native.frames.size()) append(merged, native.frames[i].levels);
  }
  return merged;
}

std::vector<Frame> show_both(const NativeStack& native, const PythonThread& python, std::size_t evals) {
  std::vector<Frame> merged;
  for (const NativeFrame& frame : native.frames) append(merged, frame.levels);
  merged.push_back(
      marker(fmt::format("{} Python frames do not fit the {} calls of the interpreter above; they follow on their own",
                         frame_count(python), evals)));
  for (const PythonGroup& group : python.groups) append(merged, group.frames);
  return merged;
}

}  // namespace

bool is_eval_function(const std::string& symbol) {
  constexpr std::string_view kEval = "_PyEval_EvalFrameDefault";
  return symbol.starts_with(kEval) && (symbol.size() == kEval.size() || symbol[kEval.size()] == '.');
}

std::vector<Frame> merge(const NativeStack& native, const PythonThread& python) {
  std::vector<Frame> merged;
  const bool anchored = std::ranges::any_of(python.groups, [](const PythonGroup& g) { return g.anchor.has_value(); });
  if (native.frames.empty()) {
    for (const PythonGroup& group : python.groups) append(merged, group.frames);
  } else if (anchored || !python.one_call_per_frame) {
    merged = interleave(native, place_by_anchor(native, python));
  } else if (const auto placements = place_by_count(native, python)) {
    merged = interleave(native, *placements);
  } else {
    const auto evals = std::ranges::count_if(native.frames, [](const NativeFrame& f) { return f.is_eval; });
    merged = show_both(native, python, static_cast<std::size_t>(evals));
  }
  if (!python.broken.empty()) merged.push_back(marker("the Python frames end early: " + python.broken));
  return merged;
}

}  // namespace hangstack::symbolizer
