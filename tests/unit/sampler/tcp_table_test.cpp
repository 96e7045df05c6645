#include "sampler/proc/tcp_table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sampler/ras/ras_listener.h"

namespace hangstack::sampler {
namespace {

constexpr auto kTable =
    "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode\n"
    "   6: 0100007F:6D7C 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 321888354 1 0 100\n"
    " 160: 0100007F:6D7C 0100007F:A51E 06 00000000:00000000 03:0000174A 00000000     0        0 0 3 0\n"
    "bad: nonsense\n"
    "   7: 0100007F:6D7C 00000000:0000 0A 00000000:000";

constexpr auto kTable6 =
    "   1: 00000000000000000000000001000000:6D7C 00000000000000000000000000000000:0000 0A 00000000:00000000 "
    "00:00000000 "
    "00000000  1000        0 77 1 0 100\n";

TEST(TcpTable, TellsAddressesStateAndInode) {
  const auto sockets = parse_tcp_table(kTable, false);
  ASSERT_EQ(sockets.size(), 2U) << "a heading, nonsense and a cut line are none";
  EXPECT_EQ(sockets[0].local.text(), "127.0.0.1:28028");
  EXPECT_EQ(sockets[0].state, kTcpListen);
  EXPECT_EQ(sockets[0].inode, 321888354U);
  EXPECT_TRUE(sockets[0].remote.any());
  EXPECT_EQ(sockets[1].remote.text(), "127.0.0.1:42270");
  EXPECT_EQ(sockets[1].inode, 0U);
}

TEST(TcpTable, TellsIpv6) {
  const auto sockets = parse_tcp_table(kTable6, true);
  ASSERT_EQ(sockets.size(), 1U);
  EXPECT_EQ(sockets[0].local.text(), "[::1]:28028");
  EXPECT_TRUE(parse_tcp_table(kTable6, false).empty());
}

TEST(RasListener, ThePortOfAnAddress) {
  EXPECT_EQ(ras_port(""), kRasPort);
  EXPECT_EQ(ras_port("localhost:4711"), 4711);
  EXPECT_EQ(ras_port("[::1]:4711"), 4711);
  for (const char* text : {"localhost", "localhost:", "localhost:x", "localhost:0", "localhost:70000"})
    EXPECT_EQ(ras_port(text), std::nullopt) << text;
}

}  // namespace
}  // namespace hangstack::sampler
