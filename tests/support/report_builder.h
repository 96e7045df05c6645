#pragma once
// Reports made by hand for tests: a job is told rank by rank, and frames as one would say them.

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "model/diagnosis.h"

namespace hangstack::tests {

/// A Python frame: py("train_step", "/home/u/train.py", 44).
inline model::Frame py(std::string function, std::string file, int line) {
  model::Frame f;
  f.kind = model::FrameKind::python;
  f.function = std::move(function);
  f.file = std::move(file);
  f.line = line;
  f.address = 0x7f0000001000 + static_cast<std::uint64_t>(line);
  f.trust = model::FrameTrust::interpreter;
  return f;
}

/// A native frame; an empty function is one without a name.
inline model::Frame native(std::string function, std::string module, std::uint64_t offset = 0x1000) {
  model::Frame f;
  f.function = std::move(function);
  f.module = std::move(module);
  f.offset = offset;
  f.address = 0x7f1000000000 + offset;
  return f;
}

inline model::Frame native_at(std::string function, std::string module, std::string file, int line) {
  model::Frame f = native(std::move(function), std::move(module), 0x2000);
  f.file = std::move(file);
  f.line = line;
  return f;
}

using Frames = std::vector<model::Frame>;

inline Frames operator+(Frames a, const Frames& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

class ThreadBuilder {
 public:
  ThreadBuilder(std::int32_t tid, std::string name) {
    thread_.tid = tid;
    thread_.ns_tid = tid;
    thread_.name = std::move(name);
    thread_.kernel_state = 'S';
    thread_.method = model::CaptureMethod::looked;
    thread_.end = "complete";
    thread_.complete = true;
    thread_.moved = false;
  }
  /// Outermost first, as in the tree; kept innermost first.
  ThreadBuilder& stack(const Frames& outermost_first) {
    thread_.frames.assign(outermost_first.rbegin(), outermost_first.rend());
    return *this;
  }
  ThreadBuilder& sleeps_in(std::string syscall, std::string wchan, std::optional<double> seconds) {
    thread_.syscall_name = std::move(syscall);
    thread_.wchan = std::move(wchan);
    thread_.clocks.asleep_s = seconds;
    return *this;
  }
  ThreadBuilder& role(std::string role, bool suppressed = false) {
    thread_.role = std::move(role);
    thread_.suppressed = suppressed;
    return *this;
  }
  ThreadBuilder& blocking() {
    thread_.blocking = true;
    return *this;
  }
  ThreadBuilder& running() {
    thread_.kernel_state = 'R';
    thread_.method = model::CaptureMethod::stopped;
    thread_.stopped_us = 30.5;
    thread_.moved = true;
    return *this;
  }
  model::Thread& edit() { return thread_; }
  operator model::Thread() const { return thread_; }  // NOLINT(google-explicit-constructor)

 private:
  model::Thread thread_;
};

/// One process of the report, with its row in the first job.
struct ProcessFacts {
  std::optional<int> rank;
  std::int32_t pid = 0;
  std::string host = "gpu07";
  std::string state = {};
  std::optional<double> asleep_s = {};
  std::optional<bool> moved = false;
};

class ReportBuilder {
 public:
  ReportBuilder() {
    report_.tool_version = "0.1.0";
    report_.created_unix_s = 1795922000;
    report_.sampling = {2, 2.0, "auto", 0, 0, {}, {}};
    report_.jobs.resize(1);
    report_.jobs[0].job = "gpu07:29500";
  }

  ReportBuilder& process(const ProcessFacts& facts, std::vector<model::Thread> threads) {
    add_row(facts, model::RankStatus::sampled, std::nullopt);
    model::ProcessSnapshot p;
    p.host = facts.host;
    p.pid = facts.pid;
    p.ns_pid = facts.pid;
    p.parent_pid = 41800;
    p.exe = facts.rank ? "/usr/bin/python3.12" : "/usr/local/bin/server";
    p.command_line = facts.rank
                         ? std::vector<std::string>{"python3", "-u", "train.py", "--epochs", "3", "--api-key=hidden"}
                         : std::vector<std::string>{"/usr/local/bin/server", "--port", "80"};
    p.identity = identity_of(facts);
    p.kernel_state = 'S';
    if (facts.rank) p.pythons = {{"3.12.1", "/usr/lib/libpython3.12.so.1.0", 0, 0}};
    p.threads = std::move(threads);
    for (const auto& thread : p.threads) p.stopped_us += thread.stopped_us;
    report_.processes.push_back({{p, p}});
    return *this;
  }

  ReportBuilder& failed(const ProcessFacts& facts, model::Error error) {
    add_row(facts, model::RankStatus::failed, std::move(error));
    return *this;
  }

  ReportBuilder& group(model::Group group) {
    job().groups.push_back(std::move(group));
    return *this;
  }

  ReportBuilder& stopped(int threads, double us, std::string mode = "auto") {
    report_.sampling.threads_stopped = threads;
    report_.sampling.stopped_us_total = us;
    report_.sampling.stop = std::move(mode);
    return *this;
  }

  ReportBuilder& world(int size) {
    world_ = size;
    return *this;
  }

  model::Job& job() { return report_.jobs[0]; }
  model::Verdict& verdict() { return job().verdict; }
  model::Report& report() { return report_; }

 private:
  [[nodiscard]] model::RankIdentity identity_of(const ProcessFacts& facts) const {
    if (!facts.rank) return {};
    return {model::Role::rank, facts.rank, facts.rank, world_, "RANK", "gpu07:29500", 0};
  }

  void add_row(const ProcessFacts& facts, model::RankStatus status, std::optional<model::Error> error) {
    model::RankRow row;
    row.rank = facts.rank;
    row.host = facts.host;
    row.pid = facts.pid;
    row.ns_pid = facts.pid;
    row.role = facts.rank ? model::Role::rank : model::Role::other;
    row.world_size = facts.rank ? std::optional<int>(world_) : std::nullopt;
    row.state = facts.state;
    row.moved = facts.moved;
    row.asleep_s = facts.asleep_s;
    row.status = status;
    row.error = std::move(error);
    job().ranks.push_back(std::move(row));
  }

  model::Report report_;
  int world_ = 8;
};

}  // namespace hangstack::tests
