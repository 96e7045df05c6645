#pragma once
// Call frame rows as JSON, for native/facts_json.cpp alone.

#include <nlohmann/json_fwd.hpp>

#include "symbolizer/native/call_frame_row.h"

namespace hangstack::symbolizer {

nlohmann::json row_to_json(const CallFrameRow& row);

/// Throws nlohmann::json::exception or std::invalid_argument for anything else.
CallFrameRow row_from_json(const nlohmann::json& json);

}  // namespace hangstack::symbolizer
