#pragma once
// Captures as bytes for the stream from child to parent: one program writes and reads them, so they have no names, no
// version and this machine's byte order. What is kept on disk has model/capture_codec.h.

#include <string>
#include <string_view>

#include "model/capture.h"
#include "model/error.h"

namespace hangstack::sampler {

std::string bytes_of(const model::ThreadCapture& thread);
std::string bytes_of(const model::ProcessCapture& process);

/// `malformed_input` for bytes that are no capture, or more than one.
model::Expected<model::ThreadCapture> thread_from(std::string_view bytes);
model::Expected<model::ProcessCapture> process_from(std::string_view bytes);

}  // namespace hangstack::sampler
