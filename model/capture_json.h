#pragma once
// The JSON shape of captures, for model/capture_codec.cpp alone: strings that may hold any byte are kept as such
// (each byte a Latin-1 character), so that a round trip changes nothing.

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

#include "model/capture.h"

namespace hangstack::model {

/// Appends the bytes of every segment to `memory`.
nlohmann::json capture_to_json(const ProcessCapture& capture, std::string& memory);
nlohmann::json thread_to_json(const ThreadCapture& thread, std::string& memory);

/// Throw nlohmann::json::exception for a wrong shape, std::out_of_range for a segment outside `memory`.
ProcessCapture capture_from_json(const nlohmann::json& json, std::string_view memory);
ThreadCapture thread_from_json(const nlohmann::json& json, std::string_view memory);

}  // namespace hangstack::model
