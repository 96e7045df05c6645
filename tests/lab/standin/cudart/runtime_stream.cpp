// Streams, events, kernels and memory of the runtime API, in terms of the driver API.
#include <cuda.h>
#include <driver_types.h>
#include <vector_types.h>

#include <cstring>

#include "tests/lab/standin/cuda/standin.h"

namespace {

cudaError_t done(CUresult result) { return static_cast<cudaError_t>(result); }
CUdeviceptr address(const void* pointer) { return reinterpret_cast<CUdeviceptr>(pointer); }

}  // namespace

extern "C" {

cudaError_t cudaStreamCreateWithPriority(cudaStream_t* stream, unsigned flags, int priority) {
  return done(cuStreamCreateWithPriority(stream, flags, priority));
}
cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned flags) {
  return done(cuStreamCreateWithPriority(stream, flags, 0));
}
cudaError_t cudaStreamCreate(cudaStream_t* stream) { return done(cuStreamCreateWithPriority(stream, 0, 0)); }
cudaError_t cudaStreamDestroy(cudaStream_t stream) { return done(cuStreamDestroy(stream)); }
cudaError_t cudaStreamQuery(cudaStream_t stream) { return done(cuStreamQuery(stream)); }
cudaError_t cudaStreamSynchronize(cudaStream_t stream) { return done(cuStreamSynchronize(stream)); }
cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned flags) {
  return done(cuStreamWaitEvent(stream, event, flags));
}
cudaError_t cudaStreamGetPriority(cudaStream_t, int* priority) {
  *priority = 0;
  return cudaSuccess;
}
cudaError_t cudaStreamIsCapturing(cudaStream_t, cudaStreamCaptureStatus* status) {
  *status = cudaStreamCaptureStatusNone;
  return cudaSuccess;
}

/// What follows `status` differs between versions, and is only read when a capture runs.
cudaError_t cudaStreamGetCaptureInfo(cudaStream_t, cudaStreamCaptureStatus* status) {
  *status = cudaStreamCaptureStatusNone;
  return cudaSuccess;
}
cudaError_t cudaStreamGetCaptureInfo_v2(cudaStream_t stream, cudaStreamCaptureStatus* status) {
  return cudaStreamGetCaptureInfo(stream, status);
}
cudaError_t cudaStreamGetCaptureInfo_v3(cudaStream_t stream, cudaStreamCaptureStatus* status) {
  return cudaStreamGetCaptureInfo(stream, status);
}

cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned flags) { return done(cuEventCreate(event, flags)); }
cudaError_t cudaEventCreate(cudaEvent_t* event) { return done(cuEventCreate(event, 0)); }
cudaError_t cudaEventDestroy(cudaEvent_t event) { return done(cuEventDestroy(event)); }
cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) { return done(cuEventRecord(event, stream)); }
cudaError_t cudaEventRecordWithFlags(cudaEvent_t event, cudaStream_t stream, unsigned flags) {
  return done(cuEventRecordWithFlags(event, stream, flags));
}
cudaError_t cudaEventQuery(cudaEvent_t event) { return done(cuEventQuery(event)); }
cudaError_t cudaEventSynchronize(cudaEvent_t event) { return done(cuEventSynchronize(event)); }
cudaError_t cudaEventElapsedTime(float* milliseconds, cudaEvent_t start, cudaEvent_t end) {
  return done(cuEventElapsedTime(milliseconds, start, end));
}

cudaError_t cudaLaunchHostFunc(cudaStream_t stream, void (*function)(void*), void* data) {
  return done(cuLaunchHostFunc(stream, function, data));
}

/// The handle of a kernel is the address of its host stub, which has a name in libnccl's symbol table.
cudaError_t cudaGetFuncBySymbol(CUfunction* function, const void* stub) {
  *function = reinterpret_cast<CUfunction>(const_cast<void*>(stub));
  return cudaSuccess;
}
cudaError_t cudaLaunchKernel(const void* stub, dim3, dim3, void** parameters, size_t, cudaStream_t stream) {
  return done(cuLaunchKernel(reinterpret_cast<CUfunction>(const_cast<void*>(stub)), 1, 1, 1, 1, 1, 1, 0, stream,
                             parameters, nullptr));
}
cudaError_t __cudaLaunchKernel(const void* stub, dim3 grid, dim3 block, void** parameters, size_t shared,
                               cudaStream_t stream) {
  return cudaLaunchKernel(stub, grid, block, parameters, shared, stream);
}
cudaError_t cudaLaunchCooperativeKernel(const void* stub, dim3 grid, dim3 block, void** parameters, size_t shared,
                                        cudaStream_t stream) {
  return cudaLaunchKernel(stub, grid, block, parameters, shared, stream);
}
cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t* config, const void* stub, void** parameters) {
  return cudaLaunchKernel(stub, config->gridDim, config->blockDim, parameters, 0, config->stream);
}
cudaError_t __cudaGetKernel(void** kernel, const void* stub) {
  *kernel = const_cast<void*>(stub);
  return cudaSuccess;
}
cudaError_t cudaFuncGetAttributes(cudaFuncAttributes* attributes, const void*) {
  std::memset(static_cast<void*>(attributes), 0, sizeof *attributes);
  attributes->maxThreadsPerBlock = 1024;
  attributes->numRegs = 32;
  attributes->binaryVersion = attributes->ptxVersion = 90;
  return cudaSuccess;
}
cudaError_t cudaFuncSetAttribute(const void*, int, int) { return cudaSuccess; }
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, const void*, int, size_t) {
  *blocks = 2;
  return cudaSuccess;
}
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int* blocks, const void*, int, size_t, unsigned) {
  *blocks = 2;
  return cudaSuccess;
}

