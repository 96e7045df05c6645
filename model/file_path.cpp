#include "model/file_path.h"

#include <algorithm>
#include <cctype>
#include <initializer_list>

namespace hangstack::model {
namespace {

bool begins_with_any(std::string_view name, std::initializer_list<std::string_view> prefixes) {
  return std::ranges::any_of(prefixes, [&](std::string_view prefix) { return name.starts_with(prefix); });
}

/// Files of Python's library, and of packages that wait for others, as tools show them that cut off the folder in
/// front.
bool is_cut_short(std::string_view file) {
  return begins_with_any(
      file, {"threading.py",    "queue.py",      "selectors.py", "socket.py", "ssl.py",     "subprocess.py",
             "socketserver.py", "contextlib.py", "functools.py", "runpy.py",  "shutil.py",  "multiprocessing/",
             "concurrent/",     "asyncio/",      "http/",        "urllib/",   "importlib/", "json/",
             "logging/",        "zmq/",          "urllib3/",     "requests/", "httpx/",     "httpcore/",
             "botocore/",       "filelock/",     "triton/",      "uvicorn/",  "wandb/",     "mlflow/",
             "huggingface_hub/"});
}

/// Position just after "/lib/pythonX.Y/", or npos.
std::size_t after_standard_library(std::string_view file) {
  for (std::size_t from = 0;;) {
    const auto at = file.find("/python", from);
    if (at == std::string_view::npos) return std::string_view::npos;
    auto end = at + 7;
    while (end < file.size() &&
           (std::isdigit(static_cast<unsigned char>(file[end])) != 0 || file[end] == '.' || file[end] == 't')) {
      ++end;
    }
    const auto before = file.substr(0, at);
    const bool below_lib = before.ends_with("/lib") || before.ends_with("/lib64");
    if (below_lib && end > at + 7 && end < file.size() && file[end] == '/') return end + 1;
    from = at + 7;
  }
}

}  // namespace

std::string_view base_name(std::string_view path) { return path.substr(path.find_last_of('/') + 1); }

std::string_view library_path(std::string_view file) {
  for (const std::string_view folder : {"/site-packages/", "/dist-packages/"}) {
    if (const auto at = file.rfind(folder); at != std::string_view::npos) return file.substr(at + folder.size());
  }
  if (const auto at = after_standard_library(file); at != std::string_view::npos) return file.substr(at);
  if (file.starts_with("<frozen ") && file.ends_with(">")) return file.substr(8, file.size() - 9);
  // Source checkouts, and paths that another tool has cut short.
  if (const auto at = file.rfind("/torch/distributed/"); at != std::string_view::npos) return file.substr(at + 1);
  if (file.starts_with("torch/") || is_cut_short(file)) return file;
  return {};
}

bool is_c_library(std::string_view path) {
  return begins_with_any(base_name(path), {"libc.so", "libc-2", "libm.so", "libm-2", "libpthread", "librt.so",
                                           "librt-2", "libdl.so", "libdl-2", "ld-linux", "ld-2", "[vdso]"});
}

bool is_system_library(std::string_view path) {
  return is_c_library(path) || begins_with_any(base_name(path), {"libstdc++.so", "libgcc_s"});
}

Origin origin_of(std::string_view file) {
  const auto path = library_path(file);
  // Code that inductor wrote stands between torch and torch.
  if (path.starts_with("torch/") || file.find("/torchinductor_") != std::string_view::npos) return Origin::torch;
  if (file.find("/site-packages/") != std::string_view::npos || file.find("/dist-packages/") != std::string_view::npos)
    return Origin::package;
  return path.empty() ? Origin::user : Origin::standard_library;
}

}  // namespace hangstack::model
