#include "symbolizer/python/version.h"

#include <fmt/core.h>

#include <charconv>

namespace hangstack::symbolizer {
namespace {

/// Takes a decimal number of at most three digits off the front.
std::optional<int> take_number(std::string_view& text) {
  int value = 0;
  const std::string_view digits = text.substr(0, 3);
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (error != std::errc{} || value < 0) return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(end - digits.data()));
  return value;
}

bool take(std::string_view& text, std::string_view prefix) {
  if (!text.starts_with(prefix)) return false;
  text.remove_prefix(prefix.size());
  return true;
}

}  // namespace

std::optional<PythonVersion> version_from_hex(std::uint32_t hex) {
  PythonVersion version;
  version.major = static_cast<int>(hex >> 24U);
  version.minor = static_cast<int>((hex >> 16U) & 0xffU);
  version.micro = static_cast<int>((hex >> 8U) & 0xffU);
  version.serial = static_cast<int>(hex & 0xfU);
  switch ((hex >> 4U) & 0xfU) {
    case 0xA: version.level = 'a'; break;
    case 0xB: version.level = 'b'; break;
    case 0xC: version.level = 'c'; break;
    case 0xF: version.level = 'f'; break;
    default: return std::nullopt;
  }
  if (version.major != 3) return std::nullopt;
  return version;
}

std::optional<PythonVersion> version_from_text(std::string_view text) {
  PythonVersion version;
  const auto major = take_number(text);
  if (!major || !take(text, ".")) return std::nullopt;
  const auto minor = take_number(text);
  if (!minor || !take(text, ".")) return std::nullopt;
  const auto micro = take_number(text);
  if (!micro) return std::nullopt;
  version.major = *major;
  version.minor = *minor;
  version.micro = *micro;
  if (take(text, "rc")) {
    version.level = 'c';
  } else if (text.starts_with('a') || text.starts_with('b')) {
    version.level = text.front();
    text.remove_prefix(1);
  }
  if (version.level != 'f') {
    const auto serial = take_number(text);
    if (!serial) return std::nullopt;
    version.serial = *serial;
  }
  take(text, "+");
  if (!text.empty()) return std::nullopt;
  return version;
}

std::optional<PythonVersion> version_from_path(std::string_view path) {
  const std::size_t slash = path.rfind('/');
  std::string_view name = slash == std::string_view::npos ? path : path.substr(slash + 1);
  take(name, "lib");
  if (!take(name, "python")) return std::nullopt;
  PythonVersion version;
  const auto major = take_number(name);
  if (!major || !take(name, ".")) return std::nullopt;
  const auto minor = take_number(name);
  if (!minor) return std::nullopt;
  version.major = *major;
  version.minor = *minor;
  version.free_threaded = take(name, "t");
  return version;
}

std::string version_text(const PythonVersion& version) {
  std::string text = fmt::format("{}.{}", version.major, version.minor);
  if (version.micro >= 0) {
    text += fmt::format(".{}", version.micro);
    if (version.level == 'c') {
      text += fmt::format("rc{}", version.serial);
    } else if (version.level != 'f') {
      text += fmt::format("{}{}", version.level, version.serial);
    }
  }
  if (version.free_threaded) text += 't';
  return text;
}

}  // namespace hangstack::symbolizer
