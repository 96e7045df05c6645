// Blocks in a callback of a shared library whose file was deleted after it was loaded. Arguments: the library, and a
// path to copy it to.
#include <dlfcn.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <filesystem>

namespace {

__attribute__((noinline)) void wait_in_callback() {
  std::puts("ready");
  std::fflush(stdout);
  char byte = 0;
  while (read(STDIN_FILENO, &byte, 1) > 0) {
  }
}

}  // namespace

int main(int argc, char** argv) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (argc != 3) return 2;
  std::filesystem::copy_file(argv[1], argv[2], std::filesystem::copy_options::overwrite_existing);
  void* library = dlopen(argv[2], RTLD_NOW);
  if (library == nullptr) return 1;
  unlink(argv[2]);
  auto* call_back = reinterpret_cast<void (*)(void (*)())>(dlsym(library, "library_call_back"));
  if (call_back == nullptr) return 1;
  call_back(&wait_in_callback);
  return 0;
}
