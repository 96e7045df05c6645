#include "symbolizer/python/layout.h"

namespace hangstack::symbolizer {

std::optional<Layout> fixed_layout(int minor) {
  switch (minor) {
    case 8: return layout_3_8();
    case 9: return layout_3_9();
    case 10: return layout_3_10();
    case 11: return layout_3_11();
    case 12: return layout_3_12();
    default: return std::nullopt;
  }
}

}  // namespace hangstack::symbolizer
