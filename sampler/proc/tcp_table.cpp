#include "sampler/proc/tcp_table.h"

#include <arpa/inet.h>
#include <fmt/core.h>

#include <algorithm>
#include <cstring>
#include <optional>

#include "sampler/proc/fields.h"

namespace hangstack::sampler {
namespace {

constexpr std::size_t kMostTableBytes = 16UL << 20;
constexpr std::size_t kMostDescriptors = 65536;
constexpr std::size_t kWordDigits = 8;

/// "0100007F:6D7C": words of the address as the host's own integers, then the port.
std::optional<TcpAddress> address_from(std::string_view text, bool v6) {
  const std::size_t words = v6 ? 4 : 1;
  if (text.size() != words * kWordDigits + 5 || text[words * kWordDigits] != ':') return std::nullopt;
  TcpAddress address;
  address.v6 = v6;
  for (std::size_t i = 0; i < words; ++i) {
    const auto word = number_from<std::uint32_t>(text.substr(i * kWordDigits, kWordDigits), 16);
    if (!word) return std::nullopt;
    std::memcpy(address.bytes.data() + i * sizeof *word, &*word, sizeof *word);
  }
  const auto port = number_from<std::uint16_t>(text.substr(words * kWordDigits + 1), 16);
  if (!port) return std::nullopt;
  address.port = *port;
  return address;
}

std::optional<TcpSocket> socket_from(std::string_view line, bool v6) {
  Fields fields(line);
  (void)fields.word();  // its place in the table
  const auto local = address_from(fields.word(), v6);
  const auto remote = address_from(fields.word(), v6);
  const auto state = fields.number<int>(16);
  if (!local || !remote || !state) return std::nullopt;
  for (int skipped = 0; skipped < 5; ++skipped) (void)fields.word();  // queues, timer, retransmits, uid, timeout
  const auto inode = fields.number<std::uint64_t>();
  if (!inode) return std::nullopt;
  return TcpSocket{*local, *remote, *state, *inode};
}

}  // namespace

bool TcpAddress::any() const {
  return std::ranges::all_of(bytes, [](std::uint8_t byte) { return byte == 0; });
}

std::string TcpAddress::text() const {
  std::array<char, INET6_ADDRSTRLEN> buffer{};
  if (::inet_ntop(v6 ? AF_INET6 : AF_INET, bytes.data(), buffer.data(), buffer.size()) == nullptr) return {};
  return v6 ? fmt::format("[{}]:{}", buffer.data(), port) : fmt::format("{}:{}", buffer.data(), port);
}

std::vector<TcpSocket> parse_tcp_table(std::string_view text, bool v6) {
  std::vector<TcpSocket> sockets;
  Lines lines(text);
  while (const auto line = lines.next())
    if (const auto socket = socket_from(*line, v6)) sockets.push_back(*socket);
  return sockets;
}

std::vector<TcpSocket> read_tcp_tables(const ProcFiles& proc, std::int32_t pid) {
  std::vector<TcpSocket> sockets;
  for (const bool v6 : {false, true}) {
    const auto text = proc.read(fmt::format("{}/net/{}", pid, v6 ? "tcp6" : "tcp"), kMostTableBytes);
    if (!text) continue;
    const auto more = parse_tcp_table(*text, v6);
    sockets.insert(sockets.end(), more.begin(), more.end());
  }
  return sockets;
}

std::set<std::uint64_t> socket_inodes(const ProcFiles& proc, std::int32_t pid) {
  std::set<std::uint64_t> inodes;
  const std::string folder = fmt::format("{}/fd", pid);
  // Descriptor 0 is no number for list_numbers, and no socket of NCCL's.
  const auto descriptors = proc.list_numbers(folder);
  if (!descriptors) return inodes;
  for (const std::int32_t fd : *descriptors) {
    if (inodes.size() >= kMostDescriptors) break;
    const auto target = proc.read_link(fmt::format("{}/{}", folder, fd));
    if (!target || !target->starts_with("socket:[") || !target->ends_with(']')) continue;
    const std::string_view digits = std::string_view(*target).substr(8, target->size() - 9);
    if (const auto inode = number_from<std::uint64_t>(digits)) inodes.insert(*inode);
  }
  return inodes;
}

}  // namespace hangstack::sampler
