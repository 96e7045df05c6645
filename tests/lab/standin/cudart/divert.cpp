#include "tests/lab/standin/cudart/divert.h"

#include <dlfcn.h>
#include <sys/mman.h>

#include <atomic>
#include <cctype>
#include <cstdint>
#include <cstdlib>
#include <mutex>
#include <string_view>

#include "tests/lab/standin/cuda/nccl_image.h"
#include "tests/lab/standin/cuda/standin.h"

namespace hangstack::standin {
namespace {

constexpr size_t kJump = 12;  // bytes

/// The public functions, and the two private ones that nvcc's code calls when it launches. Those that register code
/// have run before, when libnccl was loaded.
bool is_runtime_function(std::string_view name) {
  if (name == "__cudaLaunchKernel" || name == "__cudaGetKernel") return true;
  return name.starts_with("cuda") && name.size() > 4 && std::isupper(static_cast<unsigned char>(name[4])) != 0;
}

void divert_all(const NcclImage& image) {
  void* self = ::dlopen(HANGSTACK_LAB_CUDART, RTLD_LAZY | RTLD_NOLOAD);
  auto* text = reinterpret_cast<void*>(image.text_begin);
  const size_t size = image.text_end - image.text_begin;
  if (!self || ::mprotect(text, size, PROT_READ | PROT_WRITE | PROT_EXEC) != 0) std::abort();
  for (const ImageSymbol& symbol : image.symbols) {
    if (!symbol.function || symbol.size < kJump || !is_runtime_function(symbol.name)) continue;
    const void* served = ::dlsym(self, symbol.name.c_str());
    hangstack_lab_write_jump(reinterpret_cast<unsigned char*>(symbol.address),
                             served ? served : hangstack_lab_refusal(symbol.name.c_str()));
  }
  ::mprotect(text, size, PROT_READ | PROT_EXEC);
}

}  // namespace

void divert_nccl() {
  static std::atomic<bool> done = false;
  static std::mutex* const kMutex = new std::mutex;
  if (done) return;
  const std::lock_guard lock(*kMutex);
  const NcclImage* image = done ? nullptr : nccl_image();
  if (!image) return;
  divert_all(*image);
  done = true;
}

}  // namespace hangstack::standin
