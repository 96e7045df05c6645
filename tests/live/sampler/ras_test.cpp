// NCCL's RAS as a server may behave: one that answers, one that does not, one of another job.

#include "sampler/ras/ras.h"

#include <arpa/inet.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <net/if.h>
#include <netinet/in.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <functional>
#include <string>

#include "tests/support/program.h"

namespace hangstack::sampler {
namespace {

using model::RecordStatus;
using std::chrono::milliseconds;
using ::testing::HasSubstr;

int listen_at(std::uint16_t port) {
  const int server = ::socket(AF_INET, SOCK_STREAM, 0);
  const int on = 1;
  ::setsockopt(server, SOL_SOCKET, SO_REUSEPORT, &on, sizeof on);
  sockaddr_in place{};
  place.sin_family = AF_INET;
  place.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  place.sin_port = htons(port);
  if (::bind(server, reinterpret_cast<sockaddr*>(&place), sizeof place) != 0 || ::listen(server, 64) != 0) ::_exit(1);
  return server;
}

std::uint16_t port_of(int server) {
  sockaddr_in place{};
  socklen_t length = sizeof place;
  ::getsockname(server, reinterpret_cast<sockaddr*>(&place), &length);
  return ntohs(place.sin_port);
}

/// False once the client has gone.
bool say(int client, const std::string& text) {
  return ::send(client, text.data(), text.size(), MSG_NOSIGNAL) == static_cast<ssize_t>(text.size());
}

/// What the client sends, up to `lines` lines.
std::string hear(int client, int lines) {
  std::string text;
  char byte = 0;
  while (lines > 0 && ::recv(client, &byte, 1, 0) == 1) {
    text += byte;
    if (byte == '\n') --lines;
  }
  return text;
}

bool own_network() {
  if (::unshare(CLONE_NEWNET) != 0) return false;
  const int socket = ::socket(AF_INET, SOCK_DGRAM, 0);
  ifreq loopback{};
  loopback.ifr_name[0] = 'l';
  loopback.ifr_name[1] = 'o';
  loopback.ifr_flags = IFF_UP;
  return ::ioctl(socket, SIOCSIFFLAGS, &loopback) == 0;
}

/// A process that listens at a port of the loopback, and does with each connection what it is told.
class Server {
 public:
  using Conversation = std::function<void(int client)>;

  /// Port 0: one that is free; `port()` says which, 0 if there is no server.
  explicit Server(const Conversation& conversation, std::uint16_t port = 0, bool in_own_network = false) {
    int ready[2];
    if (::pipe(ready) != 0) return;
    pid_ = ::fork();
    if (pid_ == 0) {
      ::prctl(PR_SET_PDEATHSIG, SIGKILL);
      if (in_own_network && !own_network()) ::_exit(1);
      const int server = listen_at(port);
      const std::uint16_t bound = port_of(server);
      if (::write(ready[1], &bound, sizeof bound) != sizeof bound) ::_exit(1);
      serve(server, conversation);
    }
    ::close(ready[1]);
    if (::read(ready[0], &port_, sizeof port_) != sizeof port_) port_ = 0;
    ::close(ready[0]);
  }
  ~Server() {
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
  }
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  [[nodiscard]] std::int32_t pid() const { return pid_; }
  [[nodiscard]] std::uint16_t port() const { return port_; }

  [[noreturn]] static void serve(int server, const Conversation& conversation) {
    for (;;) {
      const int client = ::accept(server, nullptr, nullptr);
      if (client < 0) ::_exit(0);
      conversation(client);
      ::close(client);
    }
  }

