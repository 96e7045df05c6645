// Devices, errors and driver entry points of the runtime API. The prototypes are written here: those of the toolkit's
// own headers differ between CUDA 12 and 13 where its types do not.
#include <cuda.h>
#include <driver_types.h>

#include <cstdio>
#include <cstring>

#include "tests/lab/standin/cuda/standin.h"
#include "tests/lab/standin/cudart/divert.h"

namespace {

thread_local cudaError_t t_last = cudaSuccess;

cudaError_t done(CUresult result) {
  const auto error = static_cast<cudaError_t>(result);
  if (error != cudaSuccess && error != cudaErrorNotReady) t_last = error;
  return error;
}

int attribute(CUdevice_attribute wanted, int device) {
  int value = 0;
  cuDeviceGetAttribute(&value, wanted, device);
  return value;
}

}  // namespace

extern "C" {

cudaError_t cudaGetDeviceCount(int* count) {
  hangstack::standin::divert_nccl();
  return done(cuDeviceGetCount(count));
}

cudaError_t cudaGetDevice(int* device) {
  hangstack::standin::divert_nccl();
  return done(cuCtxGetDevice(device));
}

cudaError_t cudaSetDevice(int device) {
  hangstack::standin::divert_nccl();
  CUcontext context = nullptr;
  const CUresult result = cuDevicePrimaryCtxRetain(&context, device);
  return result == CUDA_SUCCESS ? done(cuCtxSetCurrent(context)) : done(result);
}

cudaError_t cudaGetDeviceProperties(cudaDeviceProp* properties, int device) {
  hangstack::standin::divert_nccl();
  std::memset(static_cast<void*>(properties), 0, sizeof *properties);
  cuDeviceGetName(properties->name, sizeof properties->name, device);
  properties->uuid.bytes[0] = static_cast<char>(device + 1);
  size_t free = 0;
  cuMemGetInfo(&free, &properties->totalGlobalMem);
  properties->sharedMemPerBlock = 48 << 10;
  properties->sharedMemPerBlockOptin = 227 << 10;
  properties->sharedMemPerMultiprocessor = 228 << 10;
  properties->regsPerBlock = 65536;
  properties->regsPerMultiprocessor = 65536;
  properties->warpSize = 32;
  properties->maxThreadsPerBlock = 1024;
  properties->maxThreadsPerMultiProcessor = 2048;
  properties->maxThreadsDim[0] = properties->maxThreadsDim[1] = 1024;
  properties->maxThreadsDim[2] = 64;
  properties->maxGridSize[0] = 0x7fffffff;
  properties->maxGridSize[1] = properties->maxGridSize[2] = 65535;
  properties->major = attribute(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, device);
  properties->minor = attribute(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, device);
  properties->multiProcessorCount = attribute(CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, device);
  properties->l2CacheSize = attribute(CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE, device);
  properties->pciBusID = attribute(CU_DEVICE_ATTRIBUTE_PCI_BUS_ID, device);
  properties->unifiedAddressing = 1;
  properties->concurrentKernels = 1;
  return cudaSuccess;
}

cudaError_t cudaGetDeviceProperties_v2(cudaDeviceProp* properties, int device) {
  return cudaGetDeviceProperties(properties, device);
}

cudaError_t cudaDeviceGetAttribute(int* value, int wanted, int device) {
  return done(cuDeviceGetAttribute(value, static_cast<CUdevice_attribute>(wanted), device));
}

cudaError_t cudaDeviceGetPCIBusId(char* text, int length, int device) {
  std::snprintf(text, static_cast<size_t>(length), "0000:%02x:00.0", attribute(CU_DEVICE_ATTRIBUTE_PCI_BUS_ID, device));
  return cudaSuccess;
}

cudaError_t cudaDeviceGetByPCIBusId(int* device, const char* text) {
  unsigned domain = 0;
  unsigned bus = 0;
  if (std::sscanf(text, "%x:%x", &domain, &bus) != 2 || bus == 0) return done(CUDA_ERROR_INVALID_VALUE);
  *device = static_cast<int>(bus) - 1;
  return cudaSuccess;
}

cudaError_t cudaDeviceCanAccessPeer(int* can, int, int) {
  *can = 0;
  return cudaSuccess;
}

cudaError_t cudaDeviceGetStreamPriorityRange(int* least, int* greatest) {
  return done(cuCtxGetStreamPriorityRange(least, greatest));
}

cudaError_t cudaDeviceSynchronize() { return done(cuCtxSynchronize()); }
cudaError_t cudaDriverGetVersion(int* version) { return done(cuDriverGetVersion(version)); }
cudaError_t cudaRuntimeGetVersion(int* version) { return done(cuDriverGetVersion(version)); }

cudaError_t cudaGetLastError() {
  const cudaError_t last = t_last;
  t_last = cudaSuccess;
  return last;
}

cudaError_t cudaPeekAtLastError() { return t_last; }

const char* cudaGetErrorString(cudaError_t error) {
  const char* text = nullptr;
  cuGetErrorString(static_cast<CUresult>(error), &text);
  return text;
}

const char* cudaGetErrorName(cudaError_t error) {
  const char* text = nullptr;
  cuGetErrorName(static_cast<CUresult>(error), &text);
  return text;
}

cudaError_t cudaGetDriverEntryPointByVersion(const char* name, void** function, unsigned version, unsigned long long,
                                             cudaDriverEntryPointQueryResult* result) {
  if (result) *result = cudaDriverEntryPointSuccess;
  return done(cuGetProcAddress(name, function, static_cast<int>(version), 0, nullptr));
}

cudaError_t cudaGetDriverEntryPoint(const char* name, void** function, unsigned long long flags,
                                    cudaDriverEntryPointQueryResult* result) {
  return cudaGetDriverEntryPointByVersion(name, function, CUDA_VERSION, flags, result);
}

/// Nothing here is ever captured into a graph.
cudaError_t cudaThreadExchangeStreamCaptureMode(int*) { return cudaSuccess; }
}
