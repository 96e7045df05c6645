#include "ingest/document/pickle.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace hangstack::ingest {
namespace {

using model::ErrorCode;
using model::Expected;
using model::failure;
using Node = Document::Node;

constexpr std::size_t kMaxStack = 1U << 20;
constexpr std::size_t kMaxMemo = 1U << 20;
constexpr std::size_t kMaxMarks = Document::kMaxDepth;
constexpr std::uint8_t kProtocol = 2;

/// Opcodes that data may consist of (Lib/pickletools.py of CPython names and describes them).
enum class Opcode : std::uint8_t {
  proto = 0x80,
  stop = '.',
  mark = '(',
  none = 'N',
  new_true = 0x88,
  new_false = 0x89,
  int4 = 'J',
  int1 = 'K',
  int2 = 'M',
  long1 = 0x8a,
  float8 = 'G',
  unicode = 'X',
  empty_list = ']',
  appends = 'e',
  empty_tuple = ')',
  tuple = 't',
  tuple1 = 0x85,
  tuple2 = 0x86,
  tuple3 = 0x87,
  empty_dict = '}',
  set_items = 'u',
  put1 = 'q',
  put4 = 'r',
  get1 = 'h',
  get4 = 'j',
};

struct Refused {
  std::uint8_t opcode;
  std::string_view name;
};

/// Those that make Python import, call or look up something.
constexpr auto kActing = std::to_array<Refused>({{'c', "GLOBAL"},
                                                 {0x93, "STACK_GLOBAL"},
                                                 {'R', "REDUCE"},
                                                 {'b', "BUILD"},
                                                 {'i', "INST"},
                                                 {'o', "OBJ"},
                                                 {0x81, "NEWOBJ"},
                                                 {0x92, "NEWOBJ_EX"},
                                                 {'P', "PERSID"},
                                                 {'Q', "BINPERSID"},
                                                 {0x82, "EXT1"},
                                                 {0x83, "EXT2"},
                                                 {0x84, "EXT4"}});

class PickleReader {
 public:
  explicit PickleReader(std::string_view bytes) : bytes_(bytes) {}

  Expected<Document> read() {
    while (!stopped_) {
      start_ = at_;
      if (auto done = step(); !done) {
        done.error().message = fmt::format("at byte {}: {}", start_, done.error().message);
        return tl::make_unexpected(done.error());
      }
    }
    return std::move(document_);
  }

 private:
  static tl::unexpected<model::Error> wrong(std::string message) {
    return failure(ErrorCode::malformed_input, std::move(message));
  }

  /// Little-endian; none if the bytes end before.
  std::optional<std::uint64_t> number(std::size_t size) {
    if (bytes_.size() - at_ < size) return std::nullopt;
    std::uint64_t value = 0;
    for (std::size_t i = 0; i < size; ++i)
      value |= std::uint64_t{static_cast<std::uint8_t>(bytes_[at_ + i])} << (8 * i);
    at_ += size;
    return value;
  }

  Expected<void> push(Node node) {
    if (stack_.size() >= kMaxStack) return wrong(fmt::format("more than {} values wait for their list", kMaxStack));
    stack_.push_back(node);
    return {};
  }

  Expected<void> push(const Expected<Node>& node) {
    return node.and_then([this](Node made) { return push(made); });
  }

  Expected<void> step() {
    const auto code = number(1);
    if (!code) return cut_off();
    const auto opcode = static_cast<Opcode>(*code);
    if (start_ == 0) return opcode == Opcode::proto ? protocol() : wrong("it does not begin as a pickle");
    switch (opcode) {
      case Opcode::stop: return stop();
      case Opcode::mark: return mark();
      case Opcode::none: return push(Document::null_node());
      case Opcode::new_true: return push(Document::boolean_node(true));
      case Opcode::new_false: return push(Document::boolean_node(false));
      case Opcode::int1: return integer(1, false);
      case Opcode::int2: return integer(2, false);
      case Opcode::int4: return integer(4, true);
      case Opcode::long1: return long_integer();
      case Opcode::float8: return real();
      case Opcode::unicode: return text();
      case Opcode::empty_list:
      case Opcode::empty_tuple: return push(document_.add_list());
      case Opcode::empty_dict: return push(document_.add_dictionary());
      case Opcode::appends: return fill(ValueKind::list);
      case Opcode::set_items: return fill(ValueKind::dictionary);
      case Opcode::tuple: return tuple_to_mark();
      case Opcode::tuple1: return tuple(1);
      case Opcode::tuple2: return tuple(2);
      case Opcode::tuple3: return tuple(3);
      case Opcode::put1: return put(1);
      case Opcode::put4: return put(4);
      case Opcode::get1: return get(1);
      case Opcode::get4: return get(4);
      case Opcode::proto: break;
    }
    return refuse(static_cast<std::uint8_t>(*code));
  }

  Expected<void> cut_off() const {
    return failure(ErrorCode::malformed_input, "the file ends within the pickle", "it was cut off: copy it again");
  }

  Expected<void> refuse(std::uint8_t code) const {
    const auto acting = std::ranges::find(kActing, code, &Refused::opcode);
    if (acting != kActing.end()) {
      return failure(ErrorCode::malformed_input,
                     fmt::format("the opcode {} would make Python run something; a dump holds data only, and nothing "
                                 "was run",
                                 acting->name),
                     "do not load this file in Python");
    }
    return wrong(fmt::format("the opcode {:#04x} is none that PyTorch's dumps are made of", code));
  }