 private:
  pid_t pid_ = -1;
  std::uint16_t port_ = 0;
};

/// Answers as NCCL 2.28.7 and later do.
void answer(int client) {
  if (hear(client, 1) != "CLIENT PROTOCOL 2\n" || !say(client, "SERVER PROTOCOL 2\n")) return;
  if (hear(client, 3) == "TIMEOUT 2\nSET FORMAT json\nVERBOSE STATUS\n") say(client, "OK\nOK\nthe report\n");
}

RasQuestion question_to(const Server& server, int deadline_ms = 6000) {
  return {{server.pid()}, "localhost:" + std::to_string(server.port()), "", milliseconds(deadline_ms)};
}

TEST(Ras, BringsEverythingThatTheServerSent) {
  const Server server(answer);
  const auto reply = ask_ras(ProcFiles{}, question_to(server));
  EXPECT_EQ(reply.status, RecordStatus::ok) << reply.reason;
  EXPECT_EQ(reply.text, "SERVER PROTOCOL 2\nOK\nOK\nthe report\n");
  EXPECT_EQ(reply.answered_by, server.pid());
  EXPECT_EQ(reply.address, "127.0.0.1:" + std::to_string(server.port()));
  EXPECT_GT(reply.read_at_unix_ns, 0);
}

TEST(Ras, AnyBytesAreBroughtAsTheyAre) {
  const std::string bytes("\0\xff garbage \n\n", 13);
  const Server server([&](int client) {
    hear(client, 1);
    say(client, bytes);
    hear(client, 3);
    say(client, bytes);
  });
  const auto reply = ask_ras(ProcFiles{}, question_to(server));
  EXPECT_EQ(reply.status, RecordStatus::ok) << reply.reason;
  EXPECT_EQ(reply.text, bytes + bytes);
}

TEST(Ras, AServerThatNeverAnswersCostsTheDeadline) {
  const Server server([](int client) { hear(client, 1000); });
  const auto started = std::chrono::steady_clock::now();
  const auto reply = ask_ras(ProcFiles{}, question_to(server, 300));
  EXPECT_EQ(reply.status, RecordStatus::timed_out) << reply.reason;
  EXPECT_THAT(reply.reason, HasSubstr("did not answer in time"));
  EXPECT_FALSE(reply.fix.empty());
  EXPECT_LT(std::chrono::steady_clock::now() - started, std::chrono::seconds(5));
}

TEST(Ras, AServerThatDripsCostsTheDeadline) {
  const Server server([](int client) {
    hear(client, 1);
    say(client, "SERVER PROTOCOL 2\n");
    while (say(client, "x")) ::usleep(1000);
  });
  const auto reply = ask_ras(ProcFiles{}, question_to(server, 300));
  EXPECT_EQ(reply.status, RecordStatus::timed_out) << reply.reason;
  EXPECT_EQ(reply.text, "");
  EXPECT_TRUE(reply.asked());
}

TEST(Ras, AServerThatClosesAtOnceIsToldOf) {
  const Server server([](int /*client*/) {});
  const auto reply = ask_ras(ProcFiles{}, question_to(server));
  EXPECT_EQ(reply.status, RecordStatus::failed);
  EXPECT_FALSE(reply.reason.empty());
  EXPECT_FALSE(reply.asked());
}

TEST(Ras, AConnectionThatIsResetBeforeItIsAcceptedIsTriedAgain) {
  int seen = 0;
  const Server server([seen](int client) mutable {
    if (++seen > 2) return answer(client);
    const linger at_once{1, 0};
    ::setsockopt(client, SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
  });
  const auto reply = ask_ras(ProcFiles{}, question_to(server));
  EXPECT_EQ(reply.status, RecordStatus::ok) << reply.reason;
}

TEST(Ras, AnEndlessReplyIsCutOff) {
  const Server server([](int client) {
    hear(client, 1);
    say(client, "SERVER PROTOCOL 2\n");
    const std::string block(1 << 20, 'x');
    while (say(client, block)) continue;
  });
  const auto reply = ask_ras(ProcFiles{}, question_to(server));
  EXPECT_EQ(reply.status, RecordStatus::failed);
  EXPECT_THAT(reply.reason, HasSubstr("longer than 32 MiB"));
  EXPECT_EQ(reply.text, "");
}

TEST(Ras, OfTwoJobsAtOnePortTheOneThatIsMeantAnswers) {
  const Server other([](int client) {
    hear(client, 1);
    say(client, "SERVER PROTOCOL 2\n");
    // It would be asked for its report here.
    if (!hear(client, 1).empty()) say(client, "another job's report\n");
  });
  const Server server(answer, other.port());
  ASSERT_EQ(server.port(), other.port());
  for (int i = 0; i < 8; ++i) {
    const auto reply = ask_ras(ProcFiles{}, question_to(server));
    ASSERT_EQ(reply.status, RecordStatus::ok) << reply.reason;
    EXPECT_THAT(reply.text, HasSubstr("\nthe report\n"));
  }
}

TEST(Ras, APortThatOnlyAnotherJobHoldsIsNotAsked) {
  const Server other(answer);
  RasQuestion question = question_to(other);
  question.pids = {::getpid()};
  const auto reply = ask_ras(ProcFiles{}, question);
  EXPECT_EQ(reply.status, RecordStatus::absent);
  EXPECT_THAT(reply.reason, HasSubstr("another one of this host does"));
  EXPECT_THAT(reply.fix, HasSubstr("NCCL_RAS_ADDR"));
  EXPECT_FALSE(reply.asked());
}

TEST(Ras, ASocketThatAnotherProcessAcceptsForTheJobIsGivenUp) {
  // Both hold the listening socket; only the child of the one that is asked for accepts.
  const int server = listen_at(0);
  const pid_t accepting = ::fork();
  if (accepting == 0) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    Server::serve(server, answer);
  }
  const auto reply =
      ask_ras(ProcFiles{}, {{::getpid()}, "localhost:" + std::to_string(port_of(server)), "", milliseconds(6000)});
  ::kill(accepting, SIGKILL);
  ::waitpid(accepting, nullptr, 0);
  ::close(server);
  EXPECT_EQ(reply.status, RecordStatus::refused);
  EXPECT_THAT(reply.reason, HasSubstr("accepted by processes of another job"));
  EXPECT_FALSE(reply.asked());
}

TEST(Ras, NobodyIsAskedWhileAProcessOfTheJobIsStopped) {
  const Server server(answer);
  const Server stopped(answer);
  ::kill(stopped.pid(), SIGSTOP);
  ASSERT_TRUE(tests::wait_for_state(stopped.pid(), stopped.pid(), "T"));
  RasQuestion question = question_to(server);
  question.pids.push_back(stopped.pid());
  const auto reply = ask_ras(ProcFiles{}, question);
  EXPECT_EQ(reply.status, RecordStatus::refused);
  EXPECT_THAT(reply.reason, HasSubstr("pid " + std::to_string(stopped.pid()) + " is stopped"));
  EXPECT_FALSE(reply.asked());
}

TEST(Ras, TheNetworkNamespaceOfTheJobIsEntered) {
  const Server server(answer, 0, true);
  if (server.port() == 0) GTEST_SKIP() << "this user may make no network namespace";
  const auto reply = ask_ras(ProcFiles{}, question_to(server));
  EXPECT_EQ(reply.status, RecordStatus::ok) << reply.reason;
}

TEST(Ras, SettingsThatSwitchItOffAreToldOf) {
  const Server server(answer);
  RasQuestion question = question_to(server);
  question.enable = "0";
  EXPECT_THAT(ask_ras(ProcFiles{}, question).reason, HasSubstr("NCCL_RAS_ENABLE=0"));
  question.enable.clear();
  question.address = "localhost";
  EXPECT_THAT(ask_ras(ProcFiles{}, question).reason, HasSubstr("has no port"));
}

TEST(Ras, FoundWithoutAWord) {
  const Server server([](int /*client*/) { ::_exit(7); });
  const auto found = find_ras(ProcFiles{}, question_to(server));
  EXPECT_EQ(found.status, RecordStatus::ok);
  EXPECT_THAT(found.reason, HasSubstr("pid " + std::to_string(server.pid()) + " listens at 127.0.0.1:"));
  EXPECT_EQ(::kill(server.pid(), 0), 0);
  EXPECT_EQ(::waitpid(server.pid(), nullptr, WNOHANG), 0) << "it was connected to";
}

}  // namespace
}  // namespace hangstack::sampler
