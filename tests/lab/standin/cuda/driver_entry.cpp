// How callers find the driver API: cuGetProcAddress.
#include <cuda.h>
#include <dlfcn.h>

#include <string>

#include "tests/lab/standin/cuda/standin.h"

namespace {

/// The one version of `name` that this library exports.
void* exported(const std::string& name) {
  static void* const kSelf = ::dlopen("libcuda.so.1", RTLD_LAZY | RTLD_NOLOAD);
  for (const char* suffix : {"", "_v2", "_v3", "_v4"}) {
    if (void* found = kSelf ? ::dlsym(kSelf, (name + suffix).c_str()) : nullptr) return found;
  }
  return nullptr;
}

}  // namespace

extern "C" {

/// A name that is not served gets a function that says so when called: torch 2.15's table of driver functions insists
/// on every name being found.
CUresult cuGetProcAddress(const char* name, void** function, int, cuuint64_t, CUdriverProcAddressQueryResult* result) {
  *function = exported(name);
  if (!*function) *function = const_cast<void*>(hangstack_lab_refusal(name));
  if (result) *result = CU_GET_PROC_ADDRESS_SUCCESS;
  return CUDA_SUCCESS;
}
}
