#include "tests/support/pattern_examples.h"

#include <fmt/format.h>

#include <cstdlib>
#include <iostream>
#include <sstream>

#include "tests/support/keys.h"

namespace hangstack::tests {
namespace {

constexpr std::string_view kFence = "```";
constexpr std::string_view kOpening = "```job ";

[[noreturn]] void reject(const std::string& line) {
  std::cerr << "pattern_examples: cannot read: " << line << "\n";
  std::abort();
}

int number_in(const Keys& keys, const std::string& name, int otherwise = 0) {
  const auto found = keys.find(name);
  return found == keys.end() ? otherwise : std::stoi(found->second);
}

/// What stands behind "in".
std::string short_form(std::istringstream& words, const std::string& line) {
  std::string what;
  words >> what;
  const Keys keys = keys_of(words, line, reject);
  const int rank = number_in(keys, "rank");
  const int world = number_in(keys, "world");
  const int asleep = number_in(keys, "asleep", 12);
  if (what == "all_reduce") return in_all_reduce(rank, world, number_in(keys, "line", 20), asleep);
  if (what == "sleep")
    return in_user_code(rank, world, fmt::format("asleep={} syscall=clock_nanosleep", asleep),
                        "  clock_nanosleep libc.so.6\n  time_sleep libpython3.12.so.1.0", number_in(keys, "line", 17));
  if (what == "device")
    return fmt::format(
        "process rank={} world={} at=1000\nthread main asleep=60 syscall=clock_nanosleep\n  clock_nanosleep libc.so.6\n"
        "  cuCtxSynchronize libcuda.so.1\n  cudaDeviceSynchronize libcudart.so.12\n  py step train.py:9\n",
        rank, world);
  reject(line);
}

/// Takes the lines of a block and builds its job.
class Block {
 public:
  explicit Block(JobBuilder& job) : job_(job) {}

  void take(const std::string& line) {
    std::istringstream words(line);
    std::string head;
    words >> head;
    if (head == "later") {
      later_ = true;
    } else if (head == "failed") {
      end();
      const Keys keys = keys_of(words, line, reject);
      job_.failed(number_in(keys, "pid"), model::ErrorCode::zombie, number_in(keys, "rank"), 'Z');
    } else if (head == "in" || head == "process") {
      begin(head == "in" ? short_form(words, line) : line + "\n");
    } else {
      if (samples_.empty()) reject(line);
      samples_.back() += line + "\n";
    }
  }

  void end() {
    if (samples_.size() == 2) job_.moving(samples_[0], samples_[1]);
    if (samples_.size() == 1) job_.still(samples_[0]);
    samples_.clear();
  }

 private:
  void begin(std::string text) {
    if (!later_) end();
    later_ = false;
    samples_.push_back(std::move(text));
  }

  JobBuilder& job_;
  std::vector<std::string> samples_;  // of the process that is being read
  bool later_ = false;
};

PatternExample headed(const std::string& line, int number) {
  std::istringstream words(line.substr(kOpening.size()));
  const Keys keys = keys_of(words, line, reject);
  if (!keys.contains("verdict")) reject(line);
  const auto wanted = [&](const char* key) -> std::optional<std::string> {
    const auto found = keys.find(key);
    if (found == keys.end()) return {};
    return found->second == "-" ? std::string() : found->second;
  };
  return {number, keys.at("verdict"), wanted("culprits"), wanted("confidence"), wanted("hung"), {}};
}

}  // namespace

std::vector<PatternExample> examples_in(const std::string& page) {
  std::vector<PatternExample> examples;
  std::istringstream lines(page);
  int number = 0;
  for (std::string line; std::getline(lines, line);) {
    ++number;
    if (!line.starts_with(kOpening)) continue;
    examples.push_back(headed(line, number));
    Block block(examples.back().job);
    for (++number; std::getline(lines, line) && line != kFence; ++number) block.take(line);
    block.end();
  }
  return examples;
}

}  // namespace hangstack::tests
