#pragma once
// What a command line says that a process is.

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace hangstack::sampler {

enum class CommandKind : std::uint8_t {
  program,         ///< anything else: a training script, an MPI program
  launcher,        ///< starts ranks: torchrun, accelerate, deepspeed, mpirun, srun and their daemons
  wrapper,         ///< a shell, or a program that runs another: numactl, nsys, singularity
  session,         ///< holds jobs but belongs to none: init, sshd, tmux, containerd
  side_tool,       ///< runs next to a rank and never is one: tee, tail, nvidia-smi
  spawn_child,     ///< multiprocessing.spawn: a rank of mp.spawn, or a worker
  fork_server,     ///< multiprocessing.forkserver, or a worker forked from it
  tracker,         ///< multiprocessing.resource_tracker
  compile_worker,  ///< torch._inductor.compile_worker, or a compiler
};

/// `arguments` as in /proc/PID/cmdline, `comm` as in stat. Facts: CPython 3.8 to 3.14 Lib/multiprocessing
/// (spawn.get_command_line, forkserver.ensure_running, resource_tracker); PyTorch 2.3 to 2.15
/// torch/_inductor/compile_worker and the entry points of torch, accelerate and deepspeed.
CommandKind classify_command(std::span<const std::string> arguments, std::string_view comm);

/// What the interpreter was told to run. All empty if the command is not a Python interpreter.
struct PythonCommand {
  std::string_view script{};  ///< path
  std::string_view module{};  ///< after -m
  std::string_view code{};    ///< after -c
};
PythonCommand parse_python_command(std::span<const std::string> arguments);

}  // namespace hangstack::sampler
