#pragma once
// The version of an interpreter.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace hangstack::symbolizer {

struct PythonVersion {
  int major = 0;
  int minor = 0;
  int micro = -1;              ///< -1: not known
  char level = 'f';            ///< 'a' alpha, 'b' beta, 'c' release candidate, 'f' final
  int serial = 0;              ///< of a pre-release
  bool free_threaded = false;  ///< built with --disable-gil

  friend bool operator==(const PythonVersion&, const PythonVersion&) = default;
};

/// From PY_VERSION_HEX (CPython Include/patchlevel.h): major<<24 | minor<<16 | micro<<8 | level<<4 | serial, with the
/// levels 0xA, 0xB, 0xC and 0xF. None for a level or major version that does not exist.
std::optional<PythonVersion> version_from_hex(std::uint32_t hex);

/// From PY_VERSION, the whole text: "3.8.18", "3.13.0rc2", "3.12.1+".
std::optional<PythonVersion> version_from_text(std::string_view text);

/// From the name of an interpreter or its library: "python3.9", "libpython3.10.so.1.0". Micro stays unknown.
std::optional<PythonVersion> version_from_path(std::string_view path);

/// "3.12.1", "3.13.0rc2", "3.14.0t" for a free-threaded build, "3.9" if micro is not known.
std::string version_text(const PythonVersion& version);

}  // namespace hangstack::symbolizer
