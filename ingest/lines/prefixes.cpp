#include "ingest/lines/prefixes.h"

#include <algorithm>
#include <array>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "ingest/text.h"

namespace hangstack::ingest {
namespace {

constexpr std::size_t kMostRankDigits = 6;
constexpr std::size_t kLookedAt = 4096;  // lines that tell whether there are prefixes
constexpr int kMostNested = 3;

constexpr auto kKinds =
    std::to_array<PrefixKind>({PrefixKind::tag, PrefixKind::pod, PrefixKind::torch_rank, PrefixKind::role,
                               PrefixKind::ray, PrefixKind::bracket, PrefixKind::task});

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }

/// All of `text`, in decimal.
std::optional<int> rank_of(std::string_view text) {
  if (text.empty() || text.size() > kMostRankDigits || !std::ranges::all_of(text, is_digit)) return std::nullopt;
  int rank = 0;
  for (const char c : text) rank = rank * 10 + (c - '0');
  return rank;
}

/// What stands between a bracket at the line's first byte and its partner; empty if there is none.
std::string_view bracketed(std::string_view line, char open, char close) {
  constexpr std::size_t kMost = 512;
  if (!line.starts_with(open)) return {};
  const auto end = line.substr(0, kMost).find(close);
  return end == std::string_view::npos ? std::string_view() : line.substr(1, end - 1);
}

LinePrefix found(PrefixKind kind, std::optional<int> rank, std::string_view label, std::string_view line,
                 std::size_t length) {
  if (length < line.size() && line[length] == ' ') ++length;
  return {kind, rank, label, length};
}

std::optional<LinePrefix> task(std::string_view line) {
  const auto begin = line.find_first_not_of(' ');
  if (begin == std::string_view::npos || begin > kMostRankDigits) return std::nullopt;
  const auto colon = line.find(':', begin);
  if (colon == std::string_view::npos) return std::nullopt;
  const auto label = line.substr(begin, colon - begin);
  const auto rank = rank_of(label);
  if (!rank || (colon + 1 < line.size() && line[colon + 1] != ' ')) return std::nullopt;
  return found(PrefixKind::task, rank, label, line, colon + 1);
}

std::optional<LinePrefix> tag(std::string_view line) {
  const auto label = bracketed(line, '[', ']');
  const auto comma = label.rfind(',');
  if (comma == std::string_view::npos) return std::nullopt;
  const auto rank = rank_of(label.substr(comma + 1));
  const auto rest = line.substr(label.size() + 2);
  for (const std::string_view stream : {"<stdout>:", "<stderr>:", "<stddiag>:"})
    if (rank && rest.starts_with(stream))
      return found(PrefixKind::tag, rank, label.substr(comma + 1), line, label.size() + 2 + stream.size());
  return std::nullopt;
}

std::optional<LinePrefix> bracket(std::string_view line) {
  const auto label = bracketed(line, '[', ']');
  const auto rank = rank_of(label);
  const auto rest = line.substr(std::min(label.size() + 2, line.size()));
  if (!rank || (!rest.empty() && rest.front() != ' ')) return std::nullopt;
  return found(PrefixKind::bracket, rank, label, line, label.size() + 2);
}

std::optional<LinePrefix> pod(std::string_view line) {
  const auto label = bracketed(line, '[', ']');
  if (!label.starts_with("pod/")) return std::nullopt;
  return found(PrefixKind::pod, std::nullopt, label, line, label.size() + 2);
}

std::optional<LinePrefix> ray(std::string_view line) {
  const auto label = bracketed(line, '(', ')');
  const auto pid = label.find(" pid=");
  if (pid == std::string_view::npos || pid == 0 || pid + 5 >= label.size() || !is_digit(label[pid + 5]))
    return std::nullopt;
  if (line.size() > label.size() + 2 && line[label.size() + 2] != ' ') return std::nullopt;
  return found(PrefixKind::ray, std::nullopt, label, line, label.size() + 2);
}

/// "[default3]:" and "[rank3]:" are told apart by the word.
std::optional<LinePrefix> role(std::string_view line, PrefixKind kind) {
  const auto label = bracketed(line, '[', ']');
  const auto digits = std::ranges::find_if_not(label, is_letter) - label.begin();
  const auto word = label.substr(0, static_cast<std::size_t>(digits));
  const auto rank = rank_of(label.substr(word.size()));
  const std::size_t end = label.size() + 2;
  if (word.empty() || !rank || (word == "rank") != (kind == PrefixKind::torch_rank)) return std::nullopt;
  if (end >= line.size() || line[end] != ':') return std::nullopt;
  return found(kind, rank, label, line, end + 1);
}

bool is_blank(std::string_view line) { return line.find_first_not_of(" \t\r") == std::string_view::npos; }

/// Whether the lines have prefixes of that kind. Numbers that no two lines share are those of the lines.
bool is_used(std::string_view text, PrefixKind kind) {
  std::size_t lines = 0;
  std::size_t with = 0;
  std::unordered_set<std::string_view> labels;
  while (!text.empty() && lines < kLookedAt) {
    const auto line = take_line(text);
    if (is_blank(line)) continue;
    ++lines;
    const auto prefix = prefix_of(line, kind);
    if (!prefix) continue;
    ++with;
    labels.insert(prefix->label);
  }
  return with >= 2 && with * 10 >= lines * 8 && labels.size() * 2 <= with;
}

/// With `together`, what has the prefix and what has none is one stream.
std::vector<Stream> split_once(const Stream& whole, PrefixKind kind, bool together) {
  std::vector<Stream> streams;
  std::unordered_map<std::string, std::size_t> place;
  std::string_view rest = whole.text;
  for (std::size_t number = 1; !rest.empty(); ++number) {
    const auto line = take_line(rest);
    const auto prefix = prefix_of(line, kind);
    // A blank line is nobody's.
    if (!prefix && is_blank(line) && !together) continue;
    const std::string label(prefix && !together ? prefix->label : std::string_view());
    const auto [at, fresh] = place.try_emplace(label, streams.size());
    if (fresh) {
      Stream& stream = streams.emplace_back();
      stream.rank = whole.rank;
      stream.rank_of_node = whole.rank_of_node;
      stream.label = whole.label;
    }
    Stream& stream = streams[at->second];
    if (prefix && prefix->rank) {
      stream.rank = prefix->rank;
      stream.rank_of_node = kind == PrefixKind::role;
    }
    if (prefix && stream.lines.empty()) stream.label += (whole.label.empty() ? "" : " ") + std::string(prefix->label);
    stream.text += line.substr(prefix ? prefix->length : 0);
    stream.text += '\n';
    stream.lines.push_back(static_cast<std::uint32_t>(line_in_file(whole, number)));
  }
  return streams;
}

void split(Stream&& whole, int nested, std::vector<Stream>& into) {
  const auto* const kind = std::ranges::find_if(kKinds, [&](PrefixKind each) { return is_used(whole.text, each); });
  if (nested == kMostNested || kind == kKinds.end()) {
    into.push_back(std::move(whole));
    return;
  }
  std::vector<Stream> streams = split_once(whole, *kind, false);
  // PyTorch marks some of a rank's lines only: what stands between those of one rank is of the same.
  const auto unmarked = std::ranges::count(streams, whole.label, &Stream::label);
  if (*kind == PrefixKind::torch_rank && streams.size() == 2 && unmarked == 1) streams = split_once(whole, *kind, true);
  for (Stream& stream : streams) split(std::move(stream), nested + 1, into);
}

}  // namespace

std::optional<LinePrefix> prefix_of(std::string_view line, PrefixKind kind) {
  switch (kind) {
    case PrefixKind::task: return task(line);
    case PrefixKind::tag: return tag(line);
    case PrefixKind::bracket: return bracket(line);
    case PrefixKind::pod: return pod(line);
    case PrefixKind::ray: return ray(line);
    case PrefixKind::role:
    case PrefixKind::torch_rank: return role(line, kind);
  }
  return std::nullopt;
}

std::size_t line_in_file(const Stream& stream, std::size_t line) {
  return line == 0 || line > stream.lines.size() ? line : stream.lines[line - 1];
}

std::vector<Stream> split_by_prefix(std::string_view text) {
  Stream whole;
  whole.text = text;
  std::vector<Stream> streams;
  split(std::move(whole), 0, streams);
  return streams;
}

}  // namespace hangstack::ingest
