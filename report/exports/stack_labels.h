#pragma once
// The stacks that go into files of other tools, and how their processes, threads and frames are called there.

#include <string>
#include <vector>

#include "report/process_index.h"
#include "report/report.h"

namespace hangstack::report {

/// "rank 3", "process 41800 (launcher)"; where ranks of several jobs may have the same number, "rank 3 (gpu07:29600)".
/// Printable.
std::string process_label(const model::ProcessSnapshot& process, const ProcessIndex& index, bool several_jobs);

/// What it does if that is known, else its name. Printable.
std::string thread_label(const model::Thread& thread);

/// The whole name; of Python with file and line: "train_step (train.py:131)". Printable.
std::string stack_label(const model::Frame& frame);

/// The threads that `options` asks for, and that have a stack.
std::vector<const model::Thread*> exported_threads(const model::ProcessSnapshot& process, const StackOptions& options);

/// Outermost first; never empty if the thread has a frame.
std::vector<const model::Frame*> exported_frames(const model::Thread& thread, const StackOptions& options);

}  // namespace hangstack::report
