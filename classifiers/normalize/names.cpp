#include "classifiers/normalize/names.h"

#include <algorithm>
#include <array>
#include <utility>

namespace hangstack::classifiers {
namespace {

constexpr std::string_view kAnonymous = "(anonymous namespace)";

bool is_operator_symbol(char c) { return c == '<' || c == '(' || c == '>' || c == '-' || c == ' '; }

/// Parameters, template arguments and return type cut off a demangled name.
std::string qualified_part(std::string_view text) {
  std::string out;
  int angle = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (angle == 0 && text.substr(i).starts_with(kAnonymous)) {
      out += kAnonymous;
      i += kAnonymous.size() - 1;
    } else if (angle == 0 && out.ends_with("operator") && is_operator_symbol(c)) {
      out += "()";
      break;
    } else if (c == '<' && !out.empty()) {
      ++angle;
    } else if (c == '>' && angle > 0) {
      --angle;
    } else if (angle > 0) {
      continue;
    } else if (c == '(') {
      if (out.empty()) return std::string(text);
      break;
    } else if (c == ' ') {
      if (text.substr(i).starts_with(" [clone")) break;
      out.clear();  // what came before was the return type
    } else {
      out += c;
    }
  }
  // "foo<int>::{lambda(int)#1}::operator()": the function around the lambda is what a reader knows.
  if (const auto lambda = out.find("::{lambda"); lambda != std::string::npos && lambda > 0) out.resize(lambda);
  return out;
}

void cut_at(std::string& name, std::string_view mark) {
  if (const auto at = name.find(mark); at != std::string::npos && at > 0) name.resize(at);
}

using Alias = std::pair<std::string_view, std::string_view>;

/// Spelled without leading underscores.
constexpr auto kAliases = std::to_array<Alias>({
    {"pthread_cond_clockwait", "pthread_cond_timedwait"},
    {"pthread_cond_clockwait64", "pthread_cond_timedwait"},
    {"pthread_cond_timedwait64", "pthread_cond_timedwait"},
    {"clock_nanosleep_time64", "clock_nanosleep"},
    {"sem_clockwait64", "sem_timedwait"},
    {"futex_abstimed_wait_common64", "futex_wait"},
    {"futex_abstimed_wait_common", "futex_wait"},
    {"futex_abstimed_wait_cancelable64", "futex_wait"},
    {"futex_lock_pi64", "futex_wait"},
    {"do_futex_wait", "futex_wait"},
    {"new_sem_wait_slow64", "sem_wait"},
    {"new_sem_wait_slow", "sem_wait"},
    {"new_sem_wait", "sem_wait"},
    {"sem_clockwait", "sem_timedwait"},
    {"lll_lock_wait_private", "lll_lock_wait"},
    {"libc_read", "read"},
    {"libc_recv", "recv"},
    {"libc_accept", "accept"},
    {"libc_connect", "connect"},
    {"libc_poll", "poll"},
    {"pthread_clockjoin_ex", "pthread_join"},
    {"pthread_timedjoin_ex", "pthread_join"},
    {"pthread_timedjoin_np", "pthread_join"},
});

/// C library functions that lose leading underscores; elsewhere underscores belong to the name.
constexpr auto kCLibrary = std::to_array<std::string_view>({"poll",
                                                            "ppoll",
                                                            "select",
                                                            "pselect",
                                                            "read",
                                                            "recv",
                                                            "recvfrom",
                                                            "recvmsg",
                                                            "write",
                                                            "send",
                                                            "accept",
                                                            "accept4",
                                                            "connect",
                                                            "nanosleep",
                                                            "clock_nanosleep",
                                                            "usleep",
                                                            "sleep",
                                                            "wait4",
                                                            "waitpid",
                                                            "waitid",
                                                            "pthread_mutex_lock",
                                                            "pthread_rwlock_wrlock",
                                                            "pthread_rwlock_rdlock",
                                                            "pthread_cond_wait",
                                                            "pthread_cond_timedwait",
                                                            "pthread_join",
                                                            "sched_yield",
                                                            "clock_gettime",
                                                            "lll_lock_wait",
                                                            "epoll_wait"});

std::string public_c_name(std::string name) {
  std::string_view bare = name;
  bare.remove_prefix(std::min(bare.find_first_not_of('_'), bare.size()));
  if (bare.size() < name.size() && bare.starts_with("GI_")) {
    bare.remove_prefix(3);
    bare.remove_prefix(std::min(bare.find_first_not_of('_'), bare.size()));
  }
  for (const auto& [alias, canonical] : kAliases) {
    if (bare == alias) return std::string(canonical);
  }
  if (std::find(kCLibrary.begin(), kCLibrary.end(), bare) != kCLibrary.end()) return std::string(bare);
  return name;
}

}  // namespace

std::string canonical_name(std::string_view function) {
  if (function.empty()) return {};
  std::string name = qualified_part(function);
  cut_at(name, "@");
  for (const auto* suffix : {".constprop", ".isra", ".part", ".cold", ".llvm", ".lto_priv"}) cut_at(name, suffix);
  if (name.empty()) return std::string(function);
  if (name.find("::") != std::string::npos) return name;
  if (name.starts_with("pnccl") && name.size() > 5) name.erase(0, 1);
  if (name.starts_with("PMPI_")) name.erase(0, 1);
  return public_c_name(std::move(name));
}

std::string_view last_component(std::string_view qualified) {
  const auto at = qualified.find_last_of(":.");
  return at == std::string_view::npos ? qualified : qualified.substr(at + 1);
}

const std::string& NameTable::canonical(const std::string& function) {
  const auto [at, fresh] = names_.try_emplace(function);
  if (fresh) at->second = canonical_name(function);
  return at->second;
}

}  // namespace hangstack::classifiers
