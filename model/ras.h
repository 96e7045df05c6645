#pragma once
// What NCCL's RAS threads tell of a job: they are asked over a socket, and answer for all processes of the job.

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/communicators.h"
#include "model/records.h"

namespace hangstack::model {

/// The answer to one question, as it came.
struct RasReply {
  RecordStatus status = RecordStatus::absent;
  std::string reason;              ///< why it is not ok
  std::string fix;                 ///< what to do about it; may be empty
  std::string address;             ///< where it listens, "127.0.0.1:28028"; where it was looked for, if it does not
  std::string host;                ///< of the processes
  std::vector<std::int32_t> pids;  ///< of the job's processes on this host, in hangstack's pid namespace; ascending
  std::int32_t answered_by = 0;    ///< the one of them that was connected to; 0: none
  std::int64_t read_at_unix_ns = 0;
  double took_s = 0;
  std::string text;  ///< everything the server sent, if ok: as RAS prints it, text or JSON

  /// Something was sent to a thread of the job.
  [[nodiscard]] bool asked() const { return answered_by != 0; }
  friend bool operator==(const RasReply&, const RasReply&) = default;
};

/// ncclInProgress (nccl.h): no error, not complete yet.
inline constexpr std::int32_t kNcclInProgress = 7;

enum class RasPresence : std::uint8_t {
  answered,         ///< it told of this communicator
  no_communicator,  ///< its process answered, and has no such communicator (any more)
  silent,           ///< its process did not answer
  dead,             ///< not for a minute: RAS considers it dead
};
std::string_view ras_presence_name(RasPresence presence);  ///< "answered", "no communicator", "silent", "dead"

/// One rank of a communicator. What RAS did not say is none: its text tells only what differs between the ranks.
struct RasRank {
  std::int32_t rank = 0;        ///< in the communicator
  std::optional<int> job_rank;  ///< judged by the classifiers; none: a process that was not sampled
  RasPresence presence = RasPresence::answered;
  std::string host;      ///< its address in RAS's network; empty: not told
  std::int32_t pid = 0;  ///< in the process's own pid namespace; 0: not told
  std::optional<std::int32_t> device;
  /// Collectives launched, in the order of kNcclCollectives.
  std::array<std::optional<std::uint64_t>, kNcclCollectives.size()> launched{};
  std::optional<std::uint64_t> launched_in_all;  ///< of NCCL 2.24 and 2.25, which do not tell the kind
  std::optional<std::int32_t> init_state;        ///< ncclResult_t: 0 none, 7 in progress
  std::optional<std::int32_t> async_error;       ///< likewise
  bool aborted = false;
  bool destroyed = false;
  bool finalized = false;

  /// As Communicator::given_up().
  [[nodiscard]] bool given_up() const { return aborted || destroyed || finalized; }
  friend bool operator==(const RasRank&, const RasRank&) = default;
};

struct RasCommunicator {
  std::uint64_t hash = 0;        ///< as Communicator::hash
  std::int32_t ranks = 0;        ///< in all; 0: not told
  std::vector<RasRank> members;  ///< those that were told of, ascending by rank

  friend bool operator==(const RasCommunicator&, const RasCommunicator&) = default;
};

/// A process that RAS knows, and that did not answer.
struct RasLostProcess {
  std::string host;
  std::int32_t pid = 0;
  bool dead = false;  ///< else only silent, so far

  friend bool operator==(const RasLostProcess&, const RasLostProcess&) = default;
};

/// What a reply says.
struct RasReport {
  std::string nccl_version;
  bool json = false;  ///< else text, which does not tell of communicators whose ranks are equal
  std::vector<RasCommunicator> communicators;
  std::int32_t communicators_in_all = 0;
  std::vector<RasLostProcess> lost;   ///< named ones; only in text
  std::int32_t silent_processes = 0;  ///< only in text
  std::int32_t dead_processes = 0;    ///< likewise
  std::int32_t timeouts = 0;          ///< while RAS gathered the answers

  friend bool operator==(const RasReport&, const RasReport&) = default;
};

/// One question with its answer. `report` is empty unless the status is ok.
struct RasRecord {
  RasReply reply;  ///< its text is read, and taken off
  RasReport report;

  friend bool operator==(const RasRecord&, const RasRecord&) = default;
};

}  // namespace hangstack::model
