#include "sampler/program_watch.h"

#include <fmt/core.h>

#include "sampler/proc/stat.h"

namespace hangstack::sampler {

using model::ErrorCode;

ProgramWatch::ProgramWatch(const ProcFiles& proc, std::int32_t pid) : proc_(proc), pid_(pid), first_(current()) {}

ProgramWatch::Program ProgramWatch::current() const {
  Program program;
  const auto stat = proc_.read(fmt::format("{}/stat", pid_)).and_then(parse_stat);
  if (!stat) return program;
  program.start_time_ticks = stat->start_time_ticks;
  program.start_stack = stat->start_stack;
  program.exe = proc_.read_link(fmt::format("{}/exe", pid_)).value_or("");
  program.alive = stat->state != 'X' && (stat->state != 'Z' || stat->thread_count > 1);
  return program;
}

std::optional<model::Error> ProgramWatch::changed() const {
  const Program now = current();
  if (!now.alive || now.start_time_ticks != first_.start_time_ticks)
    return model::Error{ErrorCode::vanished, fmt::format("process {} ended while it was read", pid_), {}};
  // A leader that ended meanwhile shows no stack address and no exe any more.
  const bool comparable = now.start_stack != 0 && first_.start_stack != 0;
  if (comparable && now != first_)
    return model::Error{ErrorCode::changed_program,
                        fmt::format("process {} started another program (exec) while it was read: its stacks may be of "
                                    "both",
                                    pid_),
                        "sample it again"};
  return std::nullopt;
}

}  // namespace hangstack::sampler
