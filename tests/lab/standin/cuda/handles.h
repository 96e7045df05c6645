#pragma once

#include <cuda.h>

#include <cstdint>

#include "tests/lab/standin/cuda/device.h"

namespace hangstack::standin {

/// NULL, CU_STREAM_LEGACY and CU_STREAM_PER_THREAD are all the one default stream, which no other stream waits for.
inline Stream* stream_of(CUstream handle) {
  return reinterpret_cast<uintptr_t>(handle) <= 2 ? nullptr : reinterpret_cast<Stream*>(handle);
}

}  // namespace hangstack::standin
