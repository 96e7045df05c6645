#pragma once
// From dumps that other programs made of their ranks to a job that can be judged. Pure: the caller has read the files.

#include <compare>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ingest/flight_recorder/flight_recorder.h"
#include "ingest/lines/prefixes.h"
#include "ingest/stacks/join.h"
#include "model/diagnosis.h"

namespace hangstack::ingest {

struct DumpFile {
  std::string name;                   ///< as the user gave it; stands in reports
  std::optional<int> rank;            ///< if the user said whose it is
  std::int64_t modified_unix_ns = 0;  ///< 0: not known
  std::string bytes;
};

struct Imported {
  /// A process for each rank, with its records, and with threads where there is a dump of its stacks. Dumps of jobs
  /// with other members of the default group get job keys that tell them apart.
  model::JobSnapshot snapshot;
  std::vector<model::Problem> problems;  ///< of scope "file": those that were left out, and why, and what is in doubt
};

/// Reads each file by itself, whatever it is by its content: a flight recorder's dump, stacks, a reply of NCCL's RAS,
/// logs (which may hold stacks); one that is none of them, or is cut off, costs the others nothing. The rank is the
/// user's, else that of the file's name, else that of the groups in the dump. Several flight recorders of one rank are
/// joined if they are of different backends; otherwise the first counts. Stacks of one rank, or of one pid where
/// nothing tells the rank, are joined. Text may be UTF-16, have colours, and a prefix in front of each line that tells
/// whose it is: then the lines of each task are a file of their own. A dump does not say when it was written: after the
/// last time in it, and no later than its file was changed, if that is within twice the limit of its operations: a copy
/// of a file may be of any later day.
class Importer {
 public:
  void add(const DumpFile& file);
  Imported take() &&;

 private:
  struct Read {
    std::string name;
    int rank = 0;
    std::string rank_source;
    std::int64_t written_unix_ns = 0;
    FlightRecorderDump dump;
  };
  /// A rank, or a pid where nothing tells the rank, or the file where nothing tells the pid either.
  struct Whose {
    std::optional<int> rank;
    std::int32_t pid = 0;
    std::string file;
    auto operator<=>(const Whose&) const = default;
  };
  using World = std::vector<std::uint64_t>;  ///< members of the default group
  using Processes = std::map<std::pair<World, int>, model::ProcessHistory>;

  /// The lines of one task in a file, or all of it.
  struct Part {
    const DumpFile* file = nullptr;
    Stream stream;
  };
  struct PartRank {
    std::optional<int> rank;
    std::string source;
  };
  static PartRank rank_of(const Part& part);

  /// Each says whether the part is used; if not, the last problem says why.
  bool add_part(const Part& part);
  bool read(const Part& part);
  bool add_recorder(const Part& part);
  bool add_stacks(const Part& part);
  bool add_ras(const Part& part);
  bool add_log(const Part& part);
  bool add_call_log(const Part& part);
  /// Ranks that logs alone tell of, with what PyTorch's watchdog says of their groups.
  void add_logged_ranks(Processes& processes);
  [[nodiscard]] bool is_of_another(int rank, const StackDump& dump) const;
  /// Into `processes` of the same rank; the rest stands alone.
  void add_threads(Processes& processes, std::vector<model::ProcessHistory>& alone);
  /// False, to be returned of a file that is not used.
  bool say(const std::string& name, std::string_view what, std::string fix);
  void keep(Read&& read, Processes& processes);
  void join(Read&& read, model::ProcessSnapshot& process);

  std::vector<Read> read_;
  std::map<Whose, std::vector<StackFile>> stacks_;
  std::map<Whose, std::string> rank_sources_;
  std::vector<model::RasRecord> ras_;
  std::vector<model::LogEvent> logs_;
  std::vector<model::CallLog> call_logs_;
  std::set<std::pair<int, std::size_t>> contents_;  ///< of stacks, by rank and hash
  std::map<int, model::Error> lost_;                ///< ranks that have a file, and why it is not used
  std::vector<model::Problem> problems_;
};

/// The number behind the last "rank", "rank_" or "rank-" of the file's name, else behind its last "_" if nothing but a
/// suffix follows: "nccl_trace_rank_3", "rank3.json", "_dump_3".
std::optional<int> rank_in_name(std::string_view path);

}  // namespace hangstack::ingest
