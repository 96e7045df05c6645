#include "cli/terminal.h"

#include <fmt/core.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string_view>

#include "report/printable.h"
#include "report/report.h"

namespace hangstack::cli {
namespace {

bool terminal_is_dumb() {
  const char* term = std::getenv("TERM");
  return term != nullptr && std::strcmp(term, "dumb") == 0;
}

bool color_wanted(Color color) {
  if (color != Color::automatic) return color == Color::always;
  const char* no_color = std::getenv("NO_COLOR");
  const bool refused = (no_color != nullptr && *no_color != '\0') || terminal_is_dumb();
  return !refused && ::isatty(STDOUT_FILENO) == 1;
}

/// A narrow terminal gets narrow lines; files and tickets always get the full width.
void fit_terminal(report::TextOptions& text) {
  winsize size{};
  if (::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0)
    text.width = std::min(text.width, static_cast<int>(size.ws_col));
}

std::string render(const model::Report& report, Format format, report::TextOptions text, bool color) {
  text.color = color;
  const report::StackOptions stacks{text.all_threads, text.full};
  switch (format) {
    case Format::text: break;
    case Format::json: return report::write_json(report);
    case Format::html: return report::write_html(report);
    case Format::folded: return report::write_folded(report, stacks);
    case Format::speedscope: return report::write_speedscope(report, stacks);
    case Format::dot: return report::write_dot(report);
  }
  return report::write_text(report, text);
}

bool write_file(const std::string& path, const std::string& bytes) {
  std::FILE* file = std::fopen(path.c_str(), "wbe");
  bool written = file != nullptr && std::fwrite(bytes.data(), 1, bytes.size(), file) == bytes.size();
  if (file != nullptr) written = (std::fclose(file) == 0) && written;
  if (!written) {
    print_error({model::ErrorCode::unavailable, fmt::format("cannot write {}: {}", path, std::strerror(errno)),
                 "name a file that you may write, on a disk with room"});
  }
  return written;
}

}  // namespace

void print(std::FILE* stream, std::string_view text) { std::fwrite(text.data(), 1, text.size(), stream); }

ProgressLine::ProgressLine(bool wanted) : active_(wanted && ::isatty(STDERR_FILENO) == 1 && !terminal_is_dumb()) {}

ProgressLine::~ProgressLine() { clear(); }

void ProgressLine::show(std::string_view text) {
  if (!active_) return;
  print(stderr, "\r\x1b[K{}", text);
  std::fflush(stderr);
  shown_ = true;
}

void ProgressLine::clear() {
  if (!shown_) return;
  print(stderr, std::string_view("\r\x1b[K"));
  std::fflush(stderr);
  shown_ = false;
}

void print_error(const model::Error& error) {
  print(stderr, "hangstack: {}\n", report::printable(error.message));
  if (!error.fix.empty()) print(stderr, "  {}\n", report::printable(error.fix));
}

namespace {

/// An ordinary file with something else than a report in it: a slip of the command line would lose it.
bool is_of_others(const std::filesystem::path& path) {
  std::error_code code;
  if (!std::filesystem::is_regular_file(path, code) || std::filesystem::file_size(path, code) == 0) return false;
  std::array<char, 256> begin{};
  std::ifstream file(path, std::ios::binary);
  file.read(begin.data(), begin.size());
  const std::string_view text(begin.data(), static_cast<std::size_t>(std::max<std::streamsize>(file.gcount(), 0)));
  // Folded stacks have no place for a word of ours: they are known by how they name processes.
  const std::string_view line = text.substr(0, text.find('\n'));
  const bool folded = (line.starts_with("rank ") || line.starts_with("process ")) && line.find(';') != line.npos;
  return !folded && !text.starts_with("hangstack ") && text.find("hangstack-report/") == std::string_view::npos;
}

}  // namespace

bool can_write_outputs(const Options& options) {
  return std::ranges::all_of(options.outputs, [](const OutputFile& output) {
    const std::filesystem::path path(output.path);
    const std::filesystem::path folder = path.has_parent_path() ? path.parent_path() : std::filesystem::path(".");
    const bool there = ::access(path.c_str(), F_OK) == 0;
    if (there && is_of_others(path)) {
      print_error({model::ErrorCode::usage, fmt::format("{} is there, and is no report of hangstack", output.path),
                   "name another file, or remove it first"});
      return false;
    }
    if (::access(there ? path.c_str() : folder.c_str(), W_OK) == 0 && !std::filesystem::is_directory(path)) return true;
    print_error(
        {model::ErrorCode::unavailable,
         fmt::format("cannot write {}: {}", output.path, there ? "it may not be written" : std::strerror(errno)),
         "name a file that you may write"});
    return false;
  });
}

bool write_outputs(const model::Report& report, const Options& options) {
  bool written = true;
  if (!options.quiet) {
    report::TextOptions text = options.text;
    fit_terminal(text);
    const std::string bytes = render(report, options.format, text, color_wanted(options.color));
    written = std::fwrite(bytes.data(), 1, bytes.size(), stdout) == bytes.size() && std::fflush(stdout) == 0;
    if (!written && errno != EPIPE) {
      print_error({model::ErrorCode::unavailable, fmt::format("cannot write to stdout: {}", std::strerror(errno)), ""});
    }
  }
  for (const OutputFile& file : options.outputs) {
    written = write_file(file.path, render(report, file.format, options.text, false)) && written;
  }
  return written;
}

}  // namespace hangstack::cli
