#include "tests/lab/standin/cuda/control.h"

#include <fcntl.h>
#include <unistd.h>

#include <cstdlib>

namespace hangstack::standin {
namespace {

std::string setting(const char* name) {
  const char* value = std::getenv(name);
  return value ? value : "";
}

/// The number behind "WORD:", 0 when `text` is another word.
uint64_t number_after(const std::string& text, const std::string& word) {
  return text.starts_with(word + ":") ? std::strtoull(text.c_str() + word.size() + 1, nullptr, 10) : 0;
}

Control read_environment() {
  const std::string kernel = setting("HANGSTACK_LAB_KERNEL");
  Control control;
  control.stuck = number_after(kernel, "stuck");
  control.lost = number_after(kernel, "lost");
  control.slow_ms = number_after(kernel, "slow");
  control.spin = setting("HANGSTACK_LAB_WAIT") == "spin";
  control.ignore_abort = setting("HANGSTACK_LAB_ABORT") == "ignored";
  if (const std::string queue = setting("HANGSTACK_LAB_QUEUE"); !queue.empty()) {
    control.queue = std::strtoull(queue.c_str(), nullptr, 10);
  }
  control.table = setting("HANGSTACK_LAB_TABLE");
  control.log_folder = setting("HANGSTACK_LAB_LOG");
  return control;
}

int open_log() {
  const std::string& folder = control().log_folder;
  if (folder.empty()) return -1;
  const std::string path = folder + "/" + std::to_string(::getpid()) + ".log";
  return ::open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
}

}  // namespace

const Control& control() {
  static const Control* const kControl = new Control(read_environment());  // the device thread outlives exit()
  return *kControl;
}

void log_line(const std::string& line) {
  static const int kLog = open_log();
  if (kLog < 0) return;
  const std::string text = line + "\n";
  [[maybe_unused]] const ssize_t written = ::write(kLog, text.data(), text.size());
}

}  // namespace hangstack::standin
