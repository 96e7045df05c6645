#pragma once
// What launchers and log collectors put in front of each line of a task's output, and whose the line is by it.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace hangstack::ingest {

enum class PrefixKind : std::uint8_t {
  task,        ///< "3: ", srun -l (Slurm 20 to 24): the task's number
  tag,         ///< "[1,3]<stdout>:", mpirun --tag-output (Open MPI 4), "[prterun-node-7@1,3]<stdout>: " (5): the rank
  bracket,     ///< "[3] ", mpiexec -l (Intel MPI) and -prepend-rank (MPICH): the rank
  pod,         ///< "[pod/train-3/trainer] ", kubectl logs --prefix: no rank
  ray,         ///< "(Worker pid=7, ip=10.0.0.2) ": no rank
  role,        ///< "[default3]:", torchrun --tee and --redirects: the rank on its node
  torch_rank,  ///< "[rank3]: ", of PyTorch's log and its excepthook (2.2 to 2.15): the rank
};

struct LinePrefix {
  PrefixKind kind = PrefixKind::task;
  std::optional<int> rank;
  std::string_view label;  ///< equal for all lines of one task: "3", "pod/train-3/trainer"; borrows the line
  std::size_t length = 0;  ///< bytes of the line that it takes
};

/// The prefix of that kind at the beginning of `line`, if there is one.
std::optional<LinePrefix> prefix_of(std::string_view line, PrefixKind kind);

/// The lines of one task.
struct Stream {
  std::optional<int> rank;
  bool rank_of_node = false;  ///< `rank` counts on its node only
  std::string label;          ///< empty: the lines that have no prefix
  std::string text;
  std::vector<std::uint32_t> lines;  ///< the file's own number of each line, from 1; empty: they are the same
};

/// The file's line that is `line` (from 1) of the stream.
std::size_t line_in_file(const Stream& stream, std::size_t line);

/// `text` by the prefixes of its lines, which are taken off, in the order of their first lines: one stream without a
/// label if hardly any line has one. Prefixes in front of each other are all taken off; the innermost rank counts.
std::vector<Stream> split_by_prefix(std::string_view text);

}  // namespace hangstack::ingest
