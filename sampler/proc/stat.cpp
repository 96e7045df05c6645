#include "sampler/proc/stat.h"

#include <array>

#include "sampler/proc/fields.h"

namespace hangstack::sampler {
namespace {

/// Numbers behind the state, by their field number in proc_pid_stat(5).
constexpr int kFirstNumber = 4;
constexpr int kLastNumber = 39;
constexpr int kLastNeeded = 28;

class Numbers {
 public:
  /// Negative values (tpgid, nice, exit codes) are kept as their two's complement. False if a needed field is no
  /// number.
  bool read(Fields& fields) {
    for (int field = kFirstNumber; field <= kLastNumber; ++field) {
      const std::string_view word = fields.word();
      const auto value = word.starts_with('-') ? negative(word) : number_from<std::uint64_t>(word);
      if (!value) return field > kLastNeeded;
      values_[static_cast<std::size_t>(field)] = *value;
      last_ = field;
    }
    return true;
  }
  [[nodiscard]] std::uint64_t at(int field) const { return values_[static_cast<std::size_t>(field)]; }
  [[nodiscard]] std::int32_t small(int field) const { return static_cast<std::int32_t>(at(field)); }
  [[nodiscard]] bool has(int field) const { return field <= last_; }

 private:
  static std::optional<std::uint64_t> negative(std::string_view word) {
    const auto value = number_from<std::int64_t>(word);
    if (!value) return std::nullopt;
    return static_cast<std::uint64_t>(*value);
  }

  std::array<std::uint64_t, kLastNumber + 1> values_{};
  int last_ = 0;
};

}  // namespace

model::Expected<Stat> parse_stat(std::string_view text) {
  const auto malformed = [] { return model::failure(model::ErrorCode::malformed_input, "stat is not a task's line"); };
  // Everything behind the name is a number: the last parenthesis ends it, whatever the name holds.
  const std::size_t open = text.find('(');
  const std::size_t close = text.rfind(')');
  if (open == std::string_view::npos || close == std::string_view::npos || close < open || open == 0)
    return malformed();
  Stat stat;
  const auto pid = number_from<std::int32_t>(text.substr(0, open - 1));
  if (!pid || text[open - 1] != ' ' || !text.ends_with('\n')) return malformed();
  stat.pid = *pid;
  stat.comm = text.substr(open + 1, close - open - 1);

  Fields fields(text.substr(close + 1, text.size() - close - 2));
  const std::string_view state = fields.word();
  Numbers numbers;
  if (state.size() != 1 || !numbers.read(fields)) return malformed();
  stat.state = state[0];
  stat.parent_pid = numbers.small(4);
  stat.flags = static_cast<std::uint32_t>(numbers.at(9));
  stat.user_ticks = numbers.at(14);
  stat.system_ticks = numbers.at(15);
  stat.thread_count = numbers.small(20);
  stat.start_time_ticks = numbers.at(22);
  stat.start_stack = numbers.at(28);
  if (numbers.has(39)) stat.processor = numbers.small(39);
  return stat;
}

}  // namespace hangstack::sampler
