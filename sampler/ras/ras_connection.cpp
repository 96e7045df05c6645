#include "sampler/ras/ras_connection.h"

#include <fmt/core.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <utility>

namespace hangstack::sampler {
namespace {

using model::ErrorCode;
using model::Expected;
using model::failure;

tl::unexpected<model::Error> broken(std::string_view what) {
  return failure(ErrorCode::unavailable, fmt::format("{}: {}", what, std::strerror(errno)));
}

/// Gives the used length.
socklen_t fill(const TcpAddress& address, sockaddr_storage& out) {
  if (address.v6) {
    sockaddr_in6 v6{};
    v6.sin6_family = AF_INET6;
    v6.sin6_port = htons(address.port);
    std::memcpy(&v6.sin6_addr, address.bytes.data(), sizeof v6.sin6_addr);
    std::memcpy(&out, &v6, sizeof v6);
    return sizeof v6;
  }
  sockaddr_in v4{};
  v4.sin_family = AF_INET;
  v4.sin_port = htons(address.port);
  std::memcpy(&v4.sin_addr, address.bytes.data(), sizeof v4.sin_addr);
  std::memcpy(&out, &v4, sizeof v4);
  return sizeof v4;
}

TcpAddress address_of(const sockaddr_storage& socket) {
  TcpAddress address;
  address.v6 = socket.ss_family == AF_INET6;
  if (address.v6) {
    sockaddr_in6 v6{};
    std::memcpy(&v6, &socket, sizeof v6);
    std::memcpy(address.bytes.data(), &v6.sin6_addr, sizeof v6.sin6_addr);
    address.port = ntohs(v6.sin6_port);
  } else {
    sockaddr_in v4{};
    std::memcpy(&v4, &socket, sizeof v4);
    std::memcpy(address.bytes.data(), &v4.sin_addr, sizeof v4.sin_addr);
    address.port = ntohs(v4.sin_port);
  }
  return address;
}

}  // namespace

Expected<RasConnection> RasConnection::open(const TcpAddress& server, Deadline deadline) {
  RasConnection connection(::socket(server.v6 ? AF_INET6 : AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  if (connection.socket_ < 0) return broken("no socket");
  sockaddr_storage place{};
  const socklen_t length = fill(server, place);
  if (::connect(connection.socket_, reinterpret_cast<const sockaddr*>(&place), length) != 0) {
    if (errno != EINPROGRESS) return broken("connect");
    if (const auto ready = connection.wait(POLLOUT, deadline); !ready) return tl::make_unexpected(ready.error());
    socklen_t size = sizeof errno;
    int error = 0;
    ::getsockopt(connection.socket_, SOL_SOCKET, SO_ERROR, &error, &size);
    errno = error;
    if (error != 0) return broken("connect");
  }
  return connection;
}

RasConnection::~RasConnection() {
  if (socket_ >= 0) ::close(socket_);
}

RasConnection::RasConnection(RasConnection&& other) noexcept : socket_(std::exchange(other.socket_, -1)) {}

TcpAddress RasConnection::local() const {
  sockaddr_storage place{};
  socklen_t length = sizeof place;
  ::getsockname(socket_, reinterpret_cast<sockaddr*>(&place), &length);
  return address_of(place);
}

Expected<void> RasConnection::wait(short events, Deadline deadline) const {
  for (;;) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - std::chrono::steady_clock::now());
    if (left.count() <= 0) return failure(ErrorCode::timed_out, "the deadline passed");
    pollfd one{socket_, events, 0};
    const int ready = ::poll(&one, 1, static_cast<int>(std::min<std::int64_t>(left.count(), 60'000)));
    if (ready > 0) return {};
    if (ready < 0 && errno != EINTR) return broken("poll");
  }
}

Expected<void> RasConnection::send(std::string_view text, Deadline deadline) {
  while (!text.empty()) {
    if (const auto ready = wait(POLLOUT, deadline); !ready) return ready;
    const ssize_t sent = ::send(socket_, text.data(), text.size(), MSG_NOSIGNAL);
    if (sent < 0 && errno != EAGAIN && errno != EINTR) return broken("send");
    if (sent > 0) text.remove_prefix(static_cast<std::size_t>(sent));
  }
  return {};
}

Expected<bool> RasConnection::receive(std::string& text, Deadline deadline) {
  std::array<char, 65536> buffer{};
  for (;;) {
    if (const auto ready = wait(POLLIN, deadline); !ready) return tl::make_unexpected(ready.error());
    const ssize_t got = ::recv(socket_, buffer.data(), buffer.size(), 0);
    if (got < 0 && errno != EAGAIN && errno != EINTR) return broken("receive");
    if (got < 0) continue;
    text.append(buffer.data(), static_cast<std::size_t>(got));
    return got > 0;
  }
}

Expected<void> RasConnection::receive_line(std::string& text, Deadline deadline) {
  constexpr std::size_t kMostLine = 4096;
  while (text.find('\n') == std::string::npos) {
    const auto more = receive(text, deadline);
    if (!more) return tl::make_unexpected(more.error());
    if (!*more) return failure(ErrorCode::unavailable, "the connection was closed");
    if (text.size() > kMostLine) return failure(ErrorCode::malformed_input, "its first line does not end");
  }
  return {};
}

Expected<void> RasConnection::receive_all(std::string& text, std::size_t most, Deadline deadline) {
  for (;;) {
    const auto more = receive(text, deadline);
    if (!more) return tl::make_unexpected(more.error());
    if (!*more) return {};
    if (text.size() > most)
      return failure(ErrorCode::malformed_input, fmt::format("it is longer than {} MiB", most >> 20));
  }
}

}  // namespace hangstack::sampler
