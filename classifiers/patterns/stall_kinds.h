#pragma once
// What a rank that holds its peers up is in, where the place has a documented name of its own.

#include <optional>
#include <string_view>

#include "classifiers/fold/facts.h"

namespace hangstack::classifiers {

struct StallKind {
  std::string_view pattern;  ///< "dataloader_stall"
  std::string_view says;     ///< what it is, to stand behind "it": "waits for its DataLoader"
  std::string_view check;    ///< what tells whether it is so; ends a sentence
  bool guess = false;        ///< the place has other explanations
};

/// By the process's blocking thread: library frames below the user's code, and exported native functions anywhere. None
/// if the place has no name of its own: it is a host_straggler then.
std::optional<StallKind> stall_kind_of(const ProcessFacts& process);

/// The same for any of the process's threads, of which the blocking one comes first.
std::optional<StallKind> stall_kind_of_any_thread(const ProcessFacts& process);

}  // namespace hangstack::classifiers
