#pragma once
// Names of native functions in one canonical form, so that rules can compare them.

#include <string>
#include <string_view>
#include <unordered_map>

namespace hangstack::classifiers {

/// The qualified name alone: no parameters, template arguments, return type, version or clone suffix; glibc's
/// aliases and NCCL's profiler twins under their public names. Examples: `__GI___poll` -> `poll`,
/// `pncclAllReduce` -> `ncclAllReduce`, `pthread_cond_clockwait@@GLIBC_2.30` -> `pthread_cond_timedwait`,
/// `bool c10d::Work::wait<long>(int)` -> `c10d::Work::wait`. Aliases: glibc 2.31 to 2.41 and NCCL 2.28.9 symbol tables.
std::string canonical_name(std::string_view function);

/// "c10d::Work::wait" -> "wait"; "Thread.join" -> "join"; a name without either separator is returned whole.
std::string_view last_component(std::string_view qualified);

/// Canonical names, each computed once: ranks of one job share nearly all of them. References stay valid for the
/// life of the table.
class NameTable {
 public:
  const std::string& canonical(const std::string& function);

 private:
  std::unordered_map<std::string, std::string> names_;
};

}  // namespace hangstack::classifiers
