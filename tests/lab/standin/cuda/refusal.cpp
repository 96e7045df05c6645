// Functions that are not served: each has code of its own, so that the log can say which one was called.
#include <sys/mman.h>

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>
#include <string>

#include "tests/lab/standin/cuda/control.h"
#include "tests/lab/standin/cuda/standin.h"

namespace {

constexpr int kNotSupported = 801;
constexpr size_t kThunk = 22;                 // bytes of code each
constexpr size_t kThunks = size_t{64} << 10;  // bytes for all

struct Thunks {
  std::mutex mutex;
  std::map<std::string, unsigned char*> by_name;
  unsigned char* next = nullptr;
  unsigned char* end = nullptr;
};

unsigned char* room_for_one(Thunks& thunks) {
  if (thunks.next == nullptr || thunks.end - thunks.next < static_cast<ptrdiff_t>(kThunk)) {
    void* page = ::mmap(nullptr, kThunks, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (page == MAP_FAILED) std::abort();
    thunks.next = static_cast<unsigned char*>(page);
    thunks.end = thunks.next + kThunks;
  }
  unsigned char* room = thunks.next;
  thunks.next += kThunk;
  return room;
}

void write_address(unsigned char* at, const void* value) {
  const auto address = reinterpret_cast<uintptr_t>(value);
  std::memcpy(at, &address, sizeof address);
}

}  // namespace

extern "C" {

int hangstack_lab_unsupported(const char* name) {
  hangstack::standin::log_line(std::string("unsupported ") + name);
  return kNotSupported;
}

const void* hangstack_lab_refusal(const char* name) {
  static auto* const kThunksOfProcess = new Thunks;
  Thunks& thunks = *kThunksOfProcess;
  const std::lock_guard lock(thunks.mutex);
  const auto [found, is_new] = thunks.by_name.try_emplace(name, nullptr);
  if (!is_new) return found->second;
  unsigned char* code = room_for_one(thunks);
  code[0] = 0x48, code[1] = 0xbf;  // mov rdi, name
  write_address(code + 2, found->first.c_str());
  hangstack_lab_write_jump(code + 10, reinterpret_cast<const void*>(&hangstack_lab_unsupported));
  return found->second = code;
}

void hangstack_lab_write_jump(unsigned char* code, const void* target) {
  code[0] = 0x48, code[1] = 0xb8;  // mov rax, target
  write_address(code + 2, target);
  code[10] = 0xff, code[11] = 0xe0;  // jmp rax
}
}
