#pragma once
// Names that threads have in Python: threading.Thread.name.

#include <string>

#include "model/memory_reader.h"
#include "symbolizer/python/code_object.h"
#include "symbolizer/python/frame_walk.h"
#include "symbolizer/python/layout.h"

namespace hangstack::symbolizer {

/// The thread's name from the first local variable, `self`, of its outermost frame, Thread._bootstrap in threading.py:
/// no module and no list of threads need be searched. Empty for the main thread and threads not made by `threading`.
std::string thread_name(model::MemoryReader& memory, const Layout& layout, CodeReader& codes, const FrameWalk& walk);

}  // namespace hangstack::symbolizer
