// A buffer of log lines, as an extension module has one. Its flusher hands the lines to Python under the mutex that
// adding a line takes, too: the flusher has the mutex and wants the GIL, the caller of add_line has the GIL and wants
// the mutex.

#include <future>
#include <mutex>
#include <thread>

namespace {
std::mutex lines;
}

extern "C" void add_line(void (*write_out)()) {
  std::promise<void> flushing;
  std::thread flusher([&] {
    const std::lock_guard<std::mutex> guard(lines);
    flushing.set_value();
    write_out();
  });
  flushing.get_future().wait();  // a race in the field; certain here
  const std::lock_guard<std::mutex> guard(lines);
  flusher.detach();
}
