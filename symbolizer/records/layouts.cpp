#include <array>

#include "symbolizer/records/recorder_layout.h"

namespace hangstack::symbolizer {

std::span<const RecorderLayout* const> recorder_layouts() {
  static constexpr std::array<const RecorderLayout*, 2> kLayouts{&kRecorderTorch2_15, &kRecorderTorch2_8};
  return kLayouts;
}

}  // namespace hangstack::symbolizer
