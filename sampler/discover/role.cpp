#include "sampler/discover/role.h"

#include <algorithm>
#include <utility>

namespace hangstack::sampler {
namespace {

using model::RankIdentity;
using model::Role;

/// Set by the process itself (torch/utils/data/_utils/worker.py, since 2.5).
bool is_data_worker(const ProcessNode& node) { return node.facts.comm.starts_with("pt_data_worker"); }

/// A launcher of its own making: it was given no local rank and hands them out.
bool hands_out_local_ranks(const ProcessTree& tree, const ProcessNode& node) {
  if (node.claim && node.claim->local_rank) return false;
  return std::ranges::any_of(node.children, [&](std::int32_t pid) {
    const ProcessNode* child = tree.find(pid);
    return child != nullptr && child->claim && child->claim->local_rank && child->claim->rank &&
           child->claim->source != "--rank";
  });
}

bool may_be_rank(const ProcessTree& tree, const ProcessNode& node) {
  if (node.facts.kernel || is_data_worker(node)) return false;
  if (node.kind != CommandKind::program && node.kind != CommandKind::spawn_child) return false;
  return !hands_out_local_ranks(tree, node);
}

/// The environment may not be read, but a launcher started it.
bool started_by_launcher(const ProcessTree& tree, const ProcessNode& node) {
  if (node.facts.environment_read || node.kind != CommandKind::program) return false;
  const ProcessNode* parent = tree.find(node.facts.parent_pid);
  return parent != nullptr && parent->kind == CommandKind::launcher;
}

/// By what it has of its own. Of a chain of processes with one claim the topmost is the rank.
bool is_rank_by_itself(const ProcessTree& tree, const ProcessNode& node) {
  if (!may_be_rank(tree, node)) return false;
  if (!node.claim) return node.facts.communicates || started_by_launcher(tree, node);
  const auto above = tree.ancestors(node.facts.pid);
  return std::ranges::none_of(above, [&](std::int32_t pid) {
    const ProcessNode* ancestor = tree.find(pid);
    return ancestor->claim == node.claim && may_be_rank(tree, *ancestor);
  });
}

std::ptrdiff_t count_spawned_with_torch(const ProcessTree& tree, const ProcessNode& parent) {
  return std::ranges::count_if(parent.children, [&](std::int32_t pid) {
    const ProcessNode* child = tree.find(pid);
    return child != nullptr && child->kind == CommandKind::spawn_child && child->facts.maps_torch &&
           !is_data_worker(*child);
  });
}

/// The nearest rank above; nothing if there is none.
const ProcessNode* rank_above(const ProcessTree& tree, std::int32_t pid) {
  for (const std::int32_t ancestor : tree.ancestors(pid))
    if (is_rank(tree, ancestor)) return tree.find(ancestor);
  return nullptr;
}

bool has_rank_below(const ProcessTree& tree, std::int32_t pid) {
  return std::ranges::any_of(tree.descendants(pid), [&](std::int32_t below) {
    const ProcessNode* node = tree.find(below);
    return node != nullptr && (node->kind == CommandKind::launcher || is_rank(tree, below));
  });
}

Role role_below_rank(const ProcessTree& tree, const ProcessNode& node, const ProcessNode& rank) {
  if (node.kind == CommandKind::compile_worker) return Role::compile_worker;
  const bool forked =
      node.kind == rank.kind && !node.facts.command_line.empty() && node.facts.command_line == rank.facts.command_line;
  if (forked || node.kind == CommandKind::spawn_child) return Role::dataloader_worker;
  const ProcessNode* parent = tree.find(node.facts.parent_pid);
  // The fork server itself is a helper; what was forked from it has its command line.
  if (node.kind == CommandKind::fork_server && parent != nullptr && parent->kind == CommandKind::fork_server)
    return Role::dataloader_worker;
  return Role::helper;
}

Role role_without_rank(const ProcessTree& tree, const ProcessNode& node) {
  switch (node.kind) {
    case CommandKind::compile_worker:
      // A compiler without a rank above it compiles something else; inductor's pool outlives a dead rank.
      return parse_python_command(node.facts.command_line).script.empty() &&
                     parse_python_command(node.facts.command_line).module.empty()
                 ? Role::other
                 : Role::compile_worker;
    case CommandKind::wrapper:
    case CommandKind::program:
    case CommandKind::spawn_child: return has_rank_below(tree, node.facts.pid) ? Role::launcher : Role::other;
    case CommandKind::tracker:
    case CommandKind::fork_server:
    case CommandKind::side_tool: {
      // Next to ranks, under one launcher.
      const ProcessNode* parent = tree.find(node.facts.parent_pid);
      const bool job =
          parent != nullptr && parent->kind != CommandKind::session && has_rank_below(tree, parent->facts.pid);
      return job ? Role::helper : Role::other;
    }
    case CommandKind::launcher:
    case CommandKind::session: break;
  }
  return Role::other;
}

RankIdentity identity_of_rank(const ProcessNode& node) {
  RankIdentity identity;
  identity.role = Role::rank;
  if (node.claim) {
    identity.rank = node.claim->rank;
    identity.local_rank = node.claim->local_rank;
    identity.world_size = node.claim->world_size;
    if (node.claim->rank) identity.rank_source = node.claim->source;
    identity.job_key = node.claim->job_key;
  }
  if (identity.job_key.empty() && node.facts.parent_pid > 1)
    identity.job_key = "parent " + std::to_string(node.facts.parent_pid);
  return identity;
}

bool is_python(const ProcessNode& node) {
  const PythonCommand command = parse_python_command(node.facts.command_line);
  return !command.script.empty() || !command.module.empty() || !command.code.empty() || node.facts.communicates ||
         node.facts.comm.starts_with("python");
}

/// Of two processes with one claim: whether `node` is the rank rather than `other`. A container's environment is
/// everybody's in it: an exporter or an editor there has the claim of the Python program.
bool outdoes(const ProcessNode& node, const ProcessNode& other) {
  if (is_python(node) != is_python(other)) return is_python(node);
  if (node.facts.parent_pid != other.facts.parent_pid) return false;
  return std::pair(node.facts.thread_count, other.facts.pid) > std::pair(other.facts.thread_count, node.facts.pid);
}

}  // namespace

bool is_rank(const ProcessTree& tree, std::int32_t pid) {
  const ProcessNode* node = tree.find(pid);
  if (node == nullptr) return false;
  if (is_rank_by_itself(tree, *node)) return true;
  if (node->claim || !may_be_rank(tree, *node) || node->kind != CommandKind::spawn_child || !node->facts.maps_torch)
    return false;
  const ProcessNode* parent = tree.find(node->facts.parent_pid);
  if (parent == nullptr || parent->kind != CommandKind::program || count_spawned_with_torch(tree, *parent) < 2)
    return false;
  return std::ranges::none_of(tree.ancestors(pid),
                              [&](std::int32_t above) { return is_rank_by_itself(tree, *tree.find(above)); });
}

RankIdentity identity_in(const ProcessTree& tree, std::int32_t pid) {
  const ProcessNode* node = tree.find(pid);
  if (node == nullptr || node->facts.kernel) return {};
  if (is_rank(tree, pid)) return identity_of_rank(*node);
  RankIdentity identity;
  const ProcessNode* rank = rank_above(tree, pid);
  if (rank != nullptr) {
    identity.rank_pid = rank->facts.pid;
    identity.job_key = identity_of_rank(*rank).job_key;
  }
  if (is_data_worker(*node))
    identity.role = Role::dataloader_worker;
  else if (node->kind == CommandKind::launcher)
    identity.role = Role::launcher;
  else if (rank != nullptr)
    identity.role = role_below_rank(tree, *node, *rank);
  else
    identity.role = role_without_rank(tree, *node);
  return identity;
}

std::vector<std::int32_t> ranks_in(const ProcessTree& tree) {
  std::vector<std::int32_t> ranks;
  for (const auto& [pid, node] : tree.nodes())
    if (node.facts.pid != 0 && !node.facts.ended && is_rank(tree, pid)) ranks.push_back(pid);
  const auto outdone = [&](std::int32_t pid) {
    const ProcessNode& node = *tree.find(pid);
    return node.claim && std::ranges::any_of(ranks, [&](std::int32_t other) {
             return other != pid && tree.find(other)->claim == node.claim && outdoes(*tree.find(other), node);
           });
  };
  std::vector<std::int32_t> winners;
  std::ranges::copy_if(ranks, std::back_inserter(winners), [&](std::int32_t pid) { return !outdone(pid); });
  return winners;
}

}  // namespace hangstack::sampler
