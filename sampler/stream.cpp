#include "sampler/stream.h"

#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace hangstack::sampler {
namespace {

struct Header {
  std::uint8_t kind = 0;
  std::uint8_t stage = 0;
  std::uint16_t magic = 0;
  std::int32_t tid = 0;
  std::uint64_t json_bytes = 0;
  std::uint64_t memory_bytes = 0;
};

constexpr std::uint16_t kMagic = 0x5348;
// A process with a million threads or mappings stays below these.
constexpr std::uint64_t kMaxJson = 1ULL << 30;
constexpr std::uint64_t kMaxMemory = 2ULL << 30;

bool is_sound(const Header& header) {
  return header.magic == kMagic && header.kind >= static_cast<std::uint8_t>(FrameKind::stage) &&
         header.kind <= static_cast<std::uint8_t>(FrameKind::done) && header.stage < kStageCount &&
         header.json_bytes <= kMaxJson && header.memory_bytes <= kMaxMemory;
}

}  // namespace

std::string encode_frame(const Frame& frame) {
  Header header;
  header.kind = static_cast<std::uint8_t>(frame.kind);
  header.stage = static_cast<std::uint8_t>(frame.stage);
  header.magic = kMagic;
  header.tid = frame.tid;
  header.json_bytes = frame.json.size();
  header.memory_bytes = frame.memory.size();
  std::string bytes(sizeof header, '\0');
  std::memcpy(bytes.data(), &header, sizeof header);
  bytes.reserve(bytes.size() + frame.json.size() + frame.memory.size());
  bytes += frame.json;
  bytes += frame.memory;
  return bytes;
}

model::Expected<void> FrameParser::feed(std::string_view bytes) {
  if (!broken_) buffer_.append(bytes);
  std::size_t parsed = 0;
  while (!broken_) {
    Header header;
    if (buffer_.size() - parsed < sizeof header) break;
    std::memcpy(&header, buffer_.data() + parsed, sizeof header);
    broken_ = !is_sound(header);
    const std::uint64_t size = sizeof header + header.json_bytes + header.memory_bytes;
    if (broken_ || buffer_.size() - parsed < size) break;
    const std::string_view body = std::string_view(buffer_).substr(parsed + sizeof header, size - sizeof header);
    frames_.push_back({static_cast<FrameKind>(header.kind), static_cast<Stage>(header.stage), header.tid,
                       std::string(body.substr(0, header.json_bytes)), std::string(body.substr(header.json_bytes))});
    parsed += size;
  }
  buffer_.erase(0, parsed);
  if (!broken_) return {};
  return model::failure(model::ErrorCode::malformed_input, "the child that reads the process sent no frame");
}

std::optional<Frame> FrameParser::next() {
  if (frames_.empty()) return std::nullopt;
  Frame frame = std::move(frames_.front());
  frames_.pop_front();
  return frame;
}

bool write_all(int descriptor, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(descriptor, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
  return true;
}

}  // namespace hangstack::sampler
