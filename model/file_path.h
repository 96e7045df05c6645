#pragma once
// What the path of a file says about it.

#include <cstdint>
#include <string_view>

namespace hangstack::model {

/// What stands behind the last slash: "libtorch_cpu.so" of "/opt/torch/lib/libtorch_cpu.so". A view of `path`.
std::string_view base_name(std::string_view path);

/// The path of a Python source below the folder that its library lies in: "torch/nn/modules/module.py" below
/// site-packages or dist-packages, "queue.py" below lib/pythonX.Y, "importlib._bootstrap" of "<frozen ...>". Empty for
/// the user's own code. A view of `file`.
std::string_view library_path(std::string_view file);

/// glibc's libraries, its loader and the vDSO, by file name ("libc.so.6", "libc-2.31.so").
bool is_c_library(std::string_view path);

/// Those, and GCC's runtime for C++.
bool is_system_library(std::string_view path);

/// Whose code a Python frame is, by its file.
enum class Origin : std::uint8_t { user, package, standard_library, torch };

/// site-packages and dist-packages are `package`, except torch itself; lib/pythonX.Y and `<frozen ...>` are the
/// standard library; everything else is the user's, `<stdin>` and `<string>` too.
Origin origin_of(std::string_view python_file);

}  // namespace hangstack::model
