#pragma once
// A capture as bytes on disk, for replay. (The child that reads a target has sampler/capture_bytes.h.)

#include <filesystem>
#include <string>
#include <string_view>

#include "model/capture.h"

namespace hangstack::model {

/// Everything but memory as JSON text ("hangstack-capture/1"); the memory of all segments back to back.
struct EncodedCapture {
  std::string json;
  std::string memory;
};

EncodedCapture encode_capture(const ProcessCapture& capture);

/// `malformed_input` for bytes that are no capture: they may come from anywhere.
Expected<ProcessCapture> decode_capture(std::string_view json, std::string_view memory);

/// Writes `folder`/capture.json and `folder`/memory.bin, readable by the owner only: they hold stack memory.
/// Creates the folder (0700). `unavailable` with the file's name if it cannot be written.
Expected<void> save_capture(const ProcessCapture& capture, const std::filesystem::path& folder);

/// Reads what `save_capture` wrote.
Expected<ProcessCapture> load_capture(const std::filesystem::path& folder);

}  // namespace hangstack::model
