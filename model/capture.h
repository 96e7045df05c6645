#pragma once
// What the sampler brings home from one process: raw, before any interpretation. Enough to unwind, symbolize
// and walk Python offline, on this machine or another.

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "model/address.h"
#include "model/error.h"
#include "model/identity.h"
#include "model/registers.h"

namespace hangstack::model {

/// Bytes of the process, as they were at one moment.
struct MemorySegment {
  RemoteAddress address;
  std::vector<std::byte> bytes;

  friend bool operator==(const MemorySegment&, const MemorySegment&) = default;
};

/// One line of /proc/PID/maps. Half-open: [start, end).
struct Mapping {
  std::uint64_t start = 0;
  std::uint64_t end = 0;
  std::uint64_t file_offset = 0;
  std::uint64_t inode = 0;
  std::string device;  ///< "fd:01" as the kernel writes it
  bool readable = false;
  bool writable = false;
  bool executable = false;
  bool shared = false;
  bool deleted = false;  ///< the path ended in " (deleted)"; it is cut off `path`
  std::string path;      ///< as the process sees it; "[stack]", "[vdso]"...; empty for anonymous memory

  friend bool operator==(const Mapping&, const Mapping&) = default;
};

/// An ELF file that the process has mapped.
struct MappedFile {
  std::string path;         ///< as in Mapping::path
  std::string build_id;     ///< lower-case hex from the note in memory; empty if there is none
  std::uint64_t inode = 0;  ///< with `device` the key back to the mappings
  std::string device;
  bool deleted = false;
  std::vector<std::string> open_paths;  ///< where its bytes can be opened on this host, best first
                                        ///< (/proc/PID/root/..., /proc/PID/map_files/..., the plain path)

  friend bool operator==(const MappedFile&, const MappedFile&) = default;
};

/// /proc/PID/task/TID/syscall (proc_pid_syscall(5)).
struct SystemCall {
  std::int64_t number = -1;              ///< -1: blocked outside a system call
  std::vector<std::uint64_t> arguments;  ///< six (rdi, rsi, rdx, r10, r8, r9), or none when number is -1

  friend bool operator==(const SystemCall&, const SystemCall&) = default;
};

/// The kernel's counters of a thread. Equal before and after a copy, they prove that it did not run.
struct ThreadClocks {
  std::uint64_t user_ticks = 0;             ///< stat field 14, in clock ticks
  std::uint64_t system_ticks = 0;           ///< stat field 15
  std::uint64_t voluntary_switches = 0;     ///< status
  std::uint64_t nonvoluntary_switches = 0;  ///< status
  std::optional<std::uint64_t> run_count;   ///< schedstat field 3: times it was put on a processor
  std::optional<double> asleep_s;           ///< since it last ran, from sched's se.exec_start; needs CONFIG_SCHED_DEBUG

  friend bool operator==(const ThreadClocks&, const ThreadClocks&) = default;
};

/// Bit n-1 stands for signal n, as in /proc/PID/status.
struct SignalState {
  std::uint64_t pending_thread = 0;   ///< SigPnd
  std::uint64_t pending_process = 0;  ///< ShdPnd
  std::uint64_t blocked = 0;          ///< SigBlk
  std::uint64_t ignored = 0;          ///< SigIgn
  std::uint64_t caught = 0;           ///< SigCgt

  friend bool operator==(const SignalState&, const SignalState&) = default;
};

/// How a thread's registers and stack were had.
enum class CaptureMethod : std::uint8_t {
  none,     ///< not at all: `problems` says why
  looked,   ///< read while it slept, proved by its counters; it was not stopped
  stopped,  ///< read under a ptrace stop
};

struct ThreadCapture {
  std::int32_t tid = 0;               ///< in hangstack's pid namespace
  std::int32_t ns_tid = 0;            ///< in the innermost pid namespace of the process
  std::string name;                   ///< comm, raw bytes, at most 15
  char kernel_state = '?';            ///< R S D T t Z X I...
  bool kernel_worker = false;         ///< an io_uring worker or the like: listed as a thread, has no user stack
  std::string wchan;                  ///< kernel function it waits in; empty or "0" if hidden
  std::optional<SystemCall> syscall;  ///< none: it was running, or the file may not be read
  ThreadClocks clocks;                ///< before hangstack stopped it
  std::optional<ThreadClocks> clocks_after_stop;  ///< once it slept again after that stop, which itself counts as a
                                                  ///< run; none if it was not stopped, or did not sleep again
  SignalState signals;
  CaptureMethod method = CaptureMethod::none;
  RegisterSet registers;                 ///< what is known; always with rsp and rip unless method is none
  std::optional<std::uint64_t> fs_base;  ///< thread pointer; known after a stop
  std::vector<MemorySegment> memory;     ///< read in this thread's own window: the stack first, then Python frames
  std::uint64_t stack_limit = 0;         ///< end of the mapping that holds rsp: what could have been copied
  double stopped_us = 0;                 ///< how long a stop held it; 0 if looked
  std::vector<Error> problems;

  friend bool operator==(const ThreadCapture&, const ThreadCapture&) = default;
};

struct ProcessCapture {
  std::string host;
  std::int32_t pid = 0;     ///< in hangstack's pid namespace
  std::int32_t ns_pid = 0;  ///< in its own innermost pid namespace
  std::int32_t parent_pid = 0;
  std::uint64_t start_time_ticks = 0;  ///< stat field 22: with the pid it names the process for good
  std::int64_t captured_at_unix_ns = 0;
  std::string exe;                                 ///< target of /proc/PID/exe as the process sees it
  std::vector<std::string> command_line;           ///< raw; output shows it shortened
  std::map<std::string, std::string> environment;  ///< allow-listed variables only
  RankIdentity identity;
  std::vector<Descendant> descendants;  ///< ascending by pid; at most 256
  char kernel_state = '?';
  std::int32_t tracer_pid = 0;
  std::string tracer_name;
  std::vector<Mapping> mappings;       ///< ascending by start
  std::vector<MappedFile> files;       ///< ELF files among them
  std::vector<ThreadCapture> threads;  ///< ascending by tid
  std::vector<MemorySegment> memory;   ///< read outside any thread's window: interpreter, code objects, strings
  double stopped_us = 0;               ///< first stop to last release, with `--stop all`; else the sum over threads
  std::vector<Problem> problems;

  friend bool operator==(const ProcessCapture&, const ProcessCapture&) = default;
};

}  // namespace hangstack::model
