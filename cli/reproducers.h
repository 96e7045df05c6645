#pragma once
// The scripts of the hang lab that hang by themselves. tests/lab/reproducers.py makes them of tests/lab/scenarios when
// hangstack is built.

#include <span>
#include <string_view>

namespace hangstack::cli {

struct Reproducer {
  std::string_view pattern;  ///< the documented name of what it shows
  std::string_view name;     ///< of the scenario
  std::string_view title;    ///< one line: which rank does what
  int ranks = 0;
  int gpus = 0;
  std::string_view text;  ///< a Python script, for torchrun
};

/// Ascending by pattern; of one pattern, the one that shows it best first.
std::span<const Reproducer> reproducers();

/// Patterns that only the lab can show, ascending: they need a GPU that fails, or a machine prepared for them.
std::span<const std::string_view> patterns_without_reproducer();

}  // namespace hangstack::cli
