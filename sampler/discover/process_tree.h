#pragma once
// The processes of a host, as far as their roles depend on it.

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "sampler/discover/claim.h"
#include "sampler/discover/command.h"

namespace hangstack::sampler {

struct ProcessFacts {
  std::int32_t pid = 0;
  std::int32_t parent_pid = 0;
  std::string comm;
  bool kernel = false;
  bool ended = false;  ///< a zombie
  char kernel_state = '?';
  std::uint64_t cpu_ticks = 0;  ///< user and system time
  std::int32_t thread_count = 0;
  std::vector<std::string> command_line;
  Variables environment;
  bool environment_read = false;  ///< false: it may not be read, or the process is stuck
  bool maps_torch = false;        ///< asked only of multiprocessing.spawn children
  bool communicates = false;      ///< has threads that only a rank has: NCCL's watchdog, gloo's loop
};

/// A process with what its facts say about it alone.
struct ProcessNode {
  ProcessFacts facts;
  CommandKind kind = CommandKind::program;
  std::optional<RankClaim> claim;  ///< with its job key
  std::vector<std::int32_t> children;
};

class ProcessTree {
 public:
  /// `host` is this host's name, for the keys of jobs that are at home on localhost.
  explicit ProcessTree(std::string host) : host_(std::move(host)) {}

  /// Facts of a pid that is there already are replaced.
  void add(ProcessFacts facts);

  /// Nothing if there is no such process. Valid until the next `add`.
  [[nodiscard]] const ProcessNode* find(std::int32_t pid) const;

  [[nodiscard]] const std::map<std::int32_t, ProcessNode>& nodes() const { return nodes_; }

  /// From the parent upwards; ends at the first that is unknown, after 64, and in a circle.
  [[nodiscard]] std::vector<std::int32_t> ancestors(std::int32_t pid) const;

  /// Every process below `pid`, ascending; at most 100000.
  [[nodiscard]] std::vector<std::int32_t> descendants(std::int32_t pid) const;

 private:
  std::string host_;
  std::map<std::int32_t, ProcessNode> nodes_;
};

}  // namespace hangstack::sampler
