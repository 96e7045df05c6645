#pragma once
// JSON (RFC 8259) as a document.

#include <string_view>

#include "ingest/document/document.h"

namespace hangstack::ingest {

/// The one value in `bytes`. `malformed_input` names the line at which it is no JSON, or the bound that was met.
/// Integers beyond 64 bits become real numbers.
model::Expected<Document> read_json(std::string_view bytes);

}  // namespace hangstack::ingest
