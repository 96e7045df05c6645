#pragma once
// Texts that differ only in their numbers.

#include <string>
#include <string_view>

namespace hangstack::model {

/// `text` with one "#" for each number: "Thread-# (worker)". Threads of one pool, and failures of one kind, are alike.
std::string without_numbers(std::string_view text);

}  // namespace hangstack::model
