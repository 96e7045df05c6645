// libnvidia-ml.so.1 as far as NCCL asks it: no NVLink, no confidential computing. Types as in NVIDIA's public nvml.h.
#include <cstdio>
#include <cstring>

#include "tests/lab/standin/cuda/standin.h"

namespace {

constexpr int kSuccess = 0;
constexpr int kInvalidArgument = 2;
constexpr int kNotSupported = 3;

struct PciInfo {
  char bus_id_legacy[16];
  unsigned domain;
  unsigned bus;
  unsigned device;
  unsigned device_id;
  unsigned subsystem_id;
  char bus_id[32];
};

using Device = char*;
char g_devices[64];  // their addresses are the handles

unsigned index_of(Device device) { return static_cast<unsigned>(device - g_devices); }

}  // namespace

extern "C" {

int nvmlInit() { return kSuccess; }
int nvmlInit_v2() { return kSuccess; }
int nvmlShutdown() { return kSuccess; }
const char* nvmlErrorString(int) { return "an error of the stand-in NVML"; }

int nvmlDeviceGetCount(unsigned* count) {
  *count = static_cast<unsigned>(hangstack_lab_device_count());
  return kSuccess;
}
int nvmlDeviceGetCount_v2(unsigned* count) { return nvmlDeviceGetCount(count); }

int nvmlDeviceGetHandleByIndex(unsigned index, Device* device) {
  if (index >= static_cast<unsigned>(hangstack_lab_device_count())) return kInvalidArgument;
  *device = g_devices + index;
  return kSuccess;
}
int nvmlDeviceGetHandleByIndex_v2(unsigned index, Device* device) { return nvmlDeviceGetHandleByIndex(index, device); }

int nvmlDeviceGetHandleByPciBusId(const char* text, Device* device) {
  unsigned domain = 0;
  unsigned bus = 0;
  if (std::sscanf(text, "%x:%x", &domain, &bus) != 2 || bus == 0) return kInvalidArgument;
  return nvmlDeviceGetHandleByIndex(bus - 1, device);
}
int nvmlDeviceGetHandleByPciBusId_v2(const char* text, Device* device) {
  return nvmlDeviceGetHandleByPciBusId(text, device);
}

int nvmlDeviceGetIndex(Device device, unsigned* index) {
  *index = index_of(device);
  return kSuccess;
}

int nvmlDeviceGetPciInfo_v3(Device device, PciInfo* info) {
  std::memset(info, 0, sizeof *info);
  info->bus = index_of(device) + 1;
  std::snprintf(info->bus_id_legacy, sizeof info->bus_id_legacy, "0000:%02X:00.0", info->bus);
  std::snprintf(info->bus_id, sizeof info->bus_id, "00000000:%02X:00.0", info->bus);
  return kSuccess;
}

int nvmlDeviceGetCudaComputeCapability(Device, int* major, int* minor) {
  *major = 9;
  *minor = 0;
  return kSuccess;
}

int nvmlDeviceGetP2PStatus(Device, Device, int, int* status) {
  *status = kNotSupported;
  return kSuccess;
}

int nvmlDeviceGetNvLinkState(Device, unsigned, int* active) {
  *active = 0;
  return kNotSupported;
}
}
