#include "sampler/stop/hold_alarm.h"

#include <sys/time.h>

namespace hangstack::sampler {
namespace {

void set_timer(std::chrono::microseconds left) {
  itimerval timer{};
  timer.it_value.tv_sec = left.count() / 1'000'000;
  timer.it_value.tv_usec = left.count() % 1'000'000;
  ::setitimer(ITIMER_REAL, &timer, nullptr);
}

}  // namespace

HoldAlarm::HoldAlarm(std::chrono::microseconds limit) { set_timer(limit); }

void HoldAlarm::restart(std::chrono::microseconds limit) { set_timer(limit); }

HoldAlarm::~HoldAlarm() { set_timer(std::chrono::microseconds(0)); }

}  // namespace hangstack::sampler
