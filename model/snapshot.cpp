#include "model/snapshot.h"

namespace hangstack::model {

std::string_view frame_kind_name(FrameKind kind) {
  switch (kind) {
    case FrameKind::native: return "native";
    case FrameKind::python: return "python";
    case FrameKind::inlined: return "inline";
    case FrameKind::gpu: return "gpu";
    case FrameKind::marker: return "marker";
  }
  return "marker";
}

std::string_view frame_trust_name(FrameTrust trust) {
  switch (trust) {
    case FrameTrust::context: return "context";
    case FrameTrust::cfi: return "cfi";
    case FrameTrust::frame_pointer: return "frame_pointer";
    case FrameTrust::interpreter: return "interpreter";
    case FrameTrust::guess: return "guess";
  }
  return "guess";
}

std::string_view gil_state_name(GilState state) {
  switch (state) {
    case GilState::none: return "";
    case GilState::holds: return "holds";
    case GilState::waits: return "waits";
  }
  return "";
}

}  // namespace hangstack::model
