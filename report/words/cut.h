#pragma once
// Text that is too long, cut. Every string given here is printable already (report/printable.h).

#include <cstddef>
#include <string>
#include <string_view>

namespace hangstack::report {

/// Bytes of the beginning of `text` that fit `width` columns.
std::size_t bytes_that_fit(std::string_view text, int width);

/// At most `width` columns; what is cut off is replaced by "…".
std::string cut_end(std::string_view text, int width);
/// The same, keeping the end: of a path, the file name matters.
std::string cut_start(std::string_view text, int width);
/// The same, keeping both ends.
std::string cut_middle(std::string_view text, int width);

}  // namespace hangstack::report