/// What nvcc's code calls around `<<<>>>` and to register what a library holds.
unsigned __cudaPushCallConfiguration(dim3, dim3, size_t, cudaStream_t) { return 0; }
cudaError_t __cudaPopCallConfiguration(dim3* grid, dim3* block, size_t* shared, cudaStream_t* stream) {
  *grid = *block = dim3{1, 1, 1};
  *shared = 0;
  *stream = nullptr;
  return cudaSuccess;
}
void** __cudaRegisterFatBinary(void*) {
  static void* handle = nullptr;
  return &handle;
}
void __cudaRegisterFatBinaryEnd(void**) {}
void __cudaUnregisterFatBinary(void**) {}
void __cudaRegisterFunction(void**, const char*, char*, const char*, int, uint3*, uint3*, dim3*, dim3*, int*) {}
void __cudaRegisterVar(void**, char*, char*, const char*, int, size_t, int, int) {}

cudaError_t cudaMalloc(void** memory, size_t size) {
  CUdeviceptr device = 0;
  const CUresult result = cuMemAlloc(&device, size);
  *memory = reinterpret_cast<void*>(device);
  return done(result);
}
cudaError_t cudaMallocAsync(void** memory, size_t size, cudaStream_t) { return cudaMalloc(memory, size); }
cudaError_t cudaFree(void* memory) { return done(cuMemFree(address(memory))); }
cudaError_t cudaFreeAsync(void* memory, cudaStream_t stream) {
  cuStreamSynchronize(stream);
  return cudaFree(memory);
}

/// All memory pools are one, and keep nothing.
cudaError_t cudaMemPoolCreate(void** pool, const void*) {
  static char only = 0;
  *pool = &only;
  return cudaSuccess;
}
cudaError_t cudaDeviceGetDefaultMemPool(void** pool, int) { return cudaMemPoolCreate(pool, nullptr); }
cudaError_t cudaDeviceGetMemPool(void** pool, int) { return cudaMemPoolCreate(pool, nullptr); }
cudaError_t cudaMemPoolDestroy(void*) { return cudaSuccess; }
cudaError_t cudaMemPoolSetAttribute(void*, int, void*) { return cudaSuccess; }
cudaError_t cudaMemPoolSetAccess(void*, const void*, size_t) { return cudaSuccess; }
cudaError_t cudaMemPoolTrimTo(void*, size_t) { return cudaSuccess; }
cudaError_t cudaMallocFromPoolAsync(void** memory, size_t size, void*, cudaStream_t) {
  return cudaMalloc(memory, size);
}

cudaError_t cudaHostAlloc(void** memory, size_t size, unsigned flags) {
  return done(cuMemHostAlloc(memory, size, flags));
}
cudaError_t cudaMallocHost(void** memory, size_t size) { return done(cuMemHostAlloc(memory, size, 0)); }
cudaError_t cudaFreeHost(void* memory) { return done(cuMemFreeHost(memory)); }
cudaError_t cudaHostRegister(void* memory, size_t size, unsigned flags) {
  return done(cuMemHostRegister(memory, size, flags));
}
cudaError_t cudaHostUnregister(void* memory) { return done(cuMemHostUnregister(memory)); }
cudaError_t cudaHostGetDevicePointer(void** device, void* host, unsigned) {
  *device = host;
  return cudaSuccess;
}
cudaError_t cudaMemGetInfo(size_t* free, size_t* total) { return done(cuMemGetInfo(free, total)); }
cudaError_t cudaMemcpyAsync(void* target, const void* source, size_t size, int, cudaStream_t stream) {
  return done(cuMemcpyAsync(address(target), address(source), size, stream));
}
cudaError_t cudaMemcpy(void* target, const void* source, size_t size, int) {
  cuStreamSynchronize(nullptr);
  return done(cuMemcpyAsync(address(target), address(source), size, nullptr));
}
cudaError_t cudaMemsetAsync(void* target, int value, size_t size, cudaStream_t stream) {
  return done(cuMemsetD8Async(address(target), static_cast<unsigned char>(value), size, stream));
}
cudaError_t cudaMemset(void* target, int value, size_t size) { return cudaMemsetAsync(target, value, size, nullptr); }

cudaError_t cudaPointerGetAttributes(cudaPointerAttributes* attributes, const void* pointer) {
  std::memset(static_cast<void*>(attributes), 0, sizeof *attributes);
  unsigned kind = 0;
  const CUresult found = cuPointerGetAttribute(&kind, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, address(pointer));
  attributes->hostPointer = const_cast<void*>(pointer);
  if (found != CUDA_SUCCESS) return cudaSuccess;  // plain host memory: cudaMemoryTypeUnregistered
  attributes->type = kind == CU_MEMORYTYPE_DEVICE ? cudaMemoryTypeDevice : cudaMemoryTypeHost;
  attributes->devicePointer = const_cast<void*>(pointer);
  if (kind == CU_MEMORYTYPE_DEVICE) attributes->hostPointer = nullptr;
  cuPointerGetAttribute(&attributes->device, CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL, address(pointer));
  return cudaSuccess;
}
}
