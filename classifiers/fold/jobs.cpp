#include "classifiers/fold/jobs.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

namespace hangstack::classifiers {
namespace {

using model::Role;

/// Threads that only a process with a process group has.
bool communicates(const ProcessFacts& process) {
  return std::any_of(process.threads.begin(), process.threads.end(), [](const ThreadFacts& thread) {
    const auto& role = thread.role.name;
    return role.starts_with("gloo") || role.starts_with("NCCL") || thread.gloo || waits_for_peers(thread.state.beneath);
  });
}

std::string key_of(const ProcessFacts& process) {
  const auto& last = process.last();
  if (!last.identity.job_key.empty()) return "key " + last.identity.job_key;
  return fmt::format("parent {} {}", last.host, last.parent_pid);
}

bool is_rank(const ProcessFacts& process) {
  const Role role = process.last().identity.role;
  return role == Role::rank || ((role == Role::other || role == Role::helper) && communicates(process));
}

using Members = std::map<std::string, std::vector<const ProcessFacts*>>;
using HostPid = std::pair<std::string, std::int32_t>;

/// Job keys of ranks by their own pid and by their parent's.
struct Families {
  std::map<HostPid, std::string> by_pid;
  std::map<HostPid, std::string> by_parent;
};

std::string job_of_companion(const ProcessFacts& process, const Families& families, const Members& ranks) {
  const auto& last = process.last();
  if (const auto at = families.by_pid.find({last.host, last.identity.rank_pid}); at != families.by_pid.end())
    return at->second;
  if (const auto at = families.by_parent.find({last.host, last.pid}); at != families.by_parent.end()) return at->second;
  if (const auto at = families.by_pid.find({last.host, last.parent_pid}); at != families.by_pid.end())
    return at->second;
  std::string own = key_of(process);
  if (!last.identity.job_key.empty() && ranks.contains(own)) return own;
  return fmt::format("alone {} {}", last.host, last.pid);
}

/// A process that is the child of another one with the same number is a worker that inherited its environment.
void settle_duplicates(JobFacts& job) {
  std::map<int, std::vector<const ProcessFacts*>> by_number;
  for (const auto& rank : job.ranks) by_number[rank.number].push_back(rank.process);
  job.ranks.clear();
  for (auto& [number, processes] : by_number) {
    if (processes.size() == 1) {
      job.ranks.push_back({number, false, processes.front()});
      continue;
    }
    std::set<std::int32_t> pids;
    for (const auto* process : processes) pids.insert(process->last().pid);
    std::vector<const ProcessFacts*> parents;
    for (const auto* process : processes) {
      (pids.contains(process->last().parent_pid) ? job.others : parents).push_back(process);
    }
    if (parents.empty()) std::swap(parents, processes);
    std::stable_sort(parents.begin(), parents.end(),
                     [](const auto* a, const auto* b) { return a->last().pid < b->last().pid; });
    job.ranks.push_back({number, false, parents.front()});
    if (parents.size() == 1) continue;
    for (const auto* process : parents) job.duplicates[number].push_back(process->last().pid);
    job.others.insert(job.others.end(), parents.begin() + 1, parents.end());
  }
}

void number_ranks(JobFacts& job, const std::vector<const ProcessFacts*>& processes) {
  std::vector<const ProcessFacts*> uncounted;
  for (const auto* process : processes) {
    const auto& rank = process->last().identity.rank;
    if (rank && *rank >= 0) {
      job.ranks.push_back({*rank, false, process});
    } else {
      uncounted.push_back(process);
    }
  }
  settle_duplicates(job);
  std::stable_sort(uncounted.begin(), uncounted.end(), [](const auto* a, const auto* b) {
    return std::tie(a->last().host, a->last().pid) < std::tie(b->last().host, b->last().pid);
  });
  int next = 0;
  for (const auto& rank : job.ranks) next = std::max(next, rank.number + 1);
  for (const auto* process : uncounted) job.ranks.push_back({next++, true, process});
}

void add_failed(const model::JobSnapshot& snapshot, std::vector<JobFacts>& jobs,
                const std::map<std::string, std::size_t>& place) {
  for (const auto& failed : snapshot.failed) {
    const auto found = place.find("key " + failed.identity.job_key);
    if (!failed.identity.job_key.empty() && found != place.end()) {
      jobs[found->second].failed.push_back(&failed);
      continue;
    }
    if (jobs.empty()) jobs.emplace_back();
    const auto most = std::max_element(jobs.begin(), jobs.end(),
                                       [](const auto& a, const auto& b) { return a.ranks.size() < b.ranks.size(); });
    most->failed.push_back(&failed);
  }
}

void add_left_out(const model::JobSnapshot& snapshot, JobFacts& job) {
  for (const auto& rank : snapshot.left_out) {
    if (rank.job_key.empty() || rank.job_key != job.key || !job.missing.contains(rank.rank)) continue;
    job.left_out.insert(rank.rank);
    job.left_out_pids.push_back(rank.pid);
  }
}

}  // namespace

std::vector<JobFacts> jobs_of(const model::JobSnapshot& snapshot, const std::vector<ProcessFacts>& processes) {
  Members ranks;
  Families families;
  for (const auto& process : processes) {
    if (!is_rank(process)) continue;
    const auto& last = process.last();
    const std::string key = key_of(process);
    ranks[key].push_back(&process);
    families.by_pid[{last.host, last.pid}] = key;
    families.by_parent[{last.host, last.parent_pid}] = key;
  }
  Members companions;
  for (const auto& process : processes) {
    if (!is_rank(process)) companions[job_of_companion(process, families, ranks)].push_back(&process);
  }
  std::vector<JobFacts> jobs;
  std::map<std::string, std::size_t> place;
  for (auto& [key, members] : ranks) {
    place[key] = jobs.size();
    JobFacts& job = jobs.emplace_back();
    if (key.starts_with("key ")) job.key = key.substr(4);
    number_ranks(job, members);
  }
  for (auto& [key, members] : companions) {
    if (const auto found = place.find(key); found != place.end()) {
      auto& others = jobs[found->second].others;
      others.insert(others.end(), members.begin(), members.end());
      continue;
    }
    JobFacts& job = jobs.emplace_back();
    for (const auto* process : members) job.ranks.push_back({0, true, process});
  }
  add_failed(snapshot, jobs, place);
  for (JobFacts& job : jobs) {
    job.ras = ras_of(snapshot.ras, job.ranks);
    complete_facts(job);
    add_left_out(snapshot, job);
    job.sources = &snapshot.sources;
    job.span_s = snapshot.gap_s * (job.samples - 1);
  }
  std::stable_sort(jobs.begin(), jobs.end(),
                   [](const JobFacts& a, const JobFacts& b) { return a.ranks.size() > b.ranks.size(); });
  join_jobs(jobs);
  // Logs do not tell a job from another one.
  if (!jobs.empty()) {
    jobs.front().logs = snapshot.logs;
    jobs.front().call_logs = snapshot.call_logs;
  }
  return jobs;
}

}  // namespace hangstack::classifiers
