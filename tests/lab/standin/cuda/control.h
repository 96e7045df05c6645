#pragma once

#include <cstdint>
#include <string>

namespace hangstack::standin {

/// What a process asks of its stand-in, read once from the environment:
///   HANGSTACK_LAB_TABLE   the file that all ranks share to meet in; without it every NCCL kernel finishes at once
///   HANGSTACK_LAB_LOG     a folder: what is launched goes to PID.log there
///   HANGSTACK_LAB_WAIT    "nap" (default) or "spin": how a thread waits for the device
///   HANGSTACK_LAB_KERNEL  "stuck:N", "lost:N" or "slow:MS"
///   HANGSTACK_LAB_ABORT   "ignored": NCCL kernels do not look at their abort flag
///   HANGSTACK_LAB_QUEUE   how many operations a stream holds before a launch waits (1024, about as many as a driver)
struct Control {
  /// N counts the NCCL kernels of this process from 1, 0 means none.
  uint64_t stuck = 0;    ///< takes part in its rendezvous, and never finishes
  uint64_t lost = 0;     ///< never starts: its peers wait for it
  uint64_t slow_ms = 0;  ///< every NCCL kernel takes that long after its rendezvous
  uint64_t queue = 1024;
  bool spin = false;
  bool ignore_abort = false;
  std::string table;
  std::string log_folder;
};

const Control& control();

/// Appends a line to the log of this process, in one write(2); nothing when there is no log.
void log_line(const std::string& line);

}  // namespace hangstack::standin
