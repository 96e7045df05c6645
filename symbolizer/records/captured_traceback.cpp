#include "symbolizer/records/captured_traceback.h"

#include <algorithm>
#include <cstring>

#include "symbolizer/records/cxx_objects.h"

namespace hangstack::symbolizer {
namespace {

using model::RecordedFrame;
using model::RemoteAddress;

// struct PyFrame {void* code; int lasti;}: lasti counts bytes of bytecode in every Python (PyFrame_GetLasti, and
// pythoncapi_compat.h before 3.11).
constexpr std::size_t kFrameBytes = 16;
constexpr std::uint64_t kLastInstruction = 8;

/// Frames of one vector at most; Python's own limit of recursion is 1000.
constexpr std::size_t kMostCaptured = 4096;

}  // namespace

TracebackReader::TracebackReader(std::span<const Runtime> runtimes, model::MemoryReader& memory) : memory_(memory) {
  for (const Runtime& runtime : runtimes) codes_.push_back(std::make_unique<CodeReader>(runtime.layout, memory));
}

const RecordedFrame* TracebackReader::frame_at(const Place& place) {
  const auto known = frames_.find(place);
  if (known != frames_.end()) return &known->second;
  for (const auto& codes : codes_) {
    const CodeObject& code = codes->at(place.code);
    if (!code.problem.empty()) continue;
    RecordedFrame frame{code.function, code.file, codes->line_at(code, place.last_instruction)};
    return &frames_.emplace(place, std::move(frame)).first->second;
  }
  return nullptr;
}

std::vector<RecordedFrame> TracebackReader::read(RemoteAddress traceback, std::uint64_t frames_offset) {
  std::vector<RecordedFrame> frames;
  constexpr std::size_t kVectorBytes = 24;
  auto head = RemoteStruct::read(memory_, traceback, frames_offset + kVectorBytes);
  if (!head) return frames;
  const auto captured = read_vector(memory_, {traceback, std::move(*head)}, frames_offset, kFrameBytes, kMostCaptured);
  if (!captured) return frames;
  const std::size_t count = std::min(captured->size() / kFrameBytes, kMostFrames);
  for (std::size_t i = 0; i < count; ++i) {
    Place place;
    std::memcpy(&place.code, captured->data() + i * kFrameBytes, sizeof place.code);
    std::memcpy(&place.last_instruction, captured->data() + i * kFrameBytes + kLastInstruction,
                sizeof place.last_instruction);
    const RecordedFrame* frame = frame_at(place);
    if (frame == nullptr) return {};
    frames.push_back(*frame);
  }
  return frames;
}

}  // namespace hangstack::symbolizer
