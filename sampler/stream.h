#pragma once
// The stream from the child that reads a target to its parent: messages on a pipe.

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>

#include "model/capture.h"
#include "model/error.h"

namespace hangstack::sampler {

/// What the child is about to do; the parent times it.
enum class Stage : std::uint8_t {
  evidence,  ///< files that need no lock
  process,   ///< identity, command line, environment
  mappings,  ///< maps and mountinfo
  files,     ///< build-ids, from memory
  prepare,   ///< the inspector's preparation
  strict,    ///< all threads stopped at once
  thread,    ///< one thread; `tid` says which
  finish,    ///< the inspector's last reads
};
inline constexpr int kStageCount = 8;

enum class MessageKind : std::uint8_t {
  stage = 1,  ///< no body
  threads,    ///< a capture with nothing but threads, which have no stacks yet
  process,    ///< a capture without threads: everything that is known before the threads are read
  thread,     ///< one thread, done
  ended,      ///< no body: `tid` was listed and has ended
  rest,       ///< a capture with memory, totals, problems; mappings and files if they changed
  refused,    ///< a capture with one problem: why there is none
  done,       ///< no body: the last message
};

struct Message {
  MessageKind kind = MessageKind::stage;
  Stage stage = Stage::evidence;
  std::int32_t tid = 0;
  std::string body;  ///< as sampler/capture_bytes.h writes it
};

/// Header (kind, stage, tid, length) and body, in this machine's byte order: both ends are one program.
std::string encode_message(const Message& message);

/// Writes the same to a pipe, waiting for its reader; false if the reader is gone.
bool write_message(int descriptor, const Message& message);

/// Takes bytes as they come.
class MessageParser {
 public:
  /// `malformed_input` for bytes that are no message; every later call says the same.
  model::Expected<void> feed(std::string_view bytes);
  std::optional<Message> next();

 private:
  bool take_header(std::string_view& bytes);

  std::string header_;            ///< as far as it has come
  std::uint64_t missing_ = 0;     ///< bytes of the last message's body that have not come yet
  std::deque<Message> messages_;  ///< the last one may be in the making
  bool broken_ = false;
};

}  // namespace hangstack::sampler