  Expected<void> protocol() {
    const auto version = number(1);
    if (!version) return cut_off();
    if (*version != kProtocol)
      return wrong(fmt::format("it is a pickle of protocol {}; PyTorch's dumps are of protocol 2", *version));
    return {};
  }

  Expected<void> stop() {
    if (stack_.size() != 1 || !marks_.empty()) return wrong("the pickle ends without one whole object");
    if (at_ != bytes_.size()) return wrong(fmt::format("{} bytes follow the pickle", bytes_.size() - at_));
    document_.set_root(stack_.back());
    stopped_ = true;
    return {};
  }

  Expected<void> mark() {
    if (marks_.size() >= kMaxMarks) return wrong(fmt::format("it is nested more than {} deep", kMaxMarks));
    marks_.push_back(stack_.size());
    return {};
  }

  Expected<void> integer(std::size_t size, bool with_sign) {
    const auto value = number(size);
    if (!value) return cut_off();
    const auto read = with_sign ? std::int64_t{static_cast<std::int32_t>(*value)} : static_cast<std::int64_t>(*value);
    return push(document_.add_integer(read));
  }

  /// Two's complement of as many bytes as the first one says.
  Expected<void> long_integer() {
    const auto size = number(1);
    if (!size) return cut_off();
    if (*size > sizeof(std::int64_t)) return wrong(fmt::format("an integer of {} bytes", *size));
    const auto value = number(*size);
    if (!value) return cut_off();
    std::uint64_t extended = *value;
    const std::size_t bits = 8 * *size;
    if (bits > 0 && bits < 64 && (*value >> (bits - 1)) != 0) extended |= ~std::uint64_t{0} << bits;
    return push(document_.add_integer(static_cast<std::int64_t>(extended)));
  }

  Expected<void> real() {
    auto value = number(sizeof(double));
    if (!value) return cut_off();
    return push(document_.add_real(std::bit_cast<double>(__builtin_bswap64(*value))));
  }

  Expected<void> text() {
    const auto size = number(4);
    if (!size || bytes_.size() - at_ < *size) return cut_off();
    const std::string_view read = bytes_.substr(at_, *size);
    at_ += *size;
    return push(document_.add_text(read));
  }

  /// The values behind the last mark, which goes with them. They lie on the stack until `pop` takes them.
  Expected<std::span<const Node>> behind_mark() {
    if (marks_.empty()) return wrong("the end of a list without its beginning");
    const std::size_t first = marks_.back();
    marks_.pop_back();
    return std::span<const Node>(stack_).subspan(first);
  }

  void pop(std::size_t count) { stack_.resize(stack_.size() - count); }

  /// Lowest place on the stack that may be taken: what lies below the last mark belongs to an outer list.
  [[nodiscard]] std::size_t floor() const { return marks_.empty() ? 0 : marks_.back(); }

  Expected<void> fill(ValueKind kind) {
    const auto content = behind_mark();
    if (!content) return tl::make_unexpected(content.error());
    const std::size_t size = content->size();
    if (stack_.size() - size <= floor()) return wrong("there is no list or dictionary to fill");
    const Node container = stack_[stack_.size() - size - 1];
    if (document_.kind_of(container) != kind) return wrong("what is filled is no list or dictionary");
    if (kind == ValueKind::dictionary && size % 2 != 0) return wrong("a key without a value");
    if (container < shared_.size() && shared_[container])
      return wrong("a list or dictionary is changed after it was shared: PyTorch does not write so");
    auto done = document_.extend(container, *content);
    pop(size);
    return done;
  }

  Expected<void> make_tuple(std::size_t size) {
    const auto made = document_.add_list();
    if (!made) return tl::make_unexpected(made.error());
    auto done = document_.extend(*made, std::span<const Node>(stack_).last(size));
    pop(size);
    return done ? push(*made) : done;
  }

  Expected<void> tuple_to_mark() {
    const auto content = behind_mark();
    return content ? make_tuple(content->size()) : tl::make_unexpected(content.error());
  }

  Expected<void> tuple(std::size_t size) {
    if (stack_.size() - floor() < size) return wrong("a tuple without its elements");
    return make_tuple(size);
  }

  /// PyTorch numbers what it shares from 0 on, without a gap.
  Expected<void> put(std::size_t size) {
    const auto place = number(size);
    if (!place) return cut_off();
    if (stack_.size() <= floor()) return wrong("nothing is there to be shared");
    if (*place != memo_.size() || memo_.size() >= kMaxMemo)
      return wrong(fmt::format("what is shared gets the number {}, and not {}", *place, memo_.size()));
    const Node node = stack_.back();
    memo_.push_back(node);
    if (node >= shared_.size()) shared_.resize(node + 1);
    shared_[node] = true;
    return {};
  }

  Expected<void> get(std::size_t size) {
    const auto place = number(size);
    if (!place) return cut_off();
    if (*place >= memo_.size()) return wrong(fmt::format("nothing was shared under the number {}", *place));
    return push(memo_[*place]);
  }

  std::string_view bytes_;
  std::size_t at_ = 0;
  std::size_t start_ = 0;  ///< of the opcode that is read
  bool stopped_ = false;
  Document document_;
  std::vector<Node> stack_;
  std::vector<std::size_t> marks_;  ///< sizes of the stack
  std::vector<Node> memo_;
  std::vector<bool> shared_;  ///< by node: whether it is in there
};

}  // namespace

bool looks_like_pickle(std::string_view bytes) {
  return bytes.size() >= 2 && static_cast<std::uint8_t>(bytes[0]) == static_cast<std::uint8_t>(Opcode::proto);
}

Expected<Document> read_pickle(std::string_view bytes) { return PickleReader(bytes).read(); }

}  // namespace hangstack::ingest
