#include "sampler/stream.h"

#include <algorithm>
#include <cstring>

#include "model/write_all.h"

namespace hangstack::sampler {
namespace {

struct Header {
  std::uint8_t kind = 0;
  std::uint8_t stage = 0;
  std::uint16_t magic = 0;
  std::int32_t tid = 0;
  std::uint64_t body_bytes = 0;
};

constexpr std::uint16_t kMagic = 0x5348;
// A process with a million threads or mappings stays below this.
constexpr std::uint64_t kMaxBody = 3ULL << 30;
/// Room is made for as much at once; beyond, only as the bytes come.
constexpr std::uint64_t kTrustedBytes = 16ULL << 20;

bool is_sound(const Header& header) {
  return header.magic == kMagic && header.kind >= static_cast<std::uint8_t>(MessageKind::stage) &&
         header.kind <= static_cast<std::uint8_t>(MessageKind::done) && header.stage < kStageCount &&
         header.body_bytes <= kMaxBody;
}

std::string encode_header(const Message& message) {
  Header header;
  header.kind = static_cast<std::uint8_t>(message.kind);
  header.stage = static_cast<std::uint8_t>(message.stage);
  header.magic = kMagic;
  header.tid = message.tid;
  header.body_bytes = message.body.size();
  std::string bytes(sizeof header, '\0');
  std::memcpy(bytes.data(), &header, sizeof header);
  return bytes;
}

}  // namespace

std::string encode_message(const Message& message) { return encode_header(message) + message.body; }

bool write_message(int descriptor, const Message& message) {
  // A small message in one write; a large body is not copied once more.
  constexpr std::size_t kSmall = 4096;
  if (message.body.size() <= kSmall) return model::write_all(descriptor, encode_message(message));
  return model::write_all(descriptor, encode_header(message)) && model::write_all(descriptor, message.body);
}

/// Takes bytes of a header; true once a message has begun.
bool MessageParser::take_header(std::string_view& bytes) {
  const std::string_view piece = bytes.substr(0, sizeof(Header) - header_.size());
  header_ += piece;
  bytes.remove_prefix(piece.size());
  if (header_.size() < sizeof(Header)) return false;
  Header header;
  std::memcpy(&header, header_.data(), sizeof header);
  header_.clear();
  broken_ = !is_sound(header);
  if (broken_) return false;
  messages_.push_back({static_cast<MessageKind>(header.kind), static_cast<Stage>(header.stage), header.tid, {}});
  missing_ = header.body_bytes;
  messages_.back().body.reserve(std::min(missing_, kTrustedBytes));
  return true;
}

model::Expected<void> MessageParser::feed(std::string_view bytes) {
  while (!broken_ && !bytes.empty()) {
    if (missing_ == 0 && !take_header(bytes)) continue;
    const std::string_view piece = bytes.substr(0, missing_);
    messages_.back().body += piece;
    missing_ -= piece.size();
    bytes.remove_prefix(piece.size());
  }
  if (!broken_) return {};
  return model::failure(model::ErrorCode::malformed_input, "the child that reads the process sent no message");
}

std::optional<Message> MessageParser::next() {
  if (messages_.empty() || (messages_.size() == 1 && missing_ != 0)) return std::nullopt;
  Message message = std::move(messages_.front());
  messages_.pop_front();
  return message;
}

}  // namespace hangstack::sampler
