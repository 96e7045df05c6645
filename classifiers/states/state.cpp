#include "classifiers/states/state.h"

#include <fmt/format.h>

#include "classifiers/normalize/names.h"
#include "model/file_path.h"

namespace hangstack::classifiers {

std::string_view state_name(StateKind kind) {
  switch (kind) {
    case StateKind::collective: return "collective";
    case StateKind::p2p: return "p2p";
    case StateKind::setup: return "setup";
    case StateKind::store: return "store";
    case StateKind::teardown: return "teardown";
    case StateKind::device: return "device";
    case StateKind::gil: return "gil";
    case StateKind::lock: return "lock";
    case StateKind::condition: return "condition";
    case StateKind::queue: return "queue";
    case StateKind::join: return "join";
    case StateKind::backward: return "backward";
    case StateKind::event_loop: return "event_loop";
    case StateKind::dataloader: return "dataloader";
    case StateKind::subprocess: return "subprocess";
    case StateKind::sleep: return "sleep";
    case StateKind::io: return "io";
    case StateKind::import: return "import";
    case StateKind::compile: return "compile";
    case StateKind::exiting: return "exiting";
    case StateKind::running: return "running";
    case StateKind::system_call: return "system_call";
    case StateKind::stopped: return "stopped";
    case StateKind::traced: return "traced";
    case StateKind::uninterruptible: return "uninterruptible";
    case StateKind::dead: return "dead";
    case StateKind::unknown: return "unknown";
  }
  return "unknown";
}

std::string_view state_words(StateKind kind) {
  switch (kind) {
    case StateKind::collective: return "waits in a collective";
    case StateKind::p2p: return "waits for a peer's send or recv";
    case StateKind::setup: return "waits for peers in group setup";
    case StateKind::store: return "waits for a key of the c10d store";
    case StateKind::teardown: return "is in teardown";
    case StateKind::device: return "waits for the device";
    case StateKind::gil: return "waits for the GIL";
    case StateKind::lock: return "waits for a lock";
    case StateKind::condition: return "waits on a condition variable";
    case StateKind::queue: return "waits for a queue";
    case StateKind::join: return "waits for another thread";
    case StateKind::backward: return "waits for the autograd threads";
    case StateKind::event_loop: return "waits in an event loop";
    case StateKind::dataloader: return "waits for the dataloader";
    case StateKind::subprocess: return "waits for a child process";
    case StateKind::sleep: return "sleeps";
    case StateKind::io: return "waits for I/O";
    case StateKind::import: return "imports a module";
    case StateKind::compile: return "compiles";
    case StateKind::exiting: return "is shutting its interpreter down";
    case StateKind::running: return "runs";
    case StateKind::system_call: return "is in a system call";
    case StateKind::stopped: return "is stopped by a signal";
    case StateKind::traced: return "is held by a debugger";
    case StateKind::uninterruptible: return "is in an uninterruptible kernel wait";
    case StateKind::dead: return "has ended";
    case StateKind::unknown: return "has no stack that could be read";
  }
  return "";
}

std::string state_phrase(StateKind kind, std::string_view title) {
  if (title.empty() || state_words(kind).ends_with(title)) return std::string(state_words(kind));
  const bool is_the_lock = kind == StateKind::lock && title.starts_with("a ");
  return is_the_lock ? fmt::format("waits for {}", title) : fmt::format("{} in {}", state_words(kind), title);
}

std::string_view state_noun(StateKind kind) {
  switch (kind) {
    case StateKind::collective: return "a collective";
    case StateKind::p2p: return "send or recv";
    case StateKind::setup: return "group setup";
    case StateKind::store: return "a store wait";
    case StateKind::teardown: return "teardown";
    case StateKind::device: return "a device wait";
    case StateKind::gil: return "a GIL wait";
    case StateKind::lock: return "a lock wait";
    case StateKind::condition: return "a condition wait";
    case StateKind::queue: return "a queue wait";
    case StateKind::join: return "a thread join";
    case StateKind::backward: return "backward";
    case StateKind::event_loop: return "an event loop";
    case StateKind::dataloader: return "a dataloader wait";
    case StateKind::subprocess: return "a wait for a child";
    case StateKind::sleep: return "a sleep";
    case StateKind::io: return "I/O";
    case StateKind::import: return "an import";
    case StateKind::compile: return "a compile";
    case StateKind::exiting: return "exit";
    case StateKind::running: return "computation";
    case StateKind::system_call: return "a system call";
    case StateKind::stopped: return "a stop";
    case StateKind::traced: return "a debugger's hold";
    case StateKind::uninterruptible: return "D state";
    case StateKind::dead: return "death";
    case StateKind::unknown: return "an unknown place";
  }
  return "";
}

bool waits_for_peers(StateKind kind) {
  return kind == StateKind::collective || kind == StateKind::p2p || kind == StateKind::setup ||
         kind == StateKind::store;
}

bool waits_for_thread(StateKind kind) {
  return kind == StateKind::condition || kind == StateKind::queue || kind == StateKind::join ||
         kind == StateKind::backward || kind == StateKind::event_loop || kind == StateKind::lock;
}

std::string CallSite::text() const {
  if (line > 0) return fmt::format("{} {}:{}", function, model::base_name(file), line);
  if (!file.empty()) return fmt::format("{} {}", function, model::base_name(file));
  return function;
}

}  // namespace hangstack::classifiers
