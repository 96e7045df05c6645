#pragma once
// A flight recorder in a test's memory, as PyTorch lays it out.

#include <cstdint>
#include <string>
#include <vector>

#include "symbolizer/python/runtime.h"
#include "symbolizer/records/recorder_layout.h"
#include "tests/support/byte_memory.h"

namespace hangstack::tests {

class RecorderBuilder {
 public:
  struct Entry {
    std::string name;
    std::uint64_t sequence = 0;
    bool retired = false;
    std::vector<std::uint64_t> sizes = {256, 256};  ///< of one input, then of one output
    std::vector<std::uint64_t> dimensions = {1};    ///< of the input; the output has as many
    std::uint8_t type = 6;                          ///< Float
    std::uint64_t traceback = 0;
  };

  /// A code object of Python 3.12 and where it stands.
  struct Frame {
    std::uint64_t code = 0;
    std::int32_t last_instruction = 0;
  };

  RecorderBuilder(const symbolizer::RecorderLayout& layout, std::uint64_t capacity);

  void add(const Entry& entry);
  void add_group(const std::string& name, const std::string& description, const std::vector<std::uint64_t>& ranks);
  void add_status(std::uint64_t group, std::int64_t enqueued, std::int64_t started, std::int64_t completed);
  void switch_off() { put_byte(kRecorder + layout_.enabled, 0); }
  /// A code object of one instruction of eight units, all on `line`; gives its address.
  std::uint64_t add_code(const std::string& function, const std::string& file, int line);
  /// A torch::CapturedTraceback; gives its address.
  std::uint64_t add_traceback(const std::vector<Frame>& frames);
  /// The names of all entries become unreadable.
  void overwrite_names();
  /// As reset_all() of PyTorch 2.15: ids begin at 0 again, the entries stay.
  void reset();
  void set_id(std::uint64_t index, std::uint64_t id);

  /// The interpreter that the code objects are of.
  [[nodiscard]] static std::vector<symbolizer::Runtime> runtimes();
  [[nodiscard]] static model::RemoteAddress address() { return model::RemoteAddress{kRecorder}; }
  ByteMemory& memory() { return memory_; }

 private:
  static constexpr std::uint64_t kRecorder = 0x100000;
  static constexpr std::uint64_t kRing = 0x200000;

  void put_byte(std::uint64_t address, std::uint8_t value);
  void put_bytes(std::uint64_t address, const std::string& bytes);
  void put_string(std::uint64_t address, const std::string& text);
  void put_words(std::uint64_t address, const std::vector<std::uint64_t>& words);
  void put_small_vector(std::uint64_t address, const std::vector<std::uint64_t>& values,
                        std::uint64_t element_bytes = 8);
  /// A str of ASCII characters.
  std::uint64_t add_text(const std::string& text);
  std::uint64_t take(std::uint64_t bytes);
  /// A node of a std::map, to the right of the one before; gives where its pair lies.
  std::uint64_t add_node(std::uint64_t map, std::uint64_t pair_bytes);

  const symbolizer::RecorderLayout& layout_;
  std::uint64_t capacity_;
  std::uint64_t recorded_ = 0;  ///< since the last reset
  std::uint64_t placed_ = 0;
  std::uint64_t next_free_ = 0x400000;
  std::uint64_t code_type_ = 0;
  ByteMemory memory_;
};

}  // namespace hangstack::tests
