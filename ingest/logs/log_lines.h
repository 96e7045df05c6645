#pragma once
// Single lines of logs, by who writes them. Each function gives what a line tells, or none; rank, host and pid are
// filled where the line itself has them, file, line and time never.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ingest/text.h"
#include "model/logs.h"

namespace hangstack::ingest {

/// What a log says, as LogEvent::text: printable, and the beginning of it where it is long.
inline std::string log_text(std::string_view text) { return printable_name(text.substr(0, 400)); }

/// NCCL_DEBUG=INFO and WARN, 2.5 to 2.32: "host:7:9 [0] NCCL INFO ncclCommInitRankConfig comm 0x5 rank 3 nranks 8
/// cudaDev 3 nvmlDev 3 busId 80 commId 0x99de - Init START" (or "- Init COMPLETE", "- Abort COMPLETE"; commId from 2.16
/// on), "host:7:9 [0] misc/socket.cc:71 NCCL WARN words" and "NCCL version 2.21.5+cuda12.4". The rank is the
/// communicator's.
std::optional<model::LogEvent> nccl_line(std::string_view line);

/// PyTorch's own log, 1.13 to 2.15 (ProcessGroupNCCL.cpp, TCPStore.cpp): timeouts that the watchdog caught, how far a
/// group has come, a barrier that guesses its device, a watchdog that stands still, aborts, errors of CUDA.
std::optional<model::LogEvent> torch_line(std::string_view line);

/// What launchers and the kernel say of processes that ended, one event for each rank that is named: torchrun's "failed
/// (exitcode: -9) local_rank: 3 (pid: 7)", "srun: error: node1: tasks 0-2: Killed" (Slurm), mpirun's "process rank 3
/// with PID 7 on node n exited on signal 9", "Out of memory: Killed process 7", "NVRM: Xid (PCI:0000:3b:00): 79,
/// pid=7".
std::vector<model::LogEvent> launcher_line(std::string_view line);

/// The rank in "[rank3]:", else in "[Rank 3]" or "[PG ID 0 PG GUID 0(default_pg) Rank 3]" unless the group is another
/// one than that of all ranks: there the number is the group's.
std::optional<int> rank_in_line(std::string_view line);

}  // namespace hangstack::ingest
