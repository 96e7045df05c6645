#pragma once
// /proc/PID/net/tcp and tcp6: the TCP sockets of a network namespace (proc_pid_net(5); net/ipv4/tcp_ipv4.c,
// net/ipv6/tcp_ipv6.c).

#include <array>
#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "sampler/proc/proc_files.h"

namespace hangstack::sampler {

struct TcpAddress {
  bool v6 = false;
  std::array<std::uint8_t, 16> bytes{};  ///< in network order; of IPv4 the first four
  std::uint16_t port = 0;

  [[nodiscard]] bool any() const;          ///< 0.0.0.0 or ::
  [[nodiscard]] std::string text() const;  ///< "127.0.0.1:28028", "[::1]:28028"
  friend bool operator==(const TcpAddress&, const TcpAddress&) = default;
};

inline constexpr int kTcpListen = 10;  ///< TCP_LISTEN (include/net/tcp_states.h)

struct TcpSocket {
  TcpAddress local;
  TcpAddress remote;
  int state = 0;
  std::uint64_t inode = 0;  ///< 0: no process holds it

  friend bool operator==(const TcpSocket&, const TcpSocket&) = default;
};

/// Lines that make no sense are left out.
std::vector<TcpSocket> parse_tcp_table(std::string_view text, bool v6);

/// Both tables of the namespace that `pid` is in; empty where they cannot be read.
std::vector<TcpSocket> read_tcp_tables(const ProcFiles& proc, std::int32_t pid);

/// Inodes of the sockets that the process holds, by /proc/PID/fd; empty if it may not be read.
std::set<std::uint64_t> socket_inodes(const ProcFiles& proc, std::int32_t pid);

}  // namespace hangstack::sampler
