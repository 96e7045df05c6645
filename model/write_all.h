#pragma once

#include <string_view>

namespace hangstack::model {

/// Writes all of `bytes` to a blocking descriptor, over interruptions; false if it takes no more (errno tells why).
bool write_all(int descriptor, std::string_view bytes);

}  // namespace hangstack::model
