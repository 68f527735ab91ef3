// SPDX-License-Identifier: Apache-2.0
#include "probe/endpoint/udp/tunnel_route.h"

#include <linux/rtnetlink.h>

#include <array>
#include <cstdlib>
#include <span>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "probe/endpoint/udp/route_netlink.h"
#include "tests/probe/ipv6_network.h"

namespace weft::probe {
namespace {

// In a network of this process's own, with a device `under` (10.9.0.1/24, fd09::1/64).
class TunnelRouteTest : public testing::Test {
 protected:
  void SetUp() override {
    const std::string problem = EnterIpv6Network();
    if (!problem.empty()) GTEST_SKIP() << "no network to test in: " << problem;
    if (!Ip("link add under type veth peer name far")) {
      GTEST_SKIP() << "`ip` makes no veth devices here";
    }
    ASSERT_TRUE(Ip("link set far up") && Ip("link set under up") &&
                Ip("addr add 10.9.0.1/24 dev under") && Ip("addr add fd09::1/64 dev under nodad"));
  }

  static bool Ip(const std::string& command) {
    return std::system(("ip " + command + " >/dev/null 2>&1").c_str()) == 0;
  }

  // Makes a device with 10.8.0.1/24 and fd08::1/64. False: this kernel has no such devices.
  static bool AddDevice(const std::string& link) {
    if (!Ip("link add over " + link)) return false;
    EXPECT_TRUE(Ip("addr add 10.8.0.1/24 dev over") && Ip("addr add fd08::1/64 dev over nodad") &&
                Ip("link set over up"));
    return true;
  }

  static std::optional<TunnelRoute> RouteTo(const char* address,
                                            const std::string& interface = "") {
    const auto route = FindTunnelRoute(*wire::IpAddress::Parse(address), interface);
    EXPECT_TRUE(route.ok()) << route.status();
    return route.ok() ? *route : std::nullopt;
  }
};

TEST_F(TunnelRouteTest, NamesTheDeviceItsKindAndItsFixedEnd) {
  const struct {
    const char* device;
    const char* kind;
    const char* remote;  // empty: none
  } rows[] = {
      {"type vxlan id 7 remote 10.9.0.2 dstport 4789 dev under", "vxlan", "10.9.0.2"},
      {"type vxlan id 7 remote fd09::2 dstport 4789 dev under", "vxlan", "fd09::2"},
      {"type vxlan id 7 group 239.1.1.1 dstport 4789 dev under", "vxlan", ""},
      {"type vxlan id 7 dstport 4789 dev under", "vxlan", ""},
      {"type geneve id 7 remote 10.9.0.2", "geneve", "10.9.0.2"},
      {"type gretap remote 10.9.0.2 local 10.9.0.1", "gretap", "10.9.0.2"},
      {"type ipip remote 10.9.0.2 local 10.9.0.1", "ipip", "10.9.0.2"},
      {"type ip6gretap remote fd09::2 local fd09::1", "ip6gretap", "fd09::2"},
      {"type wireguard", "wireguard", ""},
  };
  int seen = 0;
  for (const auto& row : rows) {
    SCOPED_TRACE(row.device);
    if (!AddDevice(row.device)) continue;
    ++seen;
    const TunnelRoute expected = {
        .interface = "over",
        .kind = row.kind,
        .remote = wire::IpAddress::Parse(row.remote).value_or(wire::IpAddress())};
    EXPECT_EQ(RouteTo("10.8.0.2"), expected);
    EXPECT_EQ(RouteTo("fd08::2"), expected);
    EXPECT_EQ(RouteTo("10.9.0.2"), std::nullopt);
    EXPECT_EQ(RouteTo("fd09::2"), std::nullopt);
    ASSERT_TRUE(Ip("link del over"));
  }
  if (seen == 0) GTEST_SKIP() << "this kernel has no tunnel devices";
}

TEST_F(TunnelRouteTest, OrdinaryDevicesAndMissingRoutesAreNoTunnel) {
  EXPECT_EQ(RouteTo("10.9.0.7"), std::nullopt);   // a veth
  EXPECT_EQ(RouteTo("10.9.0.1"), std::nullopt);   // this host itself
  EXPECT_EQ(RouteTo("192.0.2.1"), std::nullopt);  // no route
  EXPECT_EQ(RouteTo("2001:db8::1"), std::nullopt);
}

TEST_F(TunnelRouteTest, ADeviceOnTopOfATunnelIsTheTunnel) {
  if (!Ip("link add vx0 type vxlan id 7 remote 10.9.0.2 dstport 4789 dev under") ||
      !Ip("link set vx0 up") || !AddDevice("link vx0 type vlan id 5")) {
    GTEST_SKIP() << "this kernel has no VXLAN or VLAN devices";
  }
  const std::optional<TunnelRoute> route = RouteTo("10.8.0.2");
  ASSERT_TRUE(route.has_value());
  EXPECT_EQ(route->interface, "vx0");
  ASSERT_TRUE(Ip("link del over"));
  ASSERT_TRUE(AddDevice("link under type vlan id 5"));
  EXPECT_EQ(RouteTo("10.8.0.2"), std::nullopt);
}

TEST_F(TunnelRouteTest, TheInterfaceThatIsSentFromDecides) {
  if (!AddDevice("type vxlan id 7 remote 10.9.0.2 dstport 4789 dev under")) {
    GTEST_SKIP() << "this kernel has no VXLAN devices";
  }
  ASSERT_TRUE(Ip("route add 10.7.0.0/24 dev under") &&
              Ip("route add 10.7.0.0/24 dev over metric 50"));
  EXPECT_EQ(RouteTo("10.7.0.1"), std::nullopt);
  EXPECT_EQ(RouteTo("10.7.0.1", "under"), std::nullopt);
  EXPECT_TRUE(RouteTo("10.7.0.1", "over").has_value());
}

// Attributes as a kernel may write them, and as none does.
TEST(RouteNetlink, FindsAttributesAsFarAsTheyAreWhole) {
  std::vector<std::byte> bytes;
  const auto add = [&](uint16_t length, uint16_t type, std::vector<uint8_t> value) {
    const rtattr header = {.rta_len = length, .rta_type = type};
    const auto* from = reinterpret_cast<const std::byte*>(&header);
    bytes.insert(bytes.end(), from, from + sizeof header);
    for (const uint8_t byte : value) bytes.push_back(std::byte{byte});
  };
  add(6, 1, {'a', 'b', 0, 0});
  add(8, 2, {1, 2, 3, 4});
  add(7, 3, {'x', 0, 'y', 0});
  EXPECT_EQ(FindText(bytes, 1), "ab");
  EXPECT_EQ(FindText(bytes, 3), "x");
  EXPECT_TRUE(FindNumber(bytes, 2).has_value());
  EXPECT_FALSE(FindNumber(bytes, 1).has_value());
  EXPECT_FALSE(FindAttribute(bytes, 4).has_value());
  for (const uint16_t length : {uint16_t{0}, uint16_t{3}, uint16_t{200}, uint16_t{65535}}) {
    std::vector<std::byte> cut = bytes;
    std::swap(cut, bytes);
    add(length, 4, {});
    EXPECT_FALSE(FindAttribute(bytes, 4).has_value());
    EXPECT_EQ(FindText(bytes, 3), "x");
    std::swap(cut, bytes);
  }
  for (size_t size = 0; size < bytes.size(); ++size) {
    const std::span<const std::byte> front = std::span(bytes).first(size);
    EXPECT_EQ(FindText(front, 3), size < 23 ? "" : "x") << size;
  }
}

}  // namespace
}  // namespace weft::probe
