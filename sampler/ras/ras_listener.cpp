#include "sampler/ras/ras_listener.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>

#include "sampler/proc/fields.h"
#include "sampler/proc/stat.h"

namespace hangstack::sampler {

std::optional<std::uint16_t> ras_port(std::string_view address) {
  if (address.empty()) return kRasPort;
  const std::size_t colon = address.rfind(':');
  if (colon == std::string_view::npos) return std::nullopt;
  const auto port = number_from<std::uint16_t>(address.substr(colon + 1));
  return port && *port != 0 ? port : std::nullopt;
}

RasListeners find_ras_listeners(const ProcFiles& proc, std::span<const std::int32_t> pids, std::uint16_t port) {
  RasListeners found;
  for (const std::int32_t pid : pids) {
    std::vector<TcpSocket> listening = read_tcp_tables(proc, pid);
    std::erase_if(listening,
                  [&](const TcpSocket& socket) { return socket.state != kTcpListen || socket.local.port != port; });
    if (listening.empty()) continue;
    const std::set<std::uint64_t> held = socket_inodes(proc, pid);
    const auto own =
        std::ranges::find_if(listening, [&](const TcpSocket& socket) { return held.contains(socket.inode); });
    if (own == listening.end())
      found.others = true;
    else
      found.ours.push_back({own->local, pid});
  }
  return found;
}

std::optional<std::int32_t> holder_of(const ProcFiles& proc, std::span<const std::int32_t> pids, std::int32_t listener,
                                      const TcpAddress& server, const TcpAddress& client) {
  const auto sockets = read_tcp_tables(proc, listener);
  const auto accepted = std::ranges::find_if(
      sockets, [&](const TcpSocket& socket) { return socket.local == server && socket.remote == client; });
  if (accepted == sockets.end() || accepted->inode == 0) return std::nullopt;
  for (const std::int32_t pid : pids)
    if (socket_inodes(proc, pid).contains(accepted->inode)) return pid;
  return std::nullopt;
}

std::int32_t stopped_among(const ProcFiles& proc, std::span<const std::int32_t> pids) {
  std::array<char, 4096> buffer{};
  for (const std::int32_t pid : pids) {
    const auto tids = proc.list_numbers(fmt::format("{}/task", pid));
    if (!tids) continue;
    for (const std::int32_t tid : *tids) {
      const auto stat = proc.read_once(fmt::format("{}/task/{}/stat", pid, tid), buffer).and_then(parse_stat);
      if (stat && (stat->state == 'T' || stat->state == 't')) return pid;
    }
  }
  return 0;
}

}  // namespace hangstack::sampler
