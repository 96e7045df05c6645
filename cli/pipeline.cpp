#include "cli/pipeline.h"

#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <ctime>
#include <map>
#include <thread>

#include "classifiers/classify.h"
#include "cli/ask_ras.h"
#include "cli/sources.h"
#include "cli/targets.h"
#include "sampler/sampler.h"

namespace hangstack::cli {
namespace {

using Clock = std::chrono::steady_clock;

/// A stack that grows with each visit still ends: no thread is visited more often than this.
constexpr int kMaxVisits = 2;

std::string_view stop_name(sampler::StopMode mode) {
  switch (mode) {
    case sampler::StopMode::automatic: return "auto";
    case sampler::StopMode::all: return "all";
    case sampler::StopMode::never: return "never";
  }
  return "auto";
}

/// Records once per sample: what ended between two of them is movement that no stack shows.
sampler::InspectorFactory inspector_factory(symbolizer::Symbolizer& symbolizer, bool records) {
  return [&symbolizer, records] { return symbolizer.make_inspector(records); };
}

/// Threads whose stacks a second visit could make longer.
std::map<std::int32_t, model::StackNeed> open_needs(const model::ProcessSnapshot& process, sampler::StopMode stop) {
  std::map<std::int32_t, model::StackNeed> needs;
  for (const model::Thread& thread : process.threads) {
    const bool stop_helps = stop != sampler::StopMode::never && thread.method != model::CaptureMethod::stopped;
    const bool worth_it =
        thread.need == model::StackNeed::more_memory || (thread.need == model::StackNeed::registers && stop_helps);
    if (worth_it) needs.emplace(thread.tid, thread.need);
  }
  return needs;
}

/// Puts what a second visit brought over what the first one had.
void take_over(model::ProcessCapture& capture, model::ProcessCapture&& visit) {
  for (model::ThreadCapture& again : visit.threads) {
    const auto first = std::ranges::find(capture.threads, again.tid, &model::ThreadCapture::tid);
    if (first == capture.threads.end() || again.method == model::CaptureMethod::none) continue;
    capture.stopped_us += again.stopped_us;
    if (first->method == model::CaptureMethod::stopped || first->clocks_after_stop) {
      // The first visit's stop is in the counters that the second one found.
      if (!again.clocks_after_stop) again.clocks_after_stop = again.clocks;
      again.clocks = first->clocks;
    }
    *first = std::move(again);
  }
  std::ranges::move(visit.memory, std::back_inserter(capture.memory));
}

/// Symbolizes every process, and visits those threads again whose stacks lack registers or bytes.
void complete_stacks(std::vector<SampledProcess>& sample, const Options& options, symbolizer::Symbolizer& symbolizer,
                     const std::function<bool()>& interrupted) {
  sampler::SamplingOptions sampling = options.sampling;
  for (int visit = 0;; ++visit) {
    std::vector<sampler::Target> targets;
    for (SampledProcess& process : sample) {
      if (!process.snapshot) process.snapshot = symbolizer.symbolize(process.capture);
      auto needs = open_needs(*process.snapshot, options.sampling.stop);
      if (!needs.empty()) targets.push_back({process.capture.pid, std::move(needs)});
    }
    if (targets.empty() || visit == kMaxVisits || interrupted()) return;
    for (auto& result :
         sampler::sample_processes(targets, sampling, inspector_factory(symbolizer, false), interrupted)) {
      if (!result) continue;
      const auto process = std::ranges::find(sample, result->pid, [](const auto& p) { return p.capture.pid; });
      if (process == sample.end() || process->capture.start_time_ticks != result->start_time_ticks) continue;
      take_over(process->capture, std::move(*result));
      process->snapshot.reset();
    }
    sampling.stack_bytes = sampler::kMoreStackBytes;  // no visit brings less than one before it
  }
}

/// Kept with the process, so that a replay says it too.
void add_problem(SampledProcess& process, const model::Problem& problem) {
  process.capture.problems.push_back(problem);
  if (process.snapshot) process.snapshot->problems.push_back(problem);
}

/// A process that was there in an earlier sample and is not any more keeps its stacks and gets the reason.
void note_loss(Session& session, const model::FailedProcess& failed) {
  for (auto sample = session.samples.rbegin(); sample != session.samples.rend(); ++sample) {
    const auto earlier = std::ranges::find(*sample, failed.pid, [](const auto& p) { return p.capture.pid; });
    if (earlier == sample->end()) continue;
    add_problem(*earlier, {"pid", std::to_string(failed.pid), failed.error});
    return;
  }
}

void note_change(Session& session, std::int32_t pid, const std::string& path) {
  const auto process = std::ranges::find(session.samples.back(), pid, [](const auto& p) { return p.capture.pid; });
  if (process == session.samples.back().end()) return;
  add_problem(
      *process,
      {"file",
       path,
       {model::ErrorCode::unavailable,
        fmt::format("{} was changed after pid {} began: its blocks were not used, and lines are of the older text",
                    path, pid),
        "judge which call comes first by the text that the job runs"}});
}

/// Waits until `until`, in steps short enough for ^C to be felt.
bool wait_until(Clock::time_point until, const std::function<bool()>& interrupted) {
  while (Clock::now() < until) {
    if (interrupted()) return false;
    const auto step = std::min<Clock::duration>(until - Clock::now(), std::chrono::milliseconds(50));
    if (step > Clock::duration::zero()) std::this_thread::sleep_for(step);
  }
  return !interrupted();
}

std::vector<sampler::Target> targets_of(const std::vector<std::int32_t>& pids) {
  std::vector<sampler::Target> targets;
  for (const std::int32_t pid : pids) targets.push_back({pid, {}});
  return targets;
}

bool was_sampled(const Session& session, std::int32_t pid) {
  return std::ranges::any_of(session.samples, [&](const auto& sample) {
    return std::ranges::find(sample, pid, [](const auto& p) { return p.capture.pid; }) != sample.end();
  });
}

void add_problems(const model::ProcessSnapshot& process, std::vector<model::Problem>& errors) {
  std::ranges::copy(process.problems, std::back_inserter(errors));
  for (const model::Thread& thread : process.threads) {
    for (const model::Error& error : thread.problems) {
      errors.push_back({"thread", fmt::format("{}/{}", process.pid, thread.tid), error});
    }
  }
}

void add_stops(const model::ProcessCapture& capture, model::Sampling& sampling) {
  sampling.stopped_us_total += capture.stopped_us;
  sampling.threads_stopped += static_cast<int>(
      std::ranges::count(capture.threads, model::CaptureMethod::stopped, &model::ThreadCapture::method));
}

/// After the last sample: nothing is held any more, and what RAS wakes is in no counter.
void ask(Session& session, const Options& options, const Progress& progress, const std::function<bool()>& interrupted) {
  if (session.samples.empty() || session.samples.back().empty()) return;
  const std::vector<SampledProcess>& sample = session.samples.back();
  if (!options.ras) {
    session.ras = {not_asked(sample, "not asked: --ras off")};
  } else if (interrupted()) {
    session.ras = {not_asked(sample, "not asked: interrupted")};
  } else {
    progress("asking NCCL RAS");
    session.ras = ask_ras(sample);
    session.sampling.asked = asked_by_ras(session.ras);
  }
}

}  // namespace

Session take_samples(const std::vector<std::int32_t>& pids, const Options& options, symbolizer::Symbolizer& symbolizer,
                     const Progress& progress, const std::function<bool()>& interrupted) {
  Session session;
  session.tool_version = HANGSTACK_VERSION;
  session.created_unix_s = std::time(nullptr);
  session.sampling.gap_s = options.gap_s;
  session.sampling.stop = stop_name(options.sampling.stop);
  std::vector<std::int32_t> left = pids;
  for (int i = 0; i < options.samples && !left.empty(); ++i) {
    progress(fmt::format("sample {} of {}: {} processes", i + 1, options.samples, left.size()));
    const auto started = Clock::now();
    std::vector<SampledProcess> sample;
    const auto make_inspector = inspector_factory(symbolizer, true);
    for (auto& result : sampler::sample_processes(targets_of(left), options.sampling, make_inspector, interrupted)) {
      if (result) {
        sample.push_back({std::move(*result), std::nullopt});
        continue;
      }
      std::erase(left, result.error().pid);
      if (was_sampled(session, result.error().pid))
        note_loss(session, result.error());
      else
        session.failed.push_back(result.error());
    }
    complete_stacks(sample, options, symbolizer, interrupted);
    session.samples.push_back(std::move(sample));
    if (i + 1 == options.samples || left.empty()) break;
    progress(fmt::format("sample {} of {} in {:.1f} s", i + 2, options.samples, options.gap_s));
    const auto gap = std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(options.gap_s));
    if (!wait_until(started + gap, interrupted)) break;
  }
  session.sampling.samples = static_cast<int>(session.samples.size());
  ask(session, options, progress, interrupted);
  Sources sources = read_sources(session.samples);
  session.sources = std::move(sources.texts);
  for (const auto& [pid, path] : sources.changed) note_change(session, pid, path);
  session.left_out = find_left_out(session);
  return session;
}

