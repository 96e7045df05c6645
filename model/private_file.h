#pragma once
// Files of a kept session: only their owner may read them, for they hold memory of the targets.

#include <filesystem>
#include <string>
#include <string_view>

#include "model/error.h"

namespace hangstack::model {

/// Writes `bytes` as a new file of mode 0600, in place of one that is there. `unavailable` with its name and the
/// reason.
Expected<void> write_private_file(const std::filesystem::path& path, std::string_view bytes);

/// The bytes of a kept file. `not_found` with its name and the reason.
Expected<std::string> read_kept_file(const std::filesystem::path& path);

}  // namespace hangstack::model
