#include "classifiers/fold/chain.h"

#include <fmt/format.h>

#include "model/file_path.h"

namespace hangstack::classifiers {
namespace {

/// Frames that stand around every operation or module call and tell nothing (torch 2.0 to 2.15).
bool is_wrapper(std::string_view path, std::string_view function) {
  return path == "torch/distributed/c10d_logger.py" ||
         (path == "torch/distributed/distributed_c10d.py" && function == "wrapper") ||
         (path == "torch/nn/modules/module.py" && (function == "_call_impl" || function == "_wrapped_call_impl")) ||
         (path == "torch/_dynamo/eval_frame.py" && function == "_fn") || path == "torch/utils/_contextlib.py";
}

/// The one frame of the innermost run of wait frames that is worth showing.
std::size_t shown_wait(const ThreadView& view, std::size_t end) {
  for (std::size_t i = end; i-- > 0;) {
    const auto name = view.names[i];
    if (!name.empty() && !name.starts_with("std::") && !name.starts_with("__")) return i;
  }
  return end;
}

}  // namespace

std::string Link::key() const {
  if (frame->kind == model::FrameKind::python)
    return fmt::format("{}|{}|{}", frame->function, frame->file, frame->line);
  if (name.empty()) return fmt::format("?|{}", model::base_name(frame->module));
  return std::string(name);
}

std::vector<Link> chain_of(const ThreadView& view) {
  std::size_t waits = 0;
  while (waits < view.names.size() && !view.is_python(waits) &&
         is_wait_plumbing(view.names[waits], view.frame(waits).module)) {
    ++waits;
  }
  const std::size_t wait = shown_wait(view, waits);
  const bool python = view.has_python();
  std::vector<Link> chain;
  for (std::size_t i = view.names.size(); i-- > 0;) {
    const auto& frame = view.frame(i);
    const auto name = view.names[i];
    if (i < waits && i != wait) continue;
    const bool plumbing = view.is_python(i)
                              ? is_wrapper(model::library_path(frame.file), last_component(name))
                              : is_start_plumbing(name, frame.module) ||
                                    (python && is_interpreter_plumbing(name, frame.module)) ||
                                    (i >= waits && is_wait_plumbing(name, frame.module) && name.starts_with("std::"));
    if (plumbing) continue;
    chain.push_back({&frame, name});
  }
  if (chain.size() > kMostLinks) {
    static const model::Frame kLeftOut = [] {
      model::Frame frame;
      frame.kind = model::FrameKind::marker;
      frame.function = "...";
      frame.note = "frames in the middle are left out: --full has them";
      return frame;
    }();
    chain.erase(chain.begin() + kMostLinks / 2, chain.end() - kMostLinks / 2);
    chain.insert(chain.begin() + kMostLinks / 2, {&kLeftOut, kLeftOut.function});
  }
  return chain;
}

}  // namespace hangstack::classifiers
