#pragma once
// The argument a report makes: verdict, who is to blame, what was seen, what speaks against it.

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "model/error.h"
#include "model/job_snapshot.h"
#include "model/logs.h"
#include "model/rank_set.h"
#include "model/ras.h"
#include "model/snapshot.h"

namespace hangstack::model {

enum class Hung : std::uint8_t { yes, no, undecided };
std::string_view hung_name(Hung hung);

/// certain: a fact inside one process, or what all members' records say alike. likely: two independent sources
/// agree, none disagrees. possible: one source. unknown: nothing decides.
enum class Confidence : std::uint8_t { certain, likely, possible, unknown };
std::string_view confidence_name(Confidence confidence);

struct Observation {
  std::string text;
  RankSet ranks;
  std::string source;  ///< "stacks", "kernel counters", "/proc", "environment"...

  friend bool operator==(const Observation&, const Observation&) = default;
};

struct NextStep {
  std::string why;
  std::string command;  ///< empty if there is nothing to run

  friend bool operator==(const NextStep&, const NextStep&) = default;
};

/// What came before a pattern that is itself a consequence.
struct FirstCause {
  std::string pattern;
  RankSet ranks;        ///< to blame for it; empty: nobody is named
  std::string summary;  ///< one sentence

  friend bool operator==(const FirstCause&, const FirstCause&) = default;
};

struct Verdict {
  Hung hung = Hung::undecided;
  std::string pattern = "unknown";  ///< a name of design section 6
  std::string shape;                ///< how the pattern shows, e.g. "outside the collective"
  Confidence confidence = Confidence::unknown;
  RankSet culprit_ranks;
  std::optional<double> since_s;
  std::string summary;  ///< one sentence, as one engineer tells another
  std::vector<Observation> observations;
  std::vector<std::string> against;
  std::vector<NextStep> next_steps;
  std::vector<std::string> verification;  ///< what must be true if it is right, of these very ranks
  std::string reference;                  ///< a document or an address
  std::optional<FirstCause> first_cause = std::nullopt;
  std::vector<std::string> documented_verification = {};  ///< as `verification`, of the pattern in general

  friend bool operator==(const Verdict&, const Verdict&) = default;
};

struct Alternative {
  std::string pattern;
  Confidence confidence = Confidence::unknown;
  std::string why_not;

  friend bool operator==(const Alternative&, const Alternative&) = default;
};

/// An equivalence class of ranks: the same state, the same blocking stack. Culprits first.
struct Group {
  RankSet ranks;
  std::string state;  ///< machine name of what it waits in, e.g. "collective", "sleep", "stopped"
  std::string title;  ///< "all_reduce", "time.sleep"...: the innermost thing that a user would name
  std::string frame;  ///< user's call site: "sync_gradients train.py:131"
  std::optional<double> since_s;
  bool moved = false;
  std::vector<std::int32_t> pids;

  friend bool operator==(const Group&, const Group&) = default;
};

/// A node of the merged tree of blocked threads, outermost frames at the root.
struct TreeNode {
  std::vector<Frame> chain;  ///< outermost first; one chain as long as the ranks do not split
  RankSet present;
  RankSet absent;  ///< ranks of the parent that are not here
  std::vector<TreeNode> children;

  friend bool operator==(const TreeNode&, const TreeNode&) = default;
};

enum class RankStatus : std::uint8_t { sampled, partial, failed };
std::string_view rank_status_name(RankStatus status);

struct RankRow {
  std::optional<int> rank;
  std::string dump;  ///< as in ProcessSnapshot
  std::string host;
  std::int32_t pid = 0;
  std::int32_t ns_pid = 0;
  Role role = Role::rank;
  std::optional<int> world_size;
  std::string state;
  std::optional<bool> moved;
  std::optional<double> asleep_s;
  double stopped_us = 0;
  RankStatus status = RankStatus::sampled;
  std::optional<Error> error;

  friend bool operator==(const RankRow&, const RankRow&) = default;
};

/// Ranks that belong together, judged.
struct Job {
  std::string job;  ///< its key, or "job 1"
  Verdict verdict;
  std::vector<Alternative> alternatives;
  std::vector<Group> groups;
  std::vector<RankRow> ranks;  ///< ascending by rank, then pid; workers and helpers after the ranks
  RankSet missing_ranks;
  std::vector<TreeNode> tree;
  std::vector<RasRecord> ras;          ///< of its processes
  std::vector<LogEvent> logs;          ///< as in JobSnapshot
  std::vector<std::string> decisions;  ///< which rules fired, which did not, and on what (--why)

  friend bool operator==(const Job&, const Job&) = default;
};

struct Sampling {
  int samples = 0;  ///< 0: all is from dumps of other programs
  double gap_s = 0;
  std::string stop;  ///< "auto", "all", "never"
  double stopped_us_total = 0;
  int threads_stopped = 0;
  std::vector<std::string> asked;      ///< what a thread of the job answered (NCCL RAS)
  std::vector<std::string> disturbed;  ///< what changed the job, each asked for by an option

  friend bool operator==(const Sampling&, const Sampling&) = default;
};

/// The whole report, in the shape of the JSON of design section 6.
struct Report {
  std::string tool_version;
  std::int64_t created_unix_s = 0;
  Sampling sampling;
  std::vector<Job> jobs;
  std::vector<ProcessHistory> processes;
  std::vector<Problem> errors;

  friend bool operator==(const Report&, const Report&) = default;
};

}  // namespace hangstack::model
