// SPDX-License-Identifier: Apache-2.0
#include <thread>

#include "gtest/gtest.h"
#include "probe/endpoint/udp/host_clock.h"
#include "probe/respond/target_server.h"
#include "tests/probe/loopback.h"

namespace weft::probe {
namespace {

using TargetServerTest = LoopbackTest;

TEST_P(TargetServerTest, TellsTheRecordToWhoeverConnects) {
  auto server = TargetServer::Listen(Loopback(2), 0);
  ASSERT_TRUE(server.ok()) << server.status();
  const topology::Target target = {.name = "gpu7",
                                   .address = Loopback(2),
                                   .dest_qpn = 5,
                                   .q_key = 6,
                                   .path_mtu = 4096,
                                   .clock = "kernel",
                                   .tcp_port = server->tcp_port()};
  std::thread serving([&] {
    while (server->Serve(target) == 0) WaitReadable(server->fd(), 1'000'000'000);
  });
  const auto fetched = FetchTarget(Loopback(2), {.tcp_port = server->tcp_port()});
  serving.join();
  ASSERT_TRUE(fetched.ok()) << fetched.status();
  EXPECT_EQ(*fetched, target);
}

WEFT_OVER_BOTH_FAMILIES(TargetServerTest);

}  // namespace
}  // namespace weft::probe
