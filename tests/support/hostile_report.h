#pragma once
// A report in which every text that can come from a target, a dump or the machine is the same.

#include <string>

#include "model/diagnosis.h"

namespace hangstack::tests {

/// A hung job of two ranks with threads, tree, records, alternatives and failures.
model::Report report_named(const std::string& text);

}  // namespace hangstack::tests
