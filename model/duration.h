#pragma once
// Times as people say them.

#include <string>

namespace hangstack::model {

/// "4.2 s", "4 min 12 s", "3 h 2 min", "5 d 1 h"; "?" for what is no time (negative, not finite, beyond 30,000 years).
std::string duration(double seconds);

}  // namespace hangstack::model
