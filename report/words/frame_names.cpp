#include "report/words/frame_names.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>

#include "model/file_path.h"
#include "report/printable.h"

namespace hangstack::report {
namespace {

// A symbol that is longer is hostile or machine-made: what follows is not worth the time.
constexpr std::size_t kLongestName = 65536;

// CPython 3.8 to 3.14: the call machinery, the start of the interpreter and of its threads.
constexpr auto kInterpreterPrefixes = std::to_array<std::string_view>(
    {"_PyEval_",      "PyEval_Eval",       "_PyFunction_", "PyFunction_",       "_PyObject_",     "PyObject_",
     "PyVectorcall_", "_PyVectorcall",     "vectorcall_",  "method_vectorcall", "cfunction_",     "call_function",
     "do_call_core",  "object_vacall",     "slot_tp_",     "type_call",         "function_code_", "pyrun_",
     "run_mod",       "run_eval_code_obj", "PyRun_",       "_PyRun_",           "Py_RunMain",     "Py_BytesMain",
     "Py_Main",       "pymain_",           "thread_run",   "pythread_wrapper",  "partial_",       "method_call",
     "builtin_exec",  "context_run",       "wrapperdescr_"});

// How the C library (glibc 2.31 to 2.40), libstdc++ and pybind11 start a program, a thread, a bound call.
constexpr auto kStarts =
    std::to_array<std::string_view>({"_start", "__libc_start_main", "__libc_start_main_impl", "__libc_start_call_main",
                                     "start_thread", "clone", "clone3", "__clone3", "__clone", "thread_start",
                                     "execute_native_thread_routine", "pybind11::cpp_function::dispatcher"});

/// Without a symbol version, as in `pthread_cond_wait@@GLIBC_2.3.2`.
std::string_view unversioned(std::string_view name) { return name.substr(0, name.find('@')); }

bool starts_with_any(std::string_view name, std::span<const std::string_view> prefixes) {
  return std::any_of(prefixes.begin(), prefixes.end(), [&](auto p) { return name.starts_with(p); });
}

bool is_identifier_char(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '$' ||
         c == '~' || static_cast<unsigned char>(c) >= 0x80;
}

/// Length of "operator" and its sign at the start of `text`, 0 if it is none: their < > ( ) are no brackets.
std::size_t operator_length(std::string_view text) {
  constexpr std::string_view kWord = "operator";
  if (!text.starts_with(kWord)) return 0;
  std::size_t end = kWord.size();
  if (text.substr(end).starts_with("()") || text.substr(end).starts_with("[]")) return end + 2;
  while (end < text.size() && std::string_view("<>=!+-*/%^&|~,").find(text[end]) != std::string_view::npos) ++end;
  return end == kWord.size() ? 0 : end;
}

/// What a bracketed part becomes: lambdas keep a word, everything else goes.
std::string_view replacement_of(std::string_view bracketed) {
  return bracketed.starts_with("{lambda") ? "{lambda}" : std::string_view();
}

/// `text` without what stands in <>, (), {} and []; unbalanced brackets end the name.
std::string without_brackets(std::string_view text) {
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    const bool fresh = at == 0 || !is_identifier_char(text[at - 1]);
    if (const std::size_t length = fresh ? operator_length(text.substr(at)) : 0; length > 0) {
      out += text.substr(at, length);
      at += length;
      continue;
    }
    if (std::string_view("<({[").find(text[at]) == std::string_view::npos) {
      out += text[at++];
      continue;
    }
    std::size_t depth = 0;
    std::size_t end = at;
    for (; end < text.size(); ++end) {
      if (std::string_view("<({[").find(text[end]) != std::string_view::npos) ++depth;
      const bool arrow = text[end] == '>' && end > 0 && text[end - 1] == '-';
      if (!arrow && std::string_view(">)}]").find(text[end]) != std::string_view::npos && --depth == 0) break;
    }
    out += replacement_of(text.substr(at));
    at = end + 1;
  }
  return out;
}

/// Cuts the return type in front and `const`, `&` behind.
std::string_view bare_name(std::string_view name) {
  for (const std::string_view tail : {" const", " volatile", " &&", " &", " ()", " "}) {
    while (name.ends_with(tail)) name.remove_suffix(tail.size());
  }
  const std::size_t conversion = name.rfind("operator ");
  const std::size_t space = name.rfind(' ', conversion == std::string_view::npos ? conversion : conversion - 1);
  return conversion == 0 || space == std::string_view::npos ? name : name.substr(space + 1);
}

std::vector<std::string_view> components(std::string_view name, std::string_view separator) {
  std::vector<std::string_view> parts;
  for (std::size_t at = 0;;) {
    const std::size_t end = name.find(separator, at);
    if (const auto part = name.substr(at, end == std::string_view::npos ? end : end - at); !part.empty()) {
      parts.push_back(part);
    }
    if (end == std::string_view::npos) return parts;
    at = end + separator.size();
  }
}

/// The outermost ones of a stripped C library start the program or the thread.
bool is_nameless_in_libc(const model::Frame& frame) {
  return frame.kind == model::FrameKind::native && frame.function.empty() && model::is_system_library(frame.module);
}

std::string last_two(const std::vector<std::string_view>& parts, std::string_view separator) {
  if (parts.empty()) return {};
  std::string out;
  if (parts.size() > 1) out = std::string(parts[parts.size() - 2]) + std::string(separator);
  return out + std::string(parts.back());
}

}  // namespace

