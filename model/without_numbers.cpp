#include "model/without_numbers.h"

namespace hangstack::model {

std::string without_numbers(std::string_view text) {
  std::string shape;
  for (const char c : text) {
    const bool digit = c >= '0' && c <= '9';
    if (!digit) shape += c;
    if (digit && !shape.ends_with('#')) shape += '#';
  }
  return shape;
}

}  // namespace hangstack::model
