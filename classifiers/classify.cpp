#include "classifiers/classify.h"

#include <fmt/format.h>

#include <algorithm>

#include "classifiers/evidence/logged.h"
#include "classifiers/evidence/observations.h"
#include "classifiers/evidence/ras.h"
#include "classifiers/fold/groups.h"
#include "classifiers/fold/jobs.h"
#include "classifiers/fold/tree.h"
#include "classifiers/patterns/pages.h"
#include "classifiers/patterns/pattern.h"

namespace hangstack::classifiers {
namespace {

using model::Job;

std::string heading(const JobFacts& facts, std::size_t index) {
  return facts.key.empty() ? fmt::format("job {}", index + 1) : facts.key;
}

void log_facts(const JobFacts& facts, std::vector<std::string>& decisions) {
  const auto line = [&](std::string_view name, const model::RankSet& set) {
    if (!set.empty()) decisions.push_back(fmt::format("facts: {}: {}", name, set.folded()));
  };
  line("wait for peers", facts.inside);
  line("wait for the device", facts.device);
  line("outside", facts.outside);
  line("stopped", facts.stopped);
  line("traced", facts.traced);
  line("dead", facts.dead);
  line("without a stack", facts.blind);
  line("moved", facts.moved);
  line("did not move", facts.unmoved);
  line("missing", facts.missing);
}

/// Alternatives of rules that did not fire, without repeating a pattern or the verdict.
void add_alternatives(Job& job, std::vector<model::Alternative> more) {
  for (auto& alternative : more) {
    const bool known = std::any_of(job.alternatives.begin(), job.alternatives.end(),
                                   [&](const auto& present) { return present.pattern == alternative.pattern; });
    if (!known && alternative.pattern != job.verdict.pattern) job.alternatives.push_back(std::move(alternative));
  }
}

void forget_ranks(std::vector<model::TreeNode>& nodes) {
  for (auto& node : nodes) {
    node.present = {};
    node.absent = {};
    forget_ranks(node.children);
  }
}

/// A process that is nobody's rank is not "rank 0" in its report.
void forget_ranks(Job& job) {
  job.verdict.culprit_ranks = {};
  for (auto& observation : job.verdict.observations) observation.ranks = {};
  for (auto& group : job.groups) group.ranks = {};
  forget_ranks(job.tree);
}

std::string sentence(std::string text) {
  if (!text.empty() && text[0] >= 'a' && text[0] <= 'z') text[0] = static_cast<char>(text[0] - 'a' + 'A');
  return text;
}

/// What is documented of the pattern.
void add_page(model::Verdict& verdict) {
  const PatternPage* page = page_of(verdict.pattern);
  if (page == nullptr) return;
  verdict.documented_verification.assign(page->verification.begin(), page->verification.end());
  verdict.reference = page->reference;
}

Job judge(const JobFacts& facts, std::size_t index) {
  Job job;
  job.job = heading(facts, index);
  job.missing_ranks = facts.missing;
  log_facts(facts, job.decisions);
  std::vector<model::Alternative> considered;
  for (const Rule& rule : rules()) {
    Ruling ruling = rule.judge(facts);
    job.decisions.push_back(
        fmt::format("{}{}: {}: {}", rule.pattern, rule.by, ruling.verdict ? "fired" : "not fired", ruling.because));
    std::move(ruling.alternatives.begin(), ruling.alternatives.end(), std::back_inserter(considered));
    if (!ruling.verdict) continue;
    job.verdict = std::move(*ruling.verdict);
    break;
  }
  add_page(job.verdict);
  // Files of other programs have no counters, and nobody knows when they were made.
  if (facts.imported() && job.verdict.confidence < model::Confidence::possible)
    job.verdict.confidence = model::Confidence::possible;
  if (const auto step = with_left_out(facts)) {
    job.verdict.next_steps.insert(job.verdict.next_steps.begin(), *step);
  }
  doubt_by_ras(job.verdict, facts);
  append(job.verdict.observations, ras_observations(facts));
  append(job.verdict.observations, logged_observations(facts));
  if (!job.verdict.first_cause && job.verdict.hung != model::Hung::no) job.verdict.first_cause = logged_cause(facts);
  job.ras = facts.ras;
  job.logs = facts.logs;
  add_alternatives(job, std::move(considered));
  job.groups = groups_of(facts, job.verdict.culprit_ranks);
  job.ranks = rank_rows(facts);
  job.tree = tree_of(facts);
  job.verdict.summary = sentence(std::move(job.verdict.summary));
  if (facts.single() && facts.ranks.front().counted) forget_ranks(job);
  return job;
}

}  // namespace

std::vector<Job> classify(model::JobSnapshot& snapshot) {
  NameTable names;
  std::vector<ProcessFacts> processes;
  processes.reserve(snapshot.processes.size());
  for (auto& history : snapshot.processes) {
    if (!history.samples.empty()) processes.push_back(process_facts(history, names));
  }
  const std::vector<JobFacts> jobs = jobs_of(snapshot, processes);
  std::vector<Job> judged;
  judged.reserve(jobs.size());
  for (std::size_t i = 0; i < jobs.size(); ++i) judged.push_back(judge(jobs[i], i));
  for (const auto& process : processes) mark_threads(process);
  return judged;
}

}  // namespace hangstack::classifiers
