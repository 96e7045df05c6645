#include "sampler/proc/environment.h"

#include "sampler/discover/discover.h"

namespace hangstack::sampler {
namespace {

constexpr std::size_t kMaxArguments = 65536;
constexpr std::size_t kMaxValue = 4096;

/// Calls `take` with every piece that a NUL ends, and with the rest behind the last one.
template <typename Take>
void for_each_piece(std::string_view text, Take take) {
  while (!text.empty()) {
    const std::size_t end = text.find('\0');
    take(text.substr(0, end));
    if (end == std::string_view::npos) return;
    text.remove_prefix(end + 1);
  }
}

}  // namespace

std::vector<std::string> parse_command_line(std::string_view text) {
  std::vector<std::string> arguments;
  for_each_piece(text.substr(0, text.find_last_not_of('\0') + 1), [&](std::string_view piece) {
    if (arguments.size() < kMaxArguments) arguments.emplace_back(piece);
  });
  return arguments;
}

std::map<std::string, std::string> parse_environment(std::string_view text) {
  std::map<std::string, std::string> variables;
  for_each_piece(text, [&](std::string_view piece) {
    const std::size_t equals = piece.find('=');
    if (equals == std::string_view::npos) return;
    const std::string_view name = piece.substr(0, equals);
    if (environment_variable_is_allowed(name)) variables.emplace(name, piece.substr(equals + 1, kMaxValue));
  });
  return variables;
}

}  // namespace hangstack::sampler
