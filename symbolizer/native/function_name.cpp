#include "symbolizer/native/function_name.h"

#include <cxxabi.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdlib>
#include <memory>

namespace hangstack::symbolizer {

namespace {

constexpr std::size_t kMaxMangledBytes = 16UL * 1024;
constexpr std::size_t kMaxDemangledBytes = 64UL * 1024;

bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// ".constprop.0" at the end of `name`: the suffix's length with its number, or 0.
std::size_t clone_suffix(std::string_view name) {
  constexpr auto kSuffixes = std::to_array<std::string_view>(
      {".constprop", ".isra", ".part", ".cold", ".lto_priv", ".localalias", ".llvm", ".cfi", ".warm"});
  std::size_t end = name.size();
  while (end > 0 && is_digit(name[end - 1])) --end;
  const bool numbered = end < name.size() && end > 0 && name[end - 1] == '.';
  const std::string_view stem = numbered ? name.substr(0, end - 1) : name;
  for (const std::string_view suffix : kSuffixes) {
    if (stem.size() > suffix.size() && stem.ends_with(suffix)) return name.size() - (stem.size() - suffix.size());
  }
  return 0;
}

std::string_view without_suffixes(std::string_view name) {
  if (const auto at = name.find('@'); at != std::string_view::npos && at > 0) name = name.substr(0, at);
  while (const std::size_t length = clone_suffix(name)) name.remove_suffix(length);
  return name;
}

std::string demangled(const std::string& name) {
  if (!name.starts_with("_Z") || name.size() > kMaxMangledBytes) return name;
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> text(abi::__cxa_demangle(name.c_str(), nullptr, nullptr, &status),
                                                         &std::free);
  if (status != 0 || !text) return name;
  std::string result(text.get());
  return result.size() > kMaxDemangledBytes ? name : result;
}

}  // namespace

std::string normal_form(std::string_view raw) {
  std::string_view name = without_suffixes(raw);
  if (name.starts_with("pnccl") && name.size() > 5 && std::isupper(static_cast<unsigned char>(name[5])) != 0) {
    name.remove_prefix(1);
  }
  return demangled(std::string(name));
}

}  // namespace hangstack::symbolizer
