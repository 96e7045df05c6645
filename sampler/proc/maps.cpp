#include "sampler/proc/maps.h"

#include <fmt/core.h>

#include "sampler/proc/fields.h"

namespace hangstack::sampler {
namespace {

using model::Mapping;

std::string path_from(std::string_view text, bool& deleted) {
  static constexpr std::string_view kDeleted = " (deleted)";
  deleted = text.starts_with('/') && text.ends_with(kDeleted) && text.size() > kDeleted.size();
  if (deleted) text.remove_suffix(kDeleted.size());
  static constexpr std::string_view kNewline = "\\012";
  std::string path;
  path.reserve(text.size());
  for (std::size_t at = text.find(kNewline); at != std::string_view::npos; at = text.find(kNewline)) {
    path += text.substr(0, at);
    path += '\n';
    text.remove_prefix(at + kNewline.size());
  }
  path += text;
  return path;
}

/// "7f00-8000 r-xp 00001000 fd:01 42      /usr/lib/x.so"
bool parse_line(std::string_view line, Mapping& mapping) {
  Fields fields(line);
  const std::string_view range = fields.word();
  const std::size_t dash = range.find('-');
  if (dash == std::string_view::npos) return false;
  const auto start = number_from<std::uint64_t>(range.substr(0, dash), 16);
  const auto end = number_from<std::uint64_t>(range.substr(dash + 1), 16);
  const std::string_view permissions = fields.word();
  const auto offset = fields.number<std::uint64_t>(16);
  const std::string_view device = fields.word();
  const auto inode = fields.number<std::uint64_t>();
  if (!start || !end || *start >= *end || permissions.size() != 4 || !offset || !inode) return false;
  if (device.find(':') == std::string_view::npos) return false;
  mapping.start = *start;
  mapping.end = *end;
  mapping.file_offset = *offset;
  mapping.inode = *inode;
  mapping.device = device;
  mapping.readable = permissions[0] == 'r';
  mapping.writable = permissions[1] == 'w';
  mapping.executable = permissions[2] == 'x';
  mapping.shared = permissions[3] == 's';
  fields.skip_blanks();
  mapping.path = path_from(fields.rest(), mapping.deleted);
  return true;
}

}  // namespace

model::Expected<std::vector<Mapping>> parse_maps(std::string_view text) {
  std::vector<Mapping> mappings;
  Lines lines(text);
  std::size_t number = 0;
  while (const auto line = lines.next()) {
    ++number;
    Mapping mapping;
    if (!parse_line(*line, mapping))
      return model::failure(model::ErrorCode::malformed_input, fmt::format("line {} of maps is not a mapping", number));
    const std::uint64_t seen_to = mappings.empty() ? 0 : mappings.back().end;
    if (mapping.end <= seen_to) continue;
    if (mapping.start < seen_to) {
      mapping.file_offset += mapping.path.starts_with('/') ? seen_to - mapping.start : 0;
      mapping.start = seen_to;
    }
    mappings.push_back(std::move(mapping));
  }
  if (!lines.rest().empty())
    return model::failure(model::ErrorCode::malformed_input, fmt::format("line {} of maps is cut short", number + 1));
  return mappings;
}

}  // namespace hangstack::sampler
