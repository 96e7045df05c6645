#include "ingest/stacks/frame_line.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <string>

#include "ingest/stacks/stack_dump.h"
#include "ingest/text.h"
#include "model/file_path.h"

namespace hangstack::ingest {
namespace {

using model::Frame;
using model::FrameKind;

constexpr std::string_view kDigits = "0123456789";

/// Python's files, and what stands for one that is none: "<string>", "<frozen importlib._bootstrap>".
bool is_python_file(std::string_view file) {
  return file.ends_with(".py") || file.ends_with(".pyc") || (file.starts_with("<") && file.ends_with(">"));
}

bool is_source_of_c(std::string_view file) {
  constexpr auto kSuffixes = std::to_array<std::string_view>(
      {".c", ".cc", ".cpp", ".cxx", ".cu", ".cuh", ".h", ".hh", ".hpp", ".S", ".s", ".pyx", ".rs", ".inc"});
  return std::ranges::any_of(kSuffixes, [&](std::string_view suffix) { return file.ends_with(suffix); });
}

bool is_library(std::string_view file) {
  return file.ends_with(".so") || file.find(".so.") != std::string_view::npos || file.starts_with("[");
}

/// Names that only compiled code has, for frames that tell no file.
bool is_name_of_c(std::string_view name) {
  const auto then_capital = [&](std::string_view prefix) {
    return name.starts_with(prefix) && name.size() > prefix.size() && name[prefix.size()] >= 'A' &&
           name[prefix.size()] <= 'Z';
  };
  return name.find("::") != std::string_view::npos || name.starts_with("__") || name.starts_with("0x") ||
         name.starts_with("??") || then_capital("cuda") || then_capital("cu") || then_capital("nccl") ||
         name.starts_with("pthread_") || name.starts_with("sem_") || name.starts_with("clock_") ||
         name.starts_with("sched_") || name.starts_with("nvshmem_") || name.starts_with("_local_scalar_dense");
}

/// "train.py:22" to its two halves; the number is 0 if there is none.
std::pair<std::string_view, int> split_line_number(std::string_view place) {
  const auto colon = place.rfind(':');
  if (colon == std::string_view::npos || colon + 1 == place.size()) return {place, 0};
  int number = 0;
  const auto* const last = place.data() + place.size();
  const auto [end, code] = std::from_chars(place.data() + colon + 1, last, number);
  if (code != std::errc{} || end != last || number < 0) return {place, 0};
  return {place.substr(0, colon), number};
}

Frame native(std::string_view function, std::string_view place) {
  Frame frame;
  frame.kind = FrameKind::native;
  // "??", and a bare address, are no names; "?? (libcuda)" tells the library.
  if (function.starts_with("??")) {
    if (place.empty()) place = trimmed(function.substr(2), " ()");
  } else if (!function.starts_with("0x")) {
    frame.function = printable_name(function);
  }
  const auto [file, line] = split_line_number(place);
  if (is_source_of_c(file) || line > 0) {
    frame.file = printable_name(file);
    frame.line = line;
  } else {
    frame.module = printable_name(place);
  }
  return frame;
}

Frame python(std::string_view function, std::string_view file, int line) {
  Frame frame;
  frame.kind = FrameKind::python;
  frame.trust = model::FrameTrust::interpreter;
  frame.function = printable_name(function);
  frame.file = full_python_name(file);
  frame.line = line;
  // Users have files of that name too.
  constexpr auto kOfTorch = std::to_array<std::string_view>({"_next_data", "_get_data", "_try_get_data", "__next__"});
  if (file == "dataloader.py" && std::ranges::find(kOfTorch, function) != kOfTorch.end())
    frame.file = "torch/utils/data/dataloader.py";
  return frame;
}

/// "#12 " to what follows; none if the line does not begin so.
std::optional<std::string_view> behind_number(std::string_view line) {
  line = trimmed(line);
  if (!line.starts_with('#')) return std::nullopt;
  const auto end = line.find_first_not_of(kDigits, 1);
  if (end == 1 || end == std::string_view::npos) return std::nullopt;
  return trimmed(line.substr(end));
}

/// Takes "0x00007fc1" from the front of `text`.
std::uint64_t take_address(std::string_view& text) {
  std::uint64_t address = 0;
  if (!text.starts_with("0x")) return 0;
  const auto [end, code] = std::from_chars(text.data() + 2, text.data() + text.size(), address, 16);
  text = trimmed(text.substr(static_cast<std::size_t>(end - text.data())));
  return code == std::errc{} ? address : 0;
}

struct Call {
  std::string_view name;
  std::string_view behind;  ///< what follows the arguments
};

/// Where the arguments of gdb's "name (x=1, y=\")\") at a.cc:7" are. A parenthesis that belongs to the name,
/// "(anonymous namespace)::f" or "operator()", is followed by more of it.
Call split_arguments(std::string_view text) {
  constexpr int kMostTries = 32;
  int tries = 0;
  for (auto at = text.find(" ("); at != std::string_view::npos && tries < kMostTries; at = text.find(" (", at + 1)) {
    ++tries;
    int depth = 0;
    bool quoted = false;
    for (auto i = at + 1; i < text.size(); ++i) {
      if (text[i] == '"' && text[i - 1] != '\\') quoted = !quoted;
      if (quoted) continue;
      if (text[i] == '(') ++depth;
      if (text[i] != ')' || --depth > 0) continue;
      const auto behind = text.substr(i + 1);
      if (trimmed(behind).empty() || behind.starts_with(" at ") || behind.starts_with(" from "))
        return {text.substr(0, at), trimmed(behind)};
      break;
    }
  }
  return {text, {}};
}

}  // namespace

std::string full_python_name(std::string_view file) {
  struct Folder {
    std::string_view file;
    std::string_view folder;
  };
  // Names that hardly another project has, and that people quote without their folder.
  constexpr auto kFolders = std::to_array<Folder>({
      {"distributed_c10d.py", "torch/distributed/"},
      {"c10d_logger.py", "torch/distributed/"},
      {"_functional_collectives.py", "torch/distributed/"},
      {"file_baton.py", "torch/utils/"},
      {"cpp_extension.py", "torch/utils/"},
      {"pin_memory.py", "torch/utils/data/_utils/"},
      {"_fsdp_collectives.py", "torch/distributed/fsdp/_fully_shard/"},
      {"_flat_param.py", "torch/distributed/fsdp/"},
      {"_runtime_utils.py", "torch/distributed/fsdp/"},
      {"state_dict_saver.py", "torch/distributed/checkpoint/"},
      {"_async_thread_executor.py", "torch/distributed/checkpoint/"},
      {"eval_frame.py", "torch/_dynamo/"},
      {"convert_frame.py", "torch/_dynamo/"},
      {"compile_fx.py", "torch/_inductor/"},
      {"autograd/__init__.py", "torch/"},
      {"autograd/graph.py", "torch/"},
      {"popen_fork.py", "multiprocessing/"},
  });
  const auto* const found = std::ranges::find(kFolders, file, &Folder::file);
  return (found == kFolders.end() ? std::string() : std::string(found->folder)) + printable_name(file);
}

std::optional<Frame> py_spy_frame(std::string_view line) {
  if (!line.starts_with("    ") || line.size() < 6 || line[4] == ' ') return std::nullopt;
  line = trimmed(line);
  const auto open = line.rfind(" (");
  if (open == std::string_view::npos || !line.ends_with(')')) return std::nullopt;
  const auto function = trimmed(line.substr(0, open));
  auto place = line.substr(open + 2);
  place.remove_suffix(1);
  if (place == "?") place = {};
  const auto [file, number] = split_line_number(place);
  if (is_python_file(file)) return python(function, file, number);
  if (is_library(place) || is_source_of_c(file)) return native(function, place);
  if (place.empty() && !is_name_of_c(function)) return python(function, {}, 0);
  // The C++ library's headers have no suffix.
  if (is_name_of_c(function)) return native(function, place);
  if (number > 0) return python(function, file, number);
  // Neither a file nor a library, but somebody's words.
  Frame frame = python(function, {}, 0);
  frame.note = printable_name(place);
  return frame;
}

std::optional<Frame> gdb_frame(std::string_view line) {
  auto text = behind_number(line);
  if (!text) return std::nullopt;
  const std::uint64_t address = take_address(*text);
  if (text->starts_with("in ")) *text = trimmed(text->substr(3));
  if (text->starts_with("<signal handler called>")) return native("<signal handler called>", {});
  if (text->empty()) return std::nullopt;
  const Call call = split_arguments(*text);
  auto behind = call.behind;
  std::string_view library;
  if (const auto from = behind.find("from "); from != std::string_view::npos) {
    library = trimmed(behind.substr(from + 5));
    behind = trimmed(behind.substr(0, from));
  }
  Frame frame = native(call.name, library);
  if (behind.starts_with("at ")) {
    const auto [file, number] = split_line_number(trimmed(behind.substr(3)));
    frame.file = printable_name(file);
    frame.line = number;
  }
  frame.address = address;
  return frame;
}

std::optional<Frame> eu_stack_frame(std::string_view line) {
  auto text = behind_number(line);
  if (!text) return std::nullopt;
  const std::uint64_t address = take_address(*text);
  // "- 1" marks the address of a caller.
  if (text->starts_with("- 1 ") || *text == "- 1") *text = trimmed(text->substr(3));
  auto name = *text;
  std::string_view library;
  if (const auto dash = text->rfind("- /"); dash != std::string_view::npos) {
    name = trimmed(text->substr(0, dash));
    library = text->substr(dash + 2);
  }
  Frame frame = native(name.empty() ? "??" : name, library);
  frame.address = address;
  return frame;
}

std::optional<Frame> py_bt_frame(std::string_view line) {
  if (auto frame = file_frame(line)) return frame;
  const auto text = behind_number(line);
  if (!text || !text->starts_with("Frame 0x")) return std::nullopt;
  const auto file = between(*text, ", for file ", ", line ");
  const auto rest = text->substr(std::min(text->find(", line "), text->size()));
  const auto function = between(rest, ", in ", " (");
  if (file.empty() || function.empty()) return std::nullopt;
  const auto number = leading_number(rest.substr(7));
  return python(function, file, number > 0 && number <= 0x7fffffff ? static_cast<int>(number) : 0);
}

std::optional<Frame> file_frame(std::string_view line) {
  line = trimmed(line);
  bool compiled = false;
  for (const std::string_view kind : {"(Python) ", "(C) ", "(Native) "}) {
    if (!line.starts_with(kind)) continue;
    compiled = kind != "(Python) ";
    line = trimmed(line.substr(kind.size()));
  }
  if (!line.starts_with("File \"")) return std::nullopt;
  const auto quote = line.find('"', 6);
  if (quote == std::string_view::npos) return std::nullopt;
  const auto file = line.substr(6, quote - 6);
  auto rest = line.substr(quote + 1);
  if (!rest.starts_with(", line ")) return std::nullopt;
  rest.remove_prefix(7);
  int number = 0;
  const auto [end, code] = std::from_chars(rest.data(), rest.data() + rest.size(), number);
  if (code == std::errc{}) rest = rest.substr(static_cast<std::size_t>(end - rest.data()));
  if (rest.starts_with("???")) rest.remove_prefix(3);
  if (rest.starts_with(',')) rest.remove_prefix(1);
  if (!rest.starts_with(" in ")) return std::nullopt;
  auto function = trimmed(rest.substr(4));
  if (!compiled) return python(function, file, std::max(number, 0));
  std::string_view library;
  if (const auto open = function.rfind(" ("); open != std::string_view::npos && function.ends_with(')')) {
    library = function.substr(open + 2, function.size() - open - 3);
    function = trimmed(function.substr(0, open));
  }
  Frame frame = native(function, library);
  if (file != "???") frame.file = printable_name(file);
  frame.line = std::max(number, 0);
  return frame;
}

}  // namespace hangstack::ingest
