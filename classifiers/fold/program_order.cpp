#include "classifiers/fold/program_order.h"

#include <fmt/format.h>

#include <vector>

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

std::string place_text(const Frame& frame) { return fmt::format("{}:{}", base_name(frame.file), frame.line); }

bool has_finished(const ThreadState& state) {
  return state.beneath == StateKind::exiting || state.beneath == StateKind::teardown;
}

Placement compare(const std::vector<const Frame*>& own, const std::vector<const Frame*>& peer) {
  for (std::size_t depth = 0; depth < own.size() && depth < peer.size(); ++depth) {
    const Frame& a = *own[depth];
    const Frame& b = *peer[depth];
    if (a.function != b.function || a.file != b.file) {
      if (depth == 0) return {};
      return {Position::branch, fmt::format("{} calls {} there, its peers call {}", place_text(*own[depth - 1]),
                                            last_component(a.function), last_component(b.function))};
    }
    if (a.line == b.line) continue;
    const bool before = a.line < b.line;
    return {before ? Position::before : Position::after,
            fmt::format("{}, {} {} in {}", place_text(a), before ? "before" : "after", place_text(b),
                        last_component(a.function))};
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

Placement place_of(const ProcessFacts& rank, const ProcessFacts& peer) {
  if (!rank.blocking || !peer.blocking) return {};
  if (has_finished(rank.state())) return {Position::finished, rank.state().title};
  const bool rank_main = rank.blocking == rank.main;
  const bool peer_main = peer.blocking == peer.main;
  const ThreadView* own = comparable(rank, rank_main == peer_main);
  const ThreadView* other = comparable(peer, rank_main == peer_main);
  if (own == nullptr || other == nullptr) return {};
  return compare(python_path(*own), python_path(*other));
}

}  // namespace hangstack::classifiers
