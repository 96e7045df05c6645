#pragma once
// Fields of a dump: the pickles hold numbers as numbers, the JSON some of them as text.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ingest/document/document.h"

namespace hangstack::ingest {

/// An integer, or a text that is one in decimal.
std::optional<std::int64_t> number_of(const std::optional<Value>& value);

/// The same, and not negative.
std::optional<std::uint64_t> count_of(const std::optional<Value>& value);

/// At most 4,096 bytes; none if it is longer or no text.
std::optional<std::string> name_of(const std::optional<Value>& value);

/// "[0, 1]", or a list of integers; none if it is neither, has more than `most`, or a negative one.
std::optional<std::vector<std::uint64_t>> ranks_of(const std::optional<Value>& value, std::size_t most);

}  // namespace hangstack::ingest
