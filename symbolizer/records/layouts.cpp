#include <array>

#include "symbolizer/records/recorder_layout.h"

namespace hangstack::symbolizer {

std::span<const RecorderLayout* const> recorder_layouts() {
  static constexpr auto kLayouts =
      std::to_array<const RecorderLayout*>({&kRecorderTorch2_15, &kRecorderTorch2_8, &kRecorderTorch2_7,
                                            &kRecorderTorch2_6, &kRecorderTorch2_5, &kRecorderTorch2_4});
  return kLayouts;
}

}  // namespace hangstack::symbolizer
