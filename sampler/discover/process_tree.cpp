#include "sampler/discover/process_tree.h"

#include <algorithm>
#include <set>

namespace hangstack::sampler {
namespace {

constexpr std::size_t kMaxAncestors = 64;
constexpr std::size_t kMaxDescendants = 100'000;

bool may_claim(CommandKind kind) {
  return kind == CommandKind::program || kind == CommandKind::spawn_child || kind == CommandKind::fork_server;
}

}  // namespace

void ProcessTree::add(ProcessFacts facts) {
  ProcessNode& node = nodes_[facts.pid];
  if (node.facts.pid != 0 && node.facts.parent_pid != facts.parent_pid)
    if (const auto parent = nodes_.find(node.facts.parent_pid); parent != nodes_.end())
      std::erase(parent->second.children, facts.pid);
  node.facts = std::move(facts);
  node.kind = classify_command(node.facts.command_line, node.facts.comm);
  node.claim.reset();
  if (may_claim(node.kind)) node.claim = find_claim(node.facts.environment, node.facts.command_line);
  if (node.claim) node.claim->job_key = job_key_from_environment(node.facts.environment, host_);
  const std::int32_t pid = node.facts.pid;
  // A parent that is added later takes its children over from this placeholder.
  std::vector<std::int32_t>& siblings = nodes_[node.facts.parent_pid].children;
  if (std::ranges::find(siblings, pid) == siblings.end()) siblings.push_back(pid);
}

const ProcessNode* ProcessTree::find(std::int32_t pid) const {
  const auto found = nodes_.find(pid);
  return found == nodes_.end() || found->second.facts.pid == 0 ? nullptr : &found->second;
}

std::vector<std::int32_t> ProcessTree::ancestors(std::int32_t pid) const {
  std::vector<std::int32_t> above;
  const ProcessNode* node = find(pid);
  while (node != nullptr && above.size() < kMaxAncestors) {
    const std::int32_t parent = node->facts.parent_pid;
    node = find(parent);
    if (node == nullptr || parent == pid || std::ranges::find(above, parent) != above.end()) break;
    above.push_back(parent);
  }
  return above;
}

std::vector<std::int32_t> ProcessTree::descendants(std::int32_t pid) const {
  std::set<std::int32_t> below;
  std::vector<std::int32_t> pending{pid};
  while (!pending.empty() && below.size() < kMaxDescendants) {
    const auto node = nodes_.find(pending.back());
    pending.pop_back();
    if (node == nodes_.end()) continue;
    for (const std::int32_t child : node->second.children)
      if (child != pid && below.insert(child).second) pending.push_back(child);
  }
  return {below.begin(), below.end()};
}

}  // namespace hangstack::sampler
