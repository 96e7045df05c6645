#include "sampler/stop/tracer_thread.h"

#include <system_error>
#include <thread>

namespace hangstack::sampler {

void run_as_tracer(const std::function<void()>& work) {
  std::thread tracer;
  try {
    tracer = std::thread(work);
  } catch (const std::system_error&) {
    work();  // no room for a thread: this process is the tracer, until it ends
    return;
  }
  tracer.join();
}

}  // namespace hangstack::sampler
