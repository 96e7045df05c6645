#include "report/words/stack_classes.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <unordered_map>

namespace hangstack::report {
namespace {

/// What decides whether two stacks are printed alike. Addresses differ from process to process: not among it.
std::string key_of(const model::Thread& thread) {
  std::string key = fmt::format("{}\x1f{}\x1f{}\x1f{}\x1f{}\x1f{}\x1f{}\x1e", thread.kernel_state, thread.wchan,
                                thread.syscall_name, thread.role, thread.suppressed, thread.blocking, thread.end);
  for (const auto& f : thread.frames) {
    fmt::format_to(std::back_inserter(key), "{}\x1f{}\x1f{}\x1f{}\x1f{}\x1f{}\x1e", static_cast<int>(f.kind),
                   f.function, f.module, f.offset, f.file, f.line);
  }
  return key;
}

int order_of(const model::Thread& thread) {
  if (thread.blocking) return 0;
  return thread.suppressed ? 2 : 1;
}

}  // namespace

model::RankSet ranks_of(const StackClass& stack) {
  model::RankSet ranks;
  for (const auto& [process, thread] : stack.members) {
    if (process->identity.rank && process->identity.role == model::Role::rank) ranks.insert(*process->identity.rank);
  }
  return ranks;
}

std::vector<const model::ProcessSnapshot*> last_samples(const model::Report& report) {
  std::vector<const model::ProcessSnapshot*> found;
  for (const auto& history : report.processes) {
    if (!history.samples.empty()) found.push_back(&history.last());
  }
  return found;
}

std::vector<StackClass> stack_classes(const std::vector<const model::ProcessSnapshot*>& processes, bool fold) {
  std::vector<StackClass> classes;
  std::unordered_map<std::string, std::size_t> known;
  for (const model::ProcessSnapshot* process : processes) {
    for (const auto& thread : process->threads) {
      const ThreadOfProcess member{process, &thread};
      if (fold) {
        const auto [it, fresh] = known.try_emplace(key_of(thread), classes.size());
        if (!fresh) {
          classes[it->second].members.push_back(member);
          continue;
        }
      }
      classes.push_back({{member}});
    }
  }
  std::stable_sort(classes.begin(), classes.end(), [](const auto& a, const auto& b) {
    return order_of(*a.members.front().thread) < order_of(*b.members.front().thread);
  });
  return classes;
}

}  // namespace hangstack::report