model::Report make_report(Session&& session, symbolizer::Symbolizer& symbolizer) {
  model::Report report;
  report.tool_version = session.tool_version;
  report.created_unix_s = session.created_unix_s;
  report.sampling = session.sampling;
  model::JobSnapshot snapshot;
  snapshot.gap_s = session.sampling.gap_s;
  // Keyed by start time too: a pid that was reused between the samples is another process.
  std::map<std::pair<std::int32_t, std::uint64_t>, model::ProcessHistory> histories;
  for (auto& sample : session.samples) {
    for (SampledProcess& process : sample) {
      const model::ProcessCapture& capture = process.capture;
      add_stops(capture, report.sampling);
      if (!process.snapshot) process.snapshot = symbolizer.symbolize(capture);
      histories[{capture.pid, capture.start_time_ticks}].samples.push_back(std::move(*process.snapshot));
    }
  }
  for (auto& [key, history] : histories) snapshot.processes.push_back(std::move(history));
  snapshot.failed = std::move(session.failed);
  snapshot.left_out = std::move(session.left_out);
  report.errors = std::move(session.problems);
  for (const auto& failed : snapshot.failed) report.errors.push_back({"pid", std::to_string(failed.pid), failed.error});
  snapshot.sources = std::move(session.sources);
  snapshot.ras = read_ras(std::move(session.ras));
  report.jobs = classifiers::classify(snapshot);
  for (const auto& history : snapshot.processes) add_problems(history.last(), report.errors);
  report.processes = std::move(snapshot.processes);
  return report;
}

}  // namespace hangstack::cli
