#include "tests/support/python_versions.h"

#include <cstdlib>
#include <filesystem>

namespace hangstack::tests {
namespace {

namespace fs = std::filesystem;

std::string environment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

PythonProgram pyenv_python(const std::string& version) {
  PythonProgram python;
  python.version = version;
  std::string root = environment("PYENV_ROOT");
  if (root.empty()) root = environment("HOME") + "/.pyenv";
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(root + "/versions", error)) {
    if (!entry.path().filename().string().starts_with(version + ".")) continue;
    const fs::path exe = entry.path() / "bin" / ("python" + version);
    if (!fs::exists(exe)) continue;
    python.executable = exe;
    python.command = {exe};
    const fs::path library = entry.path() / "lib" / ("libpython" + version + ".so.1.0");
    if (fs::exists(library)) python.library = library;
  }
  if (python.executable.empty()) {
    python.missing = "Python " + version + " is not in " + root + "; get it by: pyenv install " + version;
  }
  return python;
}

PythonProgram sid_python(const std::string& version) {
  PythonProgram python;
  python.version = version;
  std::string cache = environment("HANGSTACK_CACHE");
  if (cache.empty()) cache = environment("HOME") + "/.cache/hangstack";
  const std::string root = cache + "/python-sid";
  python.executable = root + "/usr/bin/python" + version;
  if (!fs::exists(python.executable)) {
    python.missing = "Python " + version + " is not in " + root + "; get it by: scripts/python-versions";
    return python;
  }
  python.root = root;
  python.command = {"env",
                    "PYTHONHOME=" + root + "/usr",
                    root + "/lib64/ld-linux-x86-64.so.2",
                    "--library-path",
                    root + "/usr/lib/x86_64-linux-gnu",
                    python.executable};
  return python;
}

}  // namespace

PythonProgram find_python(const std::string& version) {
  return version == "3.14" || version == "3.15" ? sid_python(version) : pyenv_python(version);
}

PythonProgram debian_python() {
  PythonProgram python;
  python.version = "3.11";
  python.executable = "/usr/bin/python3.11";
  python.command = {python.executable};
  if (!fs::exists(python.executable)) python.missing = "no /usr/bin/python3.11; get it by: apt-get install python3.11";
  return python;
}

bool require_all_pythons() { return environment("HANGSTACK_REQUIRE_ALL_PYTHONS") == "1"; }

const std::vector<std::string>& all_python_versions() {
  static const std::vector<std::string> versions{"3.8", "3.9", "3.10", "3.11", "3.12", "3.13", "3.14", "3.15"};
  return versions;
}

}  // namespace hangstack::tests
