#pragma once
// What `hangstack explain` prints.

#include <string>

#include "model/error.h"

namespace hangstack::cli {

/// The text on `topic`, of which `name` picks a part; both may be empty: then the topics, or the parts, are listed.
/// `usage` if there is no such thing, with the names that look most like it.
model::Expected<std::string> explain(const std::string& topic, const std::string& name);

}  // namespace hangstack::cli
