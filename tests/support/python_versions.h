#pragma once
// The Python interpreters of this machine that live tests run.

#include <string>
#include <vector>

namespace hangstack::tests {

struct PythonProgram {
  std::string version;               ///< "3.11"
  std::vector<std::string> command;  ///< words that run it; a script and its arguments follow
  std::string executable;            ///< its file
  std::string library;               ///< its libpython; empty if it is one file
  std::string root;                  ///< the folder that is its root in a chroot; empty if it belongs to the system
  std::string missing;               ///< why it is not there and how to get it; empty if it is
};

/// CPython of a minor version: 3.8 to 3.13 from pyenv ($PYENV_ROOT, else ~/.pyenv), 3.14 and 3.15 from
/// scripts/python-versions, run by the loader that came with them.
PythonProgram find_python(const std::string& version);

/// /usr/bin/python3.11: Debian's build is one static file without symbols.
PythonProgram debian_python();

/// HANGSTACK_REQUIRE_ALL_PYTHONS=1: a version that is not there fails a test instead of skipping it.
bool require_all_pythons();

/// "3.8" ... "3.15".
const std::vector<std::string>& all_python_versions();

}  // namespace hangstack::tests
