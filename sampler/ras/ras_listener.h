#pragma once
// Where a job's RAS threads listen.

#include <cstdint>
#include <optional>
#include <set>
#include <span>
#include <string_view>
#include <vector>

#include "sampler/proc/proc_files.h"
#include "sampler/proc/tcp_table.h"

namespace hangstack::sampler {

inline constexpr std::uint16_t kRasPort =
    28028;  ///< NCCL_RAS_CLIENT_PORT (src/ras/ras_internal.h of NCCL 2.24 to 2.30)

/// The port in "host:port" or "[::1]:port", NCCL's own one for an empty text; nothing if there is none.
std::optional<std::uint16_t> ras_port(std::string_view address);

struct RasListener {
  TcpAddress address;
  std::int32_t pid = 0;
};

struct RasListeners {
  std::vector<RasListener> ours;  ///< at the port, held by one of the pids; by pid
  bool others = false;            ///< somebody else listens there
};

RasListeners find_ras_listeners(const ProcFiles& proc, std::span<const std::int32_t> pids, std::uint16_t port);

/// The pid of `pids` that holds the server's end of the connection from `client` to `server`, by the socket tables of
/// `listener`'s namespace; nothing if none of them does.
std::optional<std::int32_t> holder_of(const ProcFiles& proc, std::span<const std::int32_t> pids, std::int32_t listener,
                                      const TcpAddress& server, const TcpAddress& client);

/// A pid of `pids` with a thread that is stopped or traced; 0 if there is none.
std::int32_t stopped_among(const ProcFiles& proc, std::span<const std::int32_t> pids);

}  // namespace hangstack::sampler
