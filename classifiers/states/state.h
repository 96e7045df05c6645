#pragma once
// What a thread waits in: the innermost thing that a user would name.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace hangstack::classifiers {

enum class StateKind : std::uint8_t {
  collective,       ///< an operation of a whole group: all_reduce, barrier...
  p2p,              ///< send or recv
  setup,            ///< a process group or communicator is being made: init_process_group, new_group
  store,            ///< a key of the c10d store, outside any operation
  teardown,         ///< destroy_process_group, abort
  device,           ///< the GPU: cudaStreamSynchronize, a full launch queue
  gil,              ///< Python's global lock
  lock,             ///< a lock of Python or pthreads
  condition,        ///< a condition variable or event
  queue,            ///< an item of a queue, a message of a pipe
  join,             ///< another thread or a future of this process
  backward,         ///< the autograd engine's worker threads
  event_loop,       ///< selectors, asyncio
  dataloader,       ///< the next batch
  subprocess,       ///< a child process
  sleep,            ///< time.sleep, nanosleep
  io,               ///< a file, pipe or socket
  import,           ///< a module is being imported
  compile,          ///< torch.compile, triton, an extension build
  exiting,          ///< the interpreter is shutting down
  running,          ///< on a processor
  system_call,      ///< some other system call
  stopped,          ///< by a signal (T)
  traced,           ///< held by a debugger (t)
  uninterruptible,  ///< D state, in the kernel
  dead,             ///< zombie
  unknown,          ///< no stack, or nothing recognised
};

/// Stable machine name: "collective", "event_loop"...
std::string_view state_name(StateKind kind);

/// How the reader calls it: "waits in a collective", "waits for the device", "stopped by a signal"...
std::string_view state_words(StateKind kind);

/// What `kind` waits in: "waits for I/O in read (fd 0)", "waits for a Python lock".
std::string state_phrase(StateKind kind, std::string_view title);

/// As a noun: "a dataloader wait", "a device wait", "I/O".
std::string_view state_noun(StateKind kind);

/// Waits for other ranks: collective, p2p, setup, store.
bool waits_for_peers(StateKind kind);

/// Waits for another thread of the same process.
bool waits_for_thread(StateKind kind);

struct CallSite {
  std::string function;  ///< the last part of the qualified name
  std::string file;
  int line = 0;

  /// "sync_gradients train.py:131"
  [[nodiscard]] std::string text() const;
  friend bool operator==(const CallSite&, const CallSite&) = default;
};

struct ThreadState {
  StateKind kind = StateKind::unknown;
  StateKind beneath = StateKind::unknown;  ///< what the stack says; differs from `kind` if stopped, traced, D or dead
  std::string title;                       ///< "all_reduce", "time.sleep", "read (fd 5)"
  std::string operation;                   ///< canonical communication operation, "all_reduce"; empty if none
  std::string detail;                      ///< "waits in the c10d store", "in nfs_wait_bit_killable"
  std::optional<CallSite> site;            ///< the user's innermost frame
  std::optional<CallSite> caller;          ///< the user's frame around it
  bool wakes_by_itself = false;            ///< a wait with a time limit, or a spinning one: its counters may change
  bool polls = false;  ///< in a library that asks again and again, from several of its functions: NCCL's host code
};

}  // namespace hangstack::classifiers
