// A shared library with one function that calls back.
extern "C" __attribute__((noinline)) int library_call_back(void (*function)()) {
  function();
  return 1;
}
