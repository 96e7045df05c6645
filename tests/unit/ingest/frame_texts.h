#pragma once
// Frames of a thread as short texts, for tests of what other tools' stacks are read as.

#include <string>
#include <vector>

#include "model/snapshot.h"

namespace hangstack::ingest {

/// "py step train.py:22", "usleep [libc.so.6]", "work a.cc:7": innermost first.
inline std::vector<std::string> texts(const model::Thread& thread) {
  std::vector<std::string> found;
  for (const model::Frame& frame : thread.frames) {
    std::string text = frame.kind == model::FrameKind::python   ? "py "
                       : frame.kind == model::FrameKind::marker ? "marker "
                                                                : "";
    text += frame.function.empty() ? "??" : frame.function;
    if (!frame.module.empty()) text += " [" + frame.module + "]";
    if (!frame.file.empty()) text += " " + frame.file;
    if (frame.line > 0) text += ":" + std::to_string(frame.line);
    found.push_back(text);
  }
  return found;
}

}  // namespace hangstack::ingest
