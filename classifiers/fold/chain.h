#pragma once
// A stack in the form that ranks are compared by.

#include <string>
#include <vector>

#include "classifiers/normalize/frames.h"

namespace hangstack::classifiers {

struct Link {
  const model::Frame* frame = nullptr;
  std::string_view name;  ///< canonical

  /// Equal for the same place in the program on every rank: no addresses.
  [[nodiscard]] std::string key() const;
};

inline constexpr std::size_t kMostLinks = 512;  ///< deeper stacks keep their two ends

/// Outermost first; without thread starts, interpreter and binding frames, and wrapper frames of torch; of the wait
/// itself only the outermost named function. Points into the view's thread.
std::vector<Link> chain_of(const ThreadView& view);

}  // namespace hangstack::classifiers
