#include "classifiers/fold/program_order.h"

#include <fmt/format.h>

#include <vector>

#include "classifiers/fold/source_flow.h"
#include "model/file_path.h"

namespace hangstack::classifiers {
namespace {

using model::Frame;

std::vector<const Frame*> python_path(const ThreadView& view) {
  std::vector<const Frame*> path;
  for (std::size_t i = view.names.size(); i-- > 0;) {
    if (view.is_python(i)) path.push_back(&view.frame(i));
  }
  return path;
}

std::string place_text(const Frame& frame) { return fmt::format("{}:{}", model::base_name(frame.file), frame.line); }

bool has_finished(const ThreadState& state) {
  return state.beneath == StateKind::exiting || state.beneath == StateKind::teardown;
}

using Path = std::vector<const Frame*>;

const std::string* source_of(const Frame& frame, const Sources& sources) {
  const auto found = sources.find(frame.file);
  return found == sources.end() ? nullptr : &found->second;
}

/// A function around the place where they part is called again and again.
bool repeats(const Path& path, std::size_t depth, const Sources& sources) {
  for (std::size_t i = 0; i < depth; ++i) {
    const std::string* source = source_of(*path[i], sources);
    if (source != nullptr && in_loop(*source, path[i]->line)) return true;
  }
  return false;
}

/// What is known of the frames above the parting: without all of their sources a loop cannot be excluded.
bool callers_are_known(const Path& path, std::size_t depth, const Sources& sources) {
  for (std::size_t i = 0; i < depth; ++i) {
    if (origin_of(path[i]->file) == Origin::user && source_of(*path[i], sources) == nullptr) return false;
  }
  return true;
}

Placement part_at(const Path& own, const Path& peer, std::size_t depth, const Sources& sources) {
  const Frame& a = *own[depth];
  const Frame& b = *peer[depth];
  const auto function = last_component(a.function);
  const std::string* source = source_of(a, sources);
  const Flow flow = source == nullptr ? Flow::unknown : flow_between(*source, a.line, b.line);
  const auto says = [&](Position position, std::string_view what) {
    return Placement{position, fmt::format("{}, {} {} in {}", place_text(a), what, place_text(b), function)};
  };
  switch (flow) {
    case Flow::follows: return says(Position::before, "from where the source goes on to");
    case Flow::skipped: return says(Position::branch, "from where the source does not come to");
    case Flow::passed_in_loop: return says(Position::behind, "in a loop that has passed, and comes again to,");
    case Flow::passed:
      if (repeats(own, depth, sources)) return says(Position::behind, "called in a loop, after");
      if (callers_are_known(own, depth, sources)) return says(Position::past, "which comes after, in no loop,");
      return says(Position::after, "after");
    case Flow::earlier:
    case Flow::unknown: break;
  }
  return a.line < b.line ? says(Position::before, "before") : says(Position::after, "after");
}

Placement compare(const Path& own, const Path& peer, const Sources& sources) {
  for (std::size_t depth = 0; depth < own.size() && depth < peer.size(); ++depth) {
    const Frame& a = *own[depth];
    const Frame& b = *peer[depth];
    if (a.function != b.function || a.file != b.file) {
      if (depth == 0) return {};
      const std::string* source = source_of(*own[depth - 1], sources);
      if (source != nullptr && heads_loop(*source, own[depth - 1]->line))
        return {Position::same_line,
                fmt::format("{} is a loop of one line: it calls {} there, its peers call {}",
                            place_text(*own[depth - 1]), last_component(a.function), last_component(b.function))};
      return {Position::branch, fmt::format("{} calls {} there, its peers call {}", place_text(*own[depth - 1]),
                                            last_component(a.function), last_component(b.function))};
    }
    if (a.line != b.line) return part_at(own, peer, depth, sources);
  }
  if (own.empty() || peer.empty()) return {};
  const Frame& last = own.size() < peer.size() ? *own.back() : *own[peer.size() - 1];
  return {Position::same_line, fmt::format("at {}, the line of its peers' call", place_text(last))};
}

/// The threads to compare: those that wait, if they are of one kind, else the main ones.
const ThreadView* comparable(const ProcessFacts& process, bool by_blocking) {
  if (by_blocking) return &process.threads[*process.blocking].view;
  return process.main ? &process.threads[*process.main].view : nullptr;
}

}  // namespace

Placement place_of(const ProcessFacts& rank, const ProcessFacts& peer, const Sources& sources) {
  if (!rank.blocking || !peer.blocking) return {};
  if (has_finished(rank.state())) return {Position::finished, rank.state().title};
  const bool rank_main = rank.blocking == rank.main;
  const bool peer_main = peer.blocking == peer.main;
  const ThreadView* own = comparable(rank, rank_main == peer_main);
  const ThreadView* other = comparable(peer, rank_main == peer_main);
  if (own == nullptr || other == nullptr) return {};
  return compare(python_path(*own), python_path(*other), sources);
}

}  // namespace hangstack::classifiers
