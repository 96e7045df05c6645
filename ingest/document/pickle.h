#pragma once
// Pickles as PyTorch's own C++ writer makes them (torch/csrc/jit/serialization/pickler.cpp, 2.4 to 2.15): protocol 2,
// data only. What could run code in Python (GLOBAL, REDUCE, BUILD, persistent ids...) is refused, as is every opcode
// that such files do not need.

#include <string_view>

#include "ingest/document/document.h"

namespace hangstack::ingest {

/// Whether bytes begin as a pickle of protocol 2 or later.
bool looks_like_pickle(std::string_view bytes);

/// The one object in `bytes`. `malformed_input` names the byte at which it is no such pickle, and why.
model::Expected<Document> read_pickle(std::string_view bytes);

}  // namespace hangstack::ingest
