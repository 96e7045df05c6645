#pragma once
// What the rules look at: one job, its ranks, who waits with whom and who does not.

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "classifiers/fold/joint_communicators.h"
#include "classifiers/fold/lock_cycles.h"
#include "classifiers/fold/pending_groups.h"
#include "classifiers/fold/ras_view.h"
#include "classifiers/fold/shared_communicators.h"
#include "classifiers/fold/transfers.h"
#include "classifiers/states/process_state.h"
#include "model/diagnosis.h"

namespace hangstack::classifiers {

struct RankFacts {
  int number = 0;
  bool counted = false;  ///< no variable told the rank: it is the place by pid
  const ProcessFacts* process = nullptr;
  std::optional<LockCycle> lock_cycle = std::nullopt;

  [[nodiscard]] const ThreadState& state() const { return process->state(); }
};

/// An operation that ranks wait in.
struct PendingOperation {
  std::string title;  ///< "all_reduce"
  StateKind kind = StateKind::collective;
  model::RankSet ranks;
  std::map<std::string, model::RankSet> sites;  ///< by the text of the call site

  /// The call site of most of its ranks.
  [[nodiscard]] std::string main_site() const;
};

/// Points into the processes that it was made from.
struct JobFacts {
  std::string key;
  std::vector<RankFacts> ranks;             ///< ascending by number
  std::vector<const ProcessFacts*> others;  ///< launchers, workers, helpers, second processes with one rank number
  std::vector<const model::FailedProcess*> failed;
  std::map<int, std::vector<std::int32_t>> duplicates;  ///< rank number -> pids, where there is more than one
  std::optional<int> world_size;
  bool world_sizes_differ = false;
  const std::map<std::string, std::string>* sources = nullptr;  ///< of the snapshot; may be null
  int samples = 1;
  double span_s = 0;  ///< first to last sample

  model::RankSet missing;   ///< below the world size, neither seen nor failed
  model::RankSet left_out;  ///< of the missing: they run on a host that was looked at, and were not asked for
  std::vector<std::int32_t> left_out_pids;
  model::RankSet expected_here;  ///< ranks that the environment places on the hosts that were looked at
  std::string expected_by;       ///< what says so: "LOCAL_WORLD_SIZE=8"

  // Each rank that was read is in one of these.
  model::RankSet stopped;  ///< T
  model::RankSet traced;   ///< t
  model::RankSet dead;     ///< Z, X
  model::RankSet blind;    ///< no stack
  model::RankSet inside;   ///< waits for peers, or has the pending operation under way on another thread
  model::RankSet device;   ///< waits for the device: whether for a peer, its stack cannot say
  model::RankSet outside;  ///< everything else

  // Movement cuts across them.
  model::RankSet moved;
  model::RankSet unmoved;
  std::vector<PendingOperation> operations;  ///< most ranks first
  std::vector<PendingGroup> pending_groups;  ///< by the ranks' flight recorders
  std::vector<RankTransfers> pending_transfers;
  std::vector<SharedCommunicator> unequal_communicators;        ///< by memory; by RAS where memory does not tell
  std::vector<JointCommunicator> joint;                         ///< that ranks of other jobs share
  std::vector<model::RasRecord> ras;                            ///< with the job's rank numbers
  std::shared_ptr<std::vector<model::Communicator>> ras_sides;  ///< of the communicators that RAS told
  std::vector<CountsApart> counts_apart;
  std::vector<model::LogEvent> logs;      ///< as in JobSnapshot
  std::vector<model::CallLog> call_logs;  ///< likewise

  [[nodiscard]] const RankFacts* rank(int number) const;
  /// All is from files that other programs wrote: nothing of it can be looked at again.
  [[nodiscard]] bool imported() const;
  /// Of one of them at least there is no stack, only a flight recorder.
  [[nodiscard]] bool records_alone() const;
  [[nodiscard]] bool single() const { return ranks.size() == 1 && !world_size; }
  /// "rank 5", "ranks 0-4,6", "the process (pid 7)".
  [[nodiscard]] std::string who(const model::RankSet& set) const;
  /// "Rank 5 waits", "Ranks 0-4,6 wait": a sentence's beginning. The verb takes an "s" for one.
  [[nodiscard]] std::string subject(const model::RankSet& set, std::string_view verb) const;
  [[nodiscard]] std::string subject(const model::RankSet& set, std::string_view one, std::string_view many) const;
  /// The shortest sleep among `set`: all of it has waited at least so long. None if any of it gives no age.
  [[nodiscard]] std::optional<double> least_sleep(const model::RankSet& set) const;
  /// The same with the age of a rank's unfinished collective where it gives no other: a wait for the device wakes by
  /// itself.
  [[nodiscard]] std::optional<double> least_age(const model::RankSet& set) const;
  /// The age that makes "not moving" into "hung", at least kLeastAge_s: least_age(), or else the length of the watch.
  [[nodiscard]] std::optional<double> stuck_for(const model::RankSet& set) const;
  /// Missing, and nothing says where they are.
  [[nodiscard]] model::RankSet untraced() const { return missing.minus(left_out); }
};

/// A healthy step may keep ranks waiting for seconds (a slow batch, a checkpoint).
inline constexpr double kLeastAge_s = 10;

/// Fills the sets, the operations, the world size and what is missing from `ranks`, `others`, `failed` and `ras`.
void complete_facts(JobFacts& job);

}  // namespace hangstack::classifiers