std::string short_function(std::string_view function) {
  const std::string plain = without_brackets(unversioned(function.substr(0, kLongestName)));
  const std::string name = last_two(components(bare_name(plain), "::"), "::");
  return name.empty() ? std::string(function) : name;
}

std::string short_python_name(std::string_view qualified) {
  std::vector<std::string_view> parts = components(qualified.substr(0, kLongestName), ".");
  std::erase(parts, std::string_view("<locals>"));
  const std::string name = last_two(parts, ".");
  return name.empty() ? std::string(qualified) : name;
}

std::string short_path(std::string_view path) {
  if (path.starts_with('/') && !model::library_path(path).empty()) return std::string(model::base_name(path));
  return last_two(components(path, "/"), "/");
}

bool is_machinery(const model::Frame& frame) {
  if (frame.kind != model::FrameKind::native && frame.kind != model::FrameKind::inlined) return false;
  const std::string_view name = unversioned(frame.function);
  if (std::find(kStarts.begin(), kStarts.end(), name.substr(0, name.find('('))) != kStarts.end()) return true;
  const std::string_view module = model::base_name(frame.module);
  const bool interpreter = module.starts_with("libpython") || module.starts_with("python");
  if (interpreter && (name.empty() || name == "main")) return true;
  // Stripped, the start of a std::thread has no name.
  if (name.empty() && module.starts_with("libstdc++")) return true;
  // A build that links Python into another program has another module name: the names alone are telling enough.
  return starts_with_any(name, kInterpreterPrefixes);
}

std::string frame_label(const model::Frame& frame) {
  switch (frame.kind) {
    case model::FrameKind::python: {
      std::string name = frame.function.empty() ? "??" : printable(short_python_name(frame.function));
      if (frame.file.empty()) return name;
      const std::string path = printable(short_path(frame.file));
      return frame.line > 0 ? fmt::format("{} {}:{}", name, path, frame.line) : fmt::format("{} {}", name, path);
    }
    case model::FrameKind::marker: return "[" + printable(frame.note.empty() ? frame.function : frame.note) + "]";
    case model::FrameKind::native:
    case model::FrameKind::inlined:
    case model::FrameKind::gpu: break;
  }
  if (!frame.function.empty()) {
    std::string name = printable(short_function(frame.function));
    if (frame.line == 0 || frame.file.empty() || model::is_system_library(frame.module)) return name;
    return fmt::format("{} {}:{}", name, printable(model::base_name(frame.file)), frame.line);
  }
  return frame.module.empty() ? "??" : printable(model::base_name(frame.module));
}

std::vector<ChainStep> chain_steps(std::span<const model::Frame> frames) {
  const bool only_machinery = std::all_of(frames.begin(), frames.end(), [](const model::Frame& frame) {
    return is_machinery(frame) || is_nameless_in_libc(frame);
  });
  std::vector<ChainStep> steps;
  std::vector<int> counts;
  for (const auto& frame : frames) {
    if (!only_machinery && (is_machinery(frame) || (steps.empty() && is_nameless_in_libc(frame)))) continue;
    ChainStep step{frame_label(frame), frame.kind == model::FrameKind::python};
    if (!steps.empty() && steps.back().label == step.label) {
      ++counts.back();
      continue;
    }
    steps.push_back(std::move(step));
    counts.push_back(1);
  }
  for (std::size_t i = 0; i < steps.size(); ++i) {
    if (counts[i] > 1) steps[i].label += fmt::format(" ×{}", counts[i]);
  }
  return steps;
}

std::vector<ChainStep> chain_steps(const model::Thread& thread) {
  return chain_steps(std::vector<model::Frame>(thread.frames.rbegin(), thread.frames.rend()));
}

}  // namespace hangstack::report
