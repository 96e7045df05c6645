#pragma once
// Asks NCCL's RAS threads of a job: one connection, one question, everything that came back.
//
// The protocol (src/ras/client_support.cc of NCCL 2.24 to 2.30): lines in, lines out, over TCP. "CLIENT PROTOCOL 2" is
// answered by "SERVER PROTOCOL 2", "TIMEOUT 2" and "SET FORMAT json" (from 2.28.7 on; before, an ERROR line) by "OK",
// "VERBOSE STATUS" by the report, after which the server closes. Each process of a job listens at one address with
// SO_REUSEPORT, and the kernel chooses who accepts: with another job of the same user at the same address it may be
// that one's. So the accepted socket is looked up among the descriptors of the processes asked for, before anything is
// asked.

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "model/ras.h"
#include "sampler/proc/proc_files.h"

namespace hangstack::sampler {

struct RasQuestion {
  std::vector<std::int32_t> pids;  ///< the job's processes on this host, at least one
  std::string address;             ///< NCCL_RAS_ADDR of the job; empty: NCCL's default. Of it only the port counts
  std::string enable;              ///< NCCL_RAS_ENABLE of the job; "0" switches RAS off
  std::chrono::milliseconds deadline{6000};  ///< for all of it
};

/// Never throws, never takes longer than the deadline and a little; at most 32 MiB are read. A child process does it,
/// in the network namespace of the process that listens. Not asked, and `refused`, while a thread of `pids` is
/// stopped or traced: RAS would wait for it.
model::RasReply ask_ras(const ProcFiles& proc, const RasQuestion& question);

/// Whether RAS would answer, without a word to it: as ask_ras up to the connection, which is not made. `ok` names the
/// process that listens.
model::RasReply find_ras(const ProcFiles& proc, const RasQuestion& question);

}  // namespace hangstack::sampler
