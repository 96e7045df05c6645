// Memory of the driver API. It is host memory: copies are done when they are asked for.
#include <cuda.h>

#include <cstring>

#include "tests/lab/standin/cuda/device.h"
#include "tests/lab/standin/cuda/handles.h"
#include "tests/lab/standin/cuda/memory.h"

using hangstack::standin::MemoryKind;

namespace {

constexpr size_t kMemory = size_t{80} << 30;

int current_device() {
  CUdevice device = 0;
  cuCtxGetDevice(&device);
  return device;
}

void* pointer(CUdeviceptr address) { return reinterpret_cast<void*>(address); }

}  // namespace

extern "C" {

CUresult cuMemAlloc(CUdeviceptr* address, size_t size) {
  void* memory = hangstack::standin::allocate(size, MemoryKind::kDevice, current_device());
  if (!memory) return CUDA_ERROR_OUT_OF_MEMORY;
  *address = reinterpret_cast<CUdeviceptr>(memory);
  return CUDA_SUCCESS;
}

/// Waits for the device first, as the real one does: a free behind a stuck kernel never returns.
CUresult cuMemFree(CUdeviceptr address) {
  if (address == 0) return CUDA_SUCCESS;
  cuCtxSynchronize();
  return hangstack::standin::release(pointer(address)) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult cuMemHostAlloc(void** address, size_t size, unsigned) {
  *address = hangstack::standin::allocate(size, MemoryKind::kPinned, current_device());
  return *address ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
}

CUresult cuMemFreeHost(void* address) {
  if (!address) return CUDA_SUCCESS;
  return hangstack::standin::release(address) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult cuMemHostRegister(void* address, size_t size, unsigned) {
  hangstack::standin::register_pinned(address, size, current_device());
  return CUDA_SUCCESS;
}

CUresult cuMemHostUnregister(void* address) {
  return hangstack::standin::forget(address) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult cuMemHostGetDevicePointer(CUdeviceptr* device, void* host, unsigned) {
  *device = reinterpret_cast<CUdeviceptr>(host);
  return CUDA_SUCCESS;
}

CUresult cuMemGetInfo(size_t* free, size_t* total) {
  *free = kMemory;
  *total = kMemory;
  return CUDA_SUCCESS;
}

CUresult cuMemGetAddressRange(CUdeviceptr* base, size_t* size, CUdeviceptr address) {
  const auto allocation = hangstack::standin::allocation_at(pointer(address));
  if (!allocation) return CUDA_ERROR_NOT_FOUND;
  if (base) *base = allocation->base;
  if (size) *size = allocation->size;
  return CUDA_SUCCESS;
}

/// Only the kind of memory and its device are known.
CUresult cuPointerGetAttribute(void* data, CUpointer_attribute attribute, CUdeviceptr address) {
  const auto allocation = hangstack::standin::allocation_at(pointer(address));
  if (!allocation) return CUDA_ERROR_INVALID_VALUE;
  switch (attribute) {
    case CU_POINTER_ATTRIBUTE_MEMORY_TYPE:
      *static_cast<unsigned*>(data) =
          allocation->kind == MemoryKind::kDevice ? CU_MEMORYTYPE_DEVICE : CU_MEMORYTYPE_HOST;
      return CUDA_SUCCESS;
    case CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL: *static_cast<int*>(data) = allocation->device; return CUDA_SUCCESS;
    case CU_POINTER_ATTRIBUTE_DEVICE_POINTER:
    case CU_POINTER_ATTRIBUTE_HOST_POINTER: *static_cast<CUdeviceptr*>(data) = address; return CUDA_SUCCESS;
    default: return CUDA_ERROR_NOT_SUPPORTED;
  }
}

/// A copy from device to pageable memory waits for the stream first, as the real one does; every other one is done at
/// once and takes a place in the stream.
CUresult cuMemcpyAsync(CUdeviceptr target, CUdeviceptr source, size_t size, CUstream stream) {
  const auto from = hangstack::standin::allocation_at(pointer(source));
  if (from && from->kind == MemoryKind::kDevice && !hangstack::standin::allocation_at(pointer(target))) {
    cuStreamSynchronize(stream);
  }
  std::memmove(pointer(target), pointer(source), size);
  hangstack::standin::enqueue(hangstack::standin::stream_of(stream), nullptr);
  return CUDA_SUCCESS;
}

CUresult cuMemsetD8Async(CUdeviceptr target, unsigned char value, size_t size, CUstream stream) {
  std::memset(pointer(target), value, size);
  hangstack::standin::enqueue(hangstack::standin::stream_of(stream), nullptr);
  return CUDA_SUCCESS;
}
}
