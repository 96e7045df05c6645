#include "sampler/discover/discover.h"

#include <fmt/core.h>
#include <regex.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <set>
#include <span>
#include <string>
#include <utility>

#include "sampler/discover/role.h"
#include "sampler/discover/scan.h"

namespace hangstack::sampler {
namespace {

/// Relatives whose facts decide about a process; more add nothing.
constexpr std::size_t kMaxRelatives = 1024;

/// hangstack itself, its ancestors and everything it started.
std::set<std::int32_t> own_family(const ProcessTree& tree) {
  const std::int32_t self = ::getpid();
  std::set<std::int32_t> family{self};
  for (const std::int32_t pid : tree.ancestors(self)) family.insert(pid);
  for (const std::int32_t pid : tree.descendants(self)) family.insert(pid);
  return family;
}

/// All processes with their facts.
ProcessTree read_everything(const ProcFiles& proc) {
  ProcessTree tree = read_tree(proc);
  std::vector<std::int32_t> pids;
  for (const auto& [pid, node] : tree.nodes())
    if (node.facts.pid != 0) pids.push_back(pid);
  read_facts(proc, pids, tree);
  return tree;
}

std::vector<std::int32_t> relatives(const ProcessTree& tree, std::int32_t pid) {
  std::vector<std::int32_t> pids{pid};
  const auto append = [&](const std::vector<std::int32_t>& more) {
    for (const std::int32_t other : more)
      if (other != pid && pids.size() < kMaxRelatives) pids.push_back(other);
  };
  const std::vector<std::int32_t> above = tree.ancestors(pid);
  append(above);
  if (pid > 1) append(tree.descendants(pid));
  // A sibling's children decide nothing, but those of every ancestor do: is it the launcher of its children?
  for (const std::int32_t ancestor : above)
    if (ancestor > 1) append(tree.find(ancestor)->children);
  std::ranges::sort(pids);
  pids.erase(std::ranges::unique(pids).begin(), pids.end());
  return pids;
}

class Expression {
 public:
  explicit Expression(const std::string& text)
      : error_(::regcomp(&compiled_, text.c_str(), REG_EXTENDED | REG_NOSUB)) {}
  Expression(const Expression&) = delete;
  Expression& operator=(const Expression&) = delete;
  ~Expression() {
    if (error_ == 0) ::regfree(&compiled_);
  }
  [[nodiscard]] bool compiles() const { return error_ == 0; }
  [[nodiscard]] std::string why_not() const {
    std::array<char, 256> text{};
    ::regerror(error_, &compiled_, text.data(), text.size());
    return text.data();
  }
  [[nodiscard]] bool matches(const std::string& text) const {
    return ::regexec(&compiled_, text.c_str(), 0, nullptr, 0) == 0;
  }

 private:
  regex_t compiled_{};
  int error_;
};

std::string joined(const std::vector<std::string>& arguments) {
  std::string text;
  for (const std::string& argument : arguments) {
    if (!text.empty()) text += ' ';
    text += argument;
  }
  return text;
}

/// Zombies that have the parent and the name of a rank: ranks that have ended.
std::vector<std::int32_t> ended_beside(const ProcessTree& tree, std::span<const std::int32_t> ranks) {
  std::set<std::pair<std::int32_t, std::string>> alive;
  for (const std::int32_t pid : ranks)
    if (const ProcessNode* node = tree.find(pid); node != nullptr && node->facts.parent_pid > 1)
      alive.emplace(node->facts.parent_pid, node->facts.comm);
  std::vector<std::int32_t> ended;
  for (const auto& [pid, node] : tree.nodes())
    if (node.facts.ended && alive.contains({node.facts.parent_pid, node.facts.comm})) ended.push_back(pid);
  return ended;
}

}  // namespace

std::vector<std::int32_t> find_ranks(const ProcFiles& proc) {
  const ProcessTree tree = read_everything(proc);
  const std::set<std::int32_t> family = own_family(tree);
  std::vector<std::int32_t> ranks = ranks_in(tree);
  for (const std::int32_t pid : ended_beside(tree, ranks)) ranks.push_back(pid);
  std::ranges::sort(ranks);
  std::erase_if(ranks, [&](std::int32_t pid) { return family.contains(pid); });
  return ranks;
}

std::vector<FoundRank> find_ranks_of(const ProcFiles& proc, const std::set<std::string>& job_keys) {
  const ProcessTree tree = read_everything(proc);
  const std::set<std::int32_t> family = own_family(tree);
  std::vector<FoundRank> found;
  for (const std::int32_t pid : ranks_in(tree)) {
    auto identity = identity_in(tree, pid);
    if (!family.contains(pid) && job_keys.contains(identity.job_key)) found.push_back({pid, std::move(identity)});
  }
  return found;
}

model::Expected<std::vector<std::int32_t>> find_by_command_line(const ProcFiles& proc, const std::string& expression) {
  const Expression compiled(expression);
  if (!compiled.compiles())
    return model::failure(model::ErrorCode::usage,
                          fmt::format("'{}' is no regular expression: {}", expression, compiled.why_not()),
                          "see regex(7) for POSIX extended regular expressions");
  const ProcessTree tree = read_everything(proc);
  const std::set<std::int32_t> family = own_family(tree);
  std::vector<std::int32_t> found;
  for (const auto& [pid, node] : tree.nodes())
    if (!node.facts.command_line.empty() && !family.contains(pid) && compiled.matches(joined(node.facts.command_line)))
      found.push_back(pid);
  return found;
}

std::vector<std::int32_t> with_descendants(const ProcFiles& proc, std::span<const std::int32_t> pids) {
  const ProcessTree tree = read_tree(proc);
  std::set<std::int32_t> all(pids.begin(), pids.end());
  for (const std::int32_t pid : pids)
    for (const std::int32_t below : tree.descendants(pid)) all.insert(below);
  const std::set<std::int32_t> family = own_family(tree);
  std::vector<std::int32_t> result;
  for (const std::int32_t pid : all)
    if (!family.contains(pid) || std::ranges::find(pids, pid) != pids.end()) result.push_back(pid);
  return result;
}

model::RankIdentity identify(const ProcFiles& proc, std::int32_t pid) { return read_family(proc, pid).identity; }

Family read_family(const ProcFiles& proc, std::int32_t pid) {
  constexpr std::size_t kMaxDescendants = 256;
  ProcessTree tree = read_tree(proc);
  if (tree.find(pid) == nullptr) return {};
  read_facts(proc, relatives(tree, pid), tree);
  Family family{identity_in(tree, pid), {}};
  const std::set<std::int32_t> own = own_family(tree);
  for (const std::int32_t below : tree.descendants(pid)) {
    const ProcessNode* node = tree.find(below);
    if (node == nullptr || own.contains(below) || family.descendants.size() == kMaxDescendants) continue;
    const ProcessFacts& facts = node->facts;
    family.descendants.push_back({below, facts.parent_pid, facts.comm, facts.kernel_state, facts.cpu_ticks});
  }
  return family;
}

std::set<std::int32_t> own_shells(const ProcFiles& proc) {
  ProcessTree tree = read_tree(proc);
  std::vector<std::int32_t> above = tree.ancestors(::getpid());
  std::ranges::sort(above);
  read_facts(proc, above, tree);
  std::erase_if(above, [&](std::int32_t pid) {
    const ProcessNode* node = tree.find(pid);
    return node == nullptr || (node->kind != CommandKind::wrapper && node->kind != CommandKind::session);
  });
  std::set<std::int32_t> shells(above.begin(), above.end());
  shells.insert(::getpid());
  return shells;
}

}  // namespace hangstack::sampler
