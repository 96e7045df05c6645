#include "classifiers/fold/tree.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <unordered_map>

#include "classifiers/fold/chain.h"
#include "model/without_numbers.h"

namespace hangstack::classifiers {
namespace {

using model::Frame;
using model::FrameKind;
using model::RankSet;
using model::TreeNode;

/// Ranks whose chains are equal, link by link.
struct Strand {
  std::vector<Link> chain;
  std::vector<std::string> keys;
  RankSet ranks;
};

using Strands = std::vector<const Strand*>;

Frame marker(std::string text) {
  Frame frame;
  frame.kind = FrameKind::marker;
  frame.function = std::move(text);
  return frame;
}

class Strandbook {
 public:
  void add(std::vector<Link> chain, int rank) {
    std::vector<std::string> keys;
    keys.reserve(chain.size());
    std::string whole;
    for (const Link& link : chain) {
      keys.push_back(link.key());
      whole += keys.back();
      whole += '\n';
    }
    const auto [at, fresh] = place_.try_emplace(std::move(whole), strands_.size());
    if (fresh) strands_.push_back({std::move(chain), std::move(keys), {}});
    strands_[at->second].ranks.insert(rank);
  }

  [[nodiscard]] const std::vector<Strand>& strands() const { return strands_; }

 private:
  std::vector<Strand> strands_;
  std::unordered_map<std::string, std::size_t> place_;
};

RankSet ranks_of(const Strands& strands) {
  RankSet ranks;
  for (const Strand* strand : strands) {
    for (const int rank : strand->ranks.ranks()) ranks.insert(rank);
  }
  return ranks;
}

std::size_t rank_count(const Strands& strands) {
  std::size_t count = 0;
  for (const Strand* strand : strands) count += strand->ranks.size();
  return count;
}

/// How many links from `depth` on all strands share.
std::size_t common_length(const Strands& strands, std::size_t depth) {
  std::size_t length = 0;
  for (;; ++length) {
    const std::size_t at = depth + length;
    const auto& first = strands.front()->keys;
    const bool all = at < first.size() && std::all_of(
                                              strands.begin(), strands.end(),
                                              [&](const Strand* strand) {
                                                return at < strand->keys.size() && strand->keys[at] == first[at];
                                              });
    if (!all) return length;
  }
}

/// Strands by their link at `depth`, in order of appearance; those that end there are left out.
std::vector<Strands> split(const Strands& strands, std::size_t depth) {
  std::vector<Strands> parts;
  std::unordered_map<std::string_view, std::size_t> place;
  for (const Strand* strand : strands) {
    if (depth >= strand->keys.size()) continue;
    const auto [at, fresh] = place.try_emplace(strand->keys[depth], parts.size());
    if (fresh) parts.emplace_back();
    parts[at->second].push_back(strand);
  }
  return parts;
}

std::vector<TreeNode> nodes_of(const Strands& strands, std::size_t depth, const RankSet& parent);

TreeNode node_of(const Strands& strands, std::size_t depth, const RankSet& parent) {
  TreeNode node;
  const std::size_t length = common_length(strands, depth);
  for (std::size_t i = 0; i < length; ++i) node.chain.push_back(*strands.front()->chain[depth + i].frame);
  node.present = ranks_of(strands);
  node.absent = parent.minus(node.present);
  node.children = nodes_of(strands, depth + length, node.present);
  return node;
}

/// Recursion ends: every level takes at least one strand away, and `kMostBranches` bounds the width.
std::vector<TreeNode> nodes_of(const Strands& strands, std::size_t depth, const RankSet& parent) {
  auto parts = split(strands, depth);
  std::stable_sort(parts.begin(), parts.end(),
                   [](const Strands& a, const Strands& b) { return rank_count(a) < rank_count(b); });
  std::vector<TreeNode> nodes;
  Strands rest;
  std::size_t left_out = 0;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (parts.size() > kMostBranches && i >= kMostBranches / 2 && i + kMostBranches / 2 < parts.size()) {
      rest.insert(rest.end(), parts[i].begin(), parts[i].end());
      ++left_out;
      continue;
    }
    nodes.push_back(node_of(parts[i], depth, parent));
  }
  if (left_out > 0) {
    TreeNode node;
    node.chain.push_back(marker(fmt::format("{} more branches", left_out)));
    node.present = ranks_of(rest);
    node.absent = parent.minus(node.present);
    nodes.push_back(std::move(node));
  }
  return nodes;
}

std::vector<TreeNode> merged(const Strandbook& book, const RankSet& all) {
  Strands strands;
  for (const Strand& strand : book.strands()) strands.push_back(&strand);
  return strands.empty() ? std::vector<TreeNode>{} : nodes_of(strands, 0, all);
}

std::string label_of(const ThreadFacts& thread) {
  const auto& raw = *thread.view.thread;
  if (!raw.python_name.empty()) return model::without_numbers(raw.python_name);
  if (!thread.role.name.empty() && thread.role.name != "python") return thread.role.name;
  return raw.name.empty() ? "thread" : raw.name;
}

/// In a process alone, every thread that is no idle helper may matter.
std::vector<const ThreadFacts*> visible_threads(const ProcessFacts& process) {
  std::vector<const ThreadFacts*> out;
  for (std::size_t i = 0; i < process.threads.size(); ++i) {
    const auto& thread = process.threads[i];
    if (i != process.blocking && !thread.role.idle && !thread.view.names.empty()) out.push_back(&thread);
  }
  return out;
}

}  // namespace

std::vector<TreeNode> tree_of(const JobFacts& job) {
  Strandbook blocking;
  std::map<std::string, Strandbook> working;
  RankSet all;
  for (const auto& rank : job.ranks) {
    all.insert(rank.number);
    if (const ThreadFacts* thread = rank.process->blocking_thread()) {
      blocking.add(chain_of(thread->view), rank.number);
    }
    for (const ThreadFacts* thread : job.single() ? visible_threads(*rank.process) : rank.process->pending_threads()) {
      working[label_of(*thread)].add(chain_of(thread->view), rank.number);
    }
  }
  std::vector<TreeNode> roots = merged(blocking, all);
  for (const auto& [role, book] : working) {
    for (TreeNode& node : merged(book, all)) {
      node.chain.insert(node.chain.begin(), marker(role));
      roots.push_back(std::move(node));
    }
  }
  return roots;
}

}  // namespace hangstack::classifiers
