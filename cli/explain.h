#pragma once
// What `hangstack explain` prints.

#include <string>

#include "model/error.h"

namespace hangstack::cli {

/// The page on `topic`, a pattern or a topic; of "reproducer" `name` picks a script. Empty: a list of what there is.
/// `usage` if there is no such thing, with the names that look most like it.
model::Expected<std::string> explain(const std::string& topic, const std::string& name);

}  // namespace hangstack::cli
