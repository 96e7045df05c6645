#pragma once
// What the logs of a job tell: NCCL's, PyTorch's, the launcher's, the kernel's. Notable lines only.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace hangstack::model {

enum class LogKind : std::uint8_t {
  nccl_version,
  nccl_warning,
  init_start,        ///< a rank began to make a communicator
  init_complete,     ///< and has made it
  group_status,      ///< how far a rank has come in a group, as PyTorch's watchdog says
  watchdog_timeout,  ///< a collective took too long
  store_timeout,     ///< a key of the store did not come
  unknown_device,    ///< a barrier guessed which GPU is the process's
  abort,             ///< communicators were given up
  heartbeat,         ///< the watchdog itself stood still
  exception,         ///< Python: the last line of its traceback
  exited,            ///< what a launcher says of a process that has ended
  cuda_error,
  xid,  ///< the driver reported an error of a GPU
};
std::string_view log_kind_name(LogKind kind);  ///< "watchdog_timeout"

/// One line that says something. Which other fields are filled depends on the kind.
struct LogEvent {
  std::optional<int> rank;
  std::string host;      ///< empty: not told
  std::int32_t pid = 0;  ///< 0: not told
  std::string file;
  std::size_t line = 0;      ///< from 1
  std::string time;          ///< as the log has it, "2026-11-30 23:13:23.038" or "11-30 23:13:23.038"; empty: not told
  std::int64_t time_ns = 0;  ///< to compare: by the log's own clock, whose zone nobody knows; of a line without a time
                             ///< that of one before it; 0: none
  LogKind kind = LogKind::exception;
  std::string text;  ///< what it says, without rank and time

  std::uint64_t communicator = 0;  ///< init: NCCL's commId
  int communicator_rank = -1;
  int communicator_ranks = 0;

  std::string group;              ///< group_status, watchdog_timeout: PyTorch's name, "0"; empty: not told
  std::string group_description;  ///< "default_pg"
  std::optional<std::uint64_t> sequence;
  std::string operation;  ///< as PyTorch's log has it: "ALLREDUCE"
  std::int64_t elements_in = -1;
  std::int64_t elements_out = -1;
  std::int64_t ran_ms = 0;
  std::int64_t timeout_ms = 0;
  std::optional<std::int64_t> last_enqueued;
  std::optional<std::int64_t> last_completed;

  std::optional<int> exit_code;  ///< exited: negative is a signal's number
  bool first_observed = false;   ///< the launcher calls it the first failure

  friend bool operator==(const LogEvent&, const LogEvent&) = default;
};

/// A collective, as a program wrote it down before it called it.
struct LoggedCall {
  std::uint64_t sequence = 0;  ///< of its group, or of the process
  std::string operation;
  std::string arguments;  ///< sizes and types, as they stand there
  std::string site;       ///< "train.py:88"
  std::size_t line = 0;

  friend bool operator==(const LoggedCall&, const LoggedCall&) = default;
};

/// A rank's calls in one group, ascending by sequence number.
struct CallLog {
  int rank = 0;
  std::string file;
  std::string group;
  std::vector<LoggedCall> calls;

  friend bool operator==(const CallLog&, const CallLog&) = default;
};

/// That something went wrong, rather than how far it came.
bool is_failure(LogKind kind);

}  // namespace hangstack::model
