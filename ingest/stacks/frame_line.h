#pragma once
// One line of a stack, as each tool writes a frame.

#include <optional>
#include <string_view>

#include "model/snapshot.h"

namespace hangstack::ingest {

/// "    step (train.py:22)", "    usleep (libc.so.6)", "    cuCtxSynchronize (cuda.cpp:99)", "    0x7fc1 (libc.so.6)".
/// Four blanks of indentation: deeper lines are arguments and locals.
std::optional<model::Frame> py_spy_frame(std::string_view line);

/// "#3  0x00007fc1c391d295 in usleep () from /lib/libc.so.6", "#1  foo (x=1) at a.cc:7". The arguments are dropped.
std::optional<model::Frame> gdb_frame(std::string_view line);

/// "#3  0x00007fc1c41c6568 waitfor(Stream*) - /standin/libcuda.so.1", with " - 1" before it of a caller's frame, and
/// a second line of "    file.c:12" with -s.
std::optional<model::Frame> eu_stack_frame(std::string_view line);

/// "  File \"/job/train.py\", line 88 in step": faulthandler's; with a comma before "in" pystack's, which puts
/// "(Python)" or "(C)" before it and a library behind it.
std::optional<model::Frame> file_frame(std::string_view line);

/// What gdb's Python commands print of a frame. py-bt: "  File \"/job/train.py\", line 88, in step"; py-bt-full and
/// Python 2's libpython.py: "#5 Frame 0x7f10, for file /job/train.py, line 88, in step (x=1)".
std::optional<model::Frame> py_bt_frame(std::string_view line);

/// A Python file under the name that the classifiers know it by, where a tool has cut off the folders in front:
/// "distributed_c10d.py" lies in torch/distributed, "autograd/graph.py" in torch.
std::string full_python_name(std::string_view file);

}  // namespace hangstack::ingest
