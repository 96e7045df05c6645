#pragma once
// A TCP connection that never waits beyond its deadline.

#include <chrono>
#include <cstddef>
#include <string>
#include <string_view>

#include "model/error.h"
#include "sampler/proc/tcp_table.h"

namespace hangstack::sampler {

class RasConnection {
 public:
  using Deadline = std::chrono::steady_clock::time_point;

  /// `timed_out`; `unavailable` if it was refused, or there is no socket to be had.
  static model::Expected<RasConnection> open(const TcpAddress& server, Deadline deadline);
  ~RasConnection();
  RasConnection(RasConnection&& other) noexcept;
  RasConnection& operator=(RasConnection&&) = delete;

  /// This end of it.
  [[nodiscard]] TcpAddress local() const;

  /// Sends all of `text`. `timed_out`, `unavailable`.
  model::Expected<void> send(std::string_view text, Deadline deadline);

  /// Appends what comes, until there is a newline in it. `timed_out`; `unavailable` if it is closed before.
  model::Expected<void> receive_line(std::string& text, Deadline deadline);

  /// Appends what comes, until the server closes. `timed_out`; `unavailable` if the connection breaks;
  /// `malformed_input` beyond `most` bytes.
  model::Expected<void> receive_all(std::string& text, std::size_t most, Deadline deadline);

 private:
  explicit RasConnection(int socket) : socket_(socket) {}
  [[nodiscard]] model::Expected<void> wait(short events, Deadline deadline) const;
  /// Whether something came; false if the server has closed.
  model::Expected<bool> receive(std::string& text, Deadline deadline);

  int socket_;
};

}  // namespace hangstack::sampler
