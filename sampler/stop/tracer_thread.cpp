#include "sampler/stop/tracer_thread.h"

#include <sys/resource.h>

#include <system_error>
#include <thread>

namespace hangstack::sampler {

void run_as_tracer(const std::function<void()>& work) {
  std::thread tracer;
  try {
    tracer = std::thread([&work] {
      // Whoever holds others must not wait for a processor itself. Sets the nice value of this thread alone
      // (setpriority(2), BUGS); without the right to do so it stays as it is.
      ::setpriority(PRIO_PROCESS, 0, -20);
      work();
    });
  } catch (const std::system_error&) {
    work();  // no room for a thread: this process is the tracer, until it ends
    return;
  }
  tracer.join();
}

}  // namespace hangstack::sampler
