#include "symbolizer/merge/merge.h"

#include <fmt/core.h>

#include <algorithm>
#include <cstddef>
#include <optional>
#include <ranges>

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

std::size_t native_frame_holding(const std::vector<NamedFrame>& frames, std::uint64_t address) {
  const auto found = std::ranges::find_if(
      frames, [address](const NamedFrame& f) { return f.stack_begin <= address && address < f.stack_end; });
  return static_cast<std::size_t>(found - frames.begin());
}

/// The first native frame that lies wholly outside (above) an address no frame holds.
std::size_t first_frame_above(const std::vector<NamedFrame>& frames, std::uint64_t address) {
  const auto found = std::ranges::find_if(frames, [address](const NamedFrame& f) { return f.stack_begin > address; });
  return static_cast<std::size_t>(found - frames.begin());
}

std::vector<Placement> place_by_anchor(const std::vector<NamedFrame>& native, const PythonThread& python) {
  std::vector<Placement> placements;
  std::size_t last = 0;
  for (const PythonGroup& group : python.groups) {
    Placement p;
    p.group = &group;
    if (group.anchor) p.position = native_frame_holding(native, *group.anchor);
    if (!group.anchor || p.position == native.size()) {
      p.exact = false;
      p.position = group.anchor ? first_frame_above(native, *group.anchor) : last;
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
std::optional<std::vector<Placement>> place_by_count(std::size_t native_count, bool complete,
                                                     const std::vector<std::size_t>& evals,
                                                     const PythonThread& python) {
  const std::size_t groups = python.groups.size();
  std::size_t skip = 0;  // innermost calls that have no frame yet
  if (complete) {
    // At most the innermost call has not entered its frame; a chain that broke shows its innermost frames only.
    if (evals.size() != groups && evals.size() != groups + 1 && python.broken.empty()) return std::nullopt;
    if (evals.size() < groups) return std::nullopt;
    if (python.broken.empty()) skip = evals.size() - groups;
  }
  std::vector<Placement> placements;
  for (std::size_t i = 0; i < groups; ++i) {
    const bool known = i + skip < evals.size();
    placements.push_back({known ? evals[i + skip] : native_count, &python.groups[i], known});
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

std::vector<Frame> interleave(const std::vector<NamedFrame>& native, const std::vector<Placement>& placements) {
  std::vector<Frame> merged;
  auto next = placements.begin();
  for (std::size_t i = 0; i <= native.size(); ++i) {
    bool marked = false;
    for (; next != placements.end() && next->position == i; ++next) {
      if (!next->exact && !marked && !next->group->frames.empty()) {
        const bool after_end = i == native.size();
        merged.push_back(marker(after_end ? "the native stack ends here; the interpreter's own frames go on"
                                          : "no native frame is known to run the Python frames that follow"));
        marked = true;
      }
      append(merged, next->group->frames);
    }
    if (i < native.size()) append(merged, native[i].levels);
  }
  return merged;
}

std::vector<Frame> show_both(const std::vector<NamedFrame>& native, const PythonThread& python, std::size_t evals) {
  std::vector<Frame> merged;
  for (const NamedFrame& frame : native) append(merged, frame.levels);
  merged.push_back(
      marker(fmt::format("{} Python frames do not fit the {} calls of the interpreter above; they follow on their own",
                         frame_count(python), evals)));
  for (const PythonGroup& group : python.groups) append(merged, group.frames);
  return merged;
}

}  // namespace

EvalFunctions::EvalFunctions(const std::vector<std::uint64_t>& addresses, ProcessModules& modules) {
  for (const std::uint64_t address : addresses) {
    const auto place = modules.find(model::RemoteAddress{address});
    if (!place) continue;
    if (const auto range = place->module->function_range(place->address)) {
      ranges_.emplace_back(range->start.value + place->load_bias, range->end.value + place->load_bias);
    }
  }
}

bool EvalFunctions::contains(const NamedFrame& frame) const {
  const Frame& function = frame.levels.back();
  if (function.function == "_PyEval_EvalFrameDefault") return true;
  // A return address can lie just behind the function.
  return std::ranges::any_of(
      ranges_, [&](const auto& range) { return function.address > range.first && function.address <= range.second; });
}

bool is_taking_gil(const std::vector<NamedFrame>& native) {
  constexpr std::size_t kInnermost = 8;  // take_gil, pthread_cond_timedwait, its parts and the system call
  return std::ranges::any_of(native | std::views::take(kInnermost), [](const NamedFrame& frame) {
    return std::ranges::any_of(frame.levels, [](const Frame& level) { return level.function == "take_gil"; });
  });
}

std::vector<Frame> merge(const std::vector<NamedFrame>& native, bool complete, const EvalFunctions& evals,
                         const PythonThread& python) {
  std::vector<Frame> merged;
  const bool anchored = std::ranges::any_of(python.groups, [](const PythonGroup& g) { return g.anchor.has_value(); });
  if (native.empty()) {
    for (const PythonGroup& group : python.groups) append(merged, group.frames);
  } else if (anchored || !python.one_call_per_frame) {
    merged = interleave(native, place_by_anchor(native, python));
  } else {
    std::vector<std::size_t> calls;
    for (std::size_t i = 0; i < native.size(); ++i) {
      if (evals.contains(native[i])) calls.push_back(i);
    }
    const auto placements = place_by_count(native.size(), complete, calls, python);
    merged = placements ? interleave(native, *placements) : show_both(native, python, calls.size());
  }
  if (!python.broken.empty()) merged.push_back(marker("the Python frames end early: " + python.broken));
  return merged;
}

}  // namespace hangstack::symbolizer
