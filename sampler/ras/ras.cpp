#include "sampler/ras/ras.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <optional>
#include <string_view>

#include "model/write_all.h"
#include "sampler/child_process.h"
#include "sampler/proc/fields.h"
#include "sampler/ras/ras_connection.h"
#include "sampler/ras/ras_listener.h"

namespace hangstack::sampler {
namespace {

using model::ErrorCode;
using model::RasReply;
using model::RecordStatus;
using Clock = std::chrono::steady_clock;

constexpr std::size_t kMostReplyBytes = 32UL << 20;
/// RAS gives up on processes that do not answer after this time, or after its own 5 s for a connection that fails
/// (src/ras/collectives.cc).
constexpr int kRasTimeout_s = 2;
/// Connections until one is accepted by a process that was asked for.
constexpr int kMostConnections = 32;
constexpr int kMostResets = 3;
constexpr auto kPatience = std::chrono::milliseconds(500);
constexpr auto kOwnPort = "give each job on a node a port of its own: NCCL_RAS_ADDR=localhost:PORT";

/// A copy of `told` that ends so.
RasReply with(const RasReply& told, RecordStatus status, std::string reason, std::string fix = {}) {
  RasReply reply = told;
  reply.status = status;
  reply.reason = std::move(reason);
  reply.fix = std::move(fix);
  return reply;
}

/// `error` of a conversation with the server.
RasReply failed(const RasReply& reply, const model::Error& error, std::string_view doing) {
  const bool late = error.code == ErrorCode::timed_out;
  if (late) {
    return with(reply, RecordStatus::timed_out,
                fmt::format("RAS at {} did not answer in time ({})", reply.address, doing),
                "ask again: processes that do not answer are left out once RAS has noticed");
  }
  return with(reply, RecordStatus::failed, fmt::format("RAS at {}: {}: {}", reply.address, doing, error.message),
              "ask by hand: ncclras, or nc with the lines of docs/ras.md");
}

/// Into the network namespace of `pid`, if it is another one.
std::optional<std::string> enter_network_of(const ProcFiles& proc, std::int32_t pid) {
  const std::string path = fmt::format("{}/ns/net", pid);
  const auto own = proc.read_link("self/ns/net");
  const auto other = proc.read_link(path);
  if (!other) return other.error().message;
  if (own && *own == *other) return std::nullopt;
  const int file = ::open(proc.absolute(path).c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return fmt::format("{}: {}", path, std::strerror(errno));
  const int entered = ::setns(file, CLONE_NEWNET);
  const int error = errno;
  ::close(file);
  if (entered != 0) return fmt::format("setns: {}", std::strerror(error));
  return std::nullopt;
}

TcpAddress reachable(TcpAddress address) {
  if (!address.any()) return address;
  if (address.v6)
    address.bytes.back() = 1;
  else
    address.bytes = {127, 0, 0, 1};
  return address;
}

/// The listener of the job, or the reason why it is not asked.
struct Found {
  RasReply reply;
  std::optional<RasListener> listener;
};

Found find(const ProcFiles& proc, const RasQuestion& question) {
  RasReply reply;
  reply.pids = question.pids;
  const auto port = ras_port(question.address);
  reply.address = question.address.empty() ? fmt::format("localhost:{}", kRasPort) : question.address;
  if (question.enable == "0") {
    return {with(reply, RecordStatus::absent, "the job switches RAS off (NCCL_RAS_ENABLE=0)",
                 "start it without that variable"),
            {}};
  }
  if (!port) {
    return {with(reply, RecordStatus::absent,
                 fmt::format("NCCL_RAS_ADDR={} has no port, so NCCL does not listen", reply.address),
                 "set it to HOST:PORT"),
            {}};
  }
  const RasListeners listeners = find_ras_listeners(proc, question.pids, *port);
  if (listeners.ours.empty()) {
    return {with(reply, RecordStatus::absent,
                 fmt::format("no process of the job listens at port {}: {}", *port,
                             listeners.others ? "another one of this host does"
                                              : "NCCL is older than 2.24, or no communicator is complete"),
                 listeners.others ? kOwnPort : ""),
            {}};
  }
  reply.address = reachable(listeners.ours.front().address).text();
  if (const std::int32_t stopped = stopped_among(proc, question.pids); stopped != 0) {
    return {with(reply, RecordStatus::refused,
                 fmt::format("pid {} is stopped: RAS would wait for it, so it was not asked", stopped),
                 "let the process go on, then sample again"),
            {}};
  }
  return {std::move(reply), listeners.ours.front()};
}

/// One connection, of which it is known who accepted it. `holder` is none if it was nobody of the job.
struct Accepted {
  RasConnection connection;
  std::string text;
  std::optional<std::int32_t> holder;
};

model::Expected<Accepted> connect_once(const ProcFiles& proc, const RasQuestion& question, const RasListener& listener,
                                       Clock::time_point deadline) {
  const TcpAddress server = reachable(listener.address);
  auto connection = RasConnection::open(server, deadline);
  if (!connection) return tl::make_unexpected(connection.error());
  std::string text;
  auto done = connection->send("CLIENT PROTOCOL 2\n", deadline);
  // Once it has answered, it has accepted: only then has the socket an owner.
  if (done) done = connection->receive_line(text, deadline);
  if (!done) return tl::make_unexpected(done.error());
  const auto holder = holder_of(proc, question.pids, listener.pid, server, connection->local());
  return Accepted{std::move(*connection), std::move(text), holder};
}

RasReply converse(const ProcFiles& proc, const RasQuestion& question) {
  const Clock::time_point deadline = Clock::now() + question.deadline;
  Found found = find(proc, question);
  if (!found.listener) return found.reply;
  RasReply reply = std::move(found.reply);
  if (const auto refused = enter_network_of(proc, found.listener->pid)) {
    return with(reply, RecordStatus::refused,
                fmt::format("RAS listens in another network namespace, which may not be entered: {}", *refused),
                "run hangstack as root, or in the container of the job");
  }
  for (int tries = 0; tries < kMostConnections; ++tries) {
    auto accepted = connect_once(proc, question, *found.listener, deadline);
    // A process that ends resets what its end of the shared port was given: the next connection may go to another one.
    const bool again = tries + 1 < kMostResets && Clock::now() < deadline;
    if (!accepted && again && accepted.error().code != ErrorCode::timed_out) continue;
    if (!accepted) return failed(reply, accepted.error(), "connecting");
    if (!accepted->holder) continue;
    reply.answered_by = *accepted->holder;
    reply.text = std::move(accepted->text);
    auto done = accepted->connection.send(fmt::format("TIMEOUT {}\nSET FORMAT json\nVERBOSE STATUS\n", kRasTimeout_s),
                                          deadline);
    if (done) done = accepted->connection.receive_all(reply.text, kMostReplyBytes, deadline);
    if (done) return with(reply, RecordStatus::ok, "");
    reply.text.clear();
    return failed(reply, done.error(), "reading its answer");
  }
  return with(
      reply, RecordStatus::refused,
      fmt::format("{} connections to {} were accepted by processes of another job", kMostConnections, reply.address),
      kOwnPort);
}

/// Four texts that end in NUL, then the reply as it is.
std::string packed(const RasReply& reply) {
  std::string text;
  for (const std::string& piece : {std::to_string(static_cast<int>(reply.status)), std::to_string(reply.answered_by),
                                   reply.address, reply.reason, reply.fix}) {
    text += piece.c_str();
    text += '\0';
  }
  return text + reply.text;
}

bool unpack(std::string_view text, RasReply& reply) {
  std::array<std::string_view, 5> pieces;
  for (std::string_view& piece : pieces) {
    const std::size_t end = text.find('\0');
    if (end == std::string_view::npos) return false;
    piece = text.substr(0, end);
    text.remove_prefix(end + 1);
  }
  const auto status = number_from<int>(pieces[0]);
  const auto answered_by = number_from<std::int32_t>(pieces[1]);
  if (!status || *status > static_cast<int>(RecordStatus::failed) || !answered_by) return false;
  reply.status = static_cast<RecordStatus>(*status);
  reply.answered_by = *answered_by;
  reply.address = pieces[2];
  reply.reason = pieces[3];
  reply.fix = pieces[4];
  reply.text = text;
  return true;
}

}  // namespace

RasReply find_ras(const ProcFiles& proc, const RasQuestion& question) {
  Found found = find(proc, question);
  if (found.listener) {
    found.reply.status = RecordStatus::ok;
    found.reply.reason = fmt::format("pid {} listens at {}", found.listener->pid, found.reply.address);
  }
  return std::move(found.reply);
}

RasReply ask_ras(const ProcFiles& proc, const RasQuestion& question) {
  const auto started = Clock::now();
  RasReply reply;
  reply.pids = question.pids;
  reply.address = question.address;
  const ReapableChildren reapable;
  auto child = ChildProcess::start([&](int pipe) { (void)model::write_all(pipe, packed(converse(proc, question))); });
  if (!child) return with(reply, RecordStatus::failed, child.error().message, child.error().fix);
  std::string text;
  const bool ended = child->read_until(started + question.deadline + kPatience, kMostReplyBytes + 65536, text);
  child->kill(100);
  if (!unpack(text, reply)) {
    reply = with(reply, ended ? RecordStatus::failed : RecordStatus::timed_out,
                 ended ? "the process that asked RAS ended early" : "looking for RAS took too long");
  }
  reply.took_s = std::chrono::duration<double>(Clock::now() - started).count();
  reply.read_at_unix_ns =
      std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::system_clock::now().time_since_epoch()).count();
  return reply;
}

}  // namespace hangstack::sampler
