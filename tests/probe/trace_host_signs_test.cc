// SPDX-License-Identifier: Apache-2.0
// What a trace says of its own host, and what it tells of each probe.
#include <memory>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "probe/trace/tracer.h"
#include "tests/probe/simulated_fabric.h"

namespace weft::probe {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

std::vector<std::string> Codes(const topology::PathTable& table) {
  std::vector<std::string> codes;
  for (const topology::Finding& finding : table.findings) codes.push_back(finding.code);
  return codes;
}

std::vector<TraceResult> TraceTwo(SimulatedFabric& fabric,
                                  const std::vector<TraceDestination>& destinations,
                                  const TraceOptions& options) {
  const auto endpoint = fabric.Open("host1-1");
  auto results = Trace(*endpoint, destinations, options);
  EXPECT_TRUE(results.ok()) << results.status();
  return results.ok() ? *std::move(results) : std::vector<TraceResult>(destinations.size());
}

std::unique_ptr<SimulatedFabric> MakeFabric() { return std::make_unique<SimulatedFabric>(2, 2, 2); }

TEST(TraceHostSigns, ARouteIntoATunnelHidesThePathsOfItsPairOnly) {
  const auto fabric = MakeFabric();
  std::vector<TraceDestination> destinations = {fabric->Destination("host2-1"),
                                                fabric->Destination("host2-2")};
  const wire::IpAddress remote = wire::IpAddress::V4(0xc0000201);
  destinations[0].own_tunnel = {.device = "vxlan100", .kind = "vxlan", .remote = remote};
  // The blueprint sees nothing amiss, and what it says would be of the underlay.
  const auto results = TraceTwo(*fabric, destinations, {.seed = 3, .blueprint = &fabric->fabric()});
  EXPECT_EQ(results[0].table.hidden_reason, topology::kOwnOverlayReason);
  ASSERT_THAT(Codes(results[0].table), ElementsAre("overlay"));
  const topology::Finding& finding = results[0].table.findings[0];
  EXPECT_EQ(finding.evidence[0].what,
            "route leaves by vxlan100 (vxlan), remote underlay address 192.0.2.1");
  EXPECT_THAT(finding.what_to_do, HasSubstr("weft-probe trace 192.0.2.1"));
  EXPECT_EQ(results[1].table.hidden_reason, "");
  EXPECT_THAT(Codes(results[1].table), IsEmpty());
}

TEST(TraceHostSigns, ATunnelWithoutAFixedEndIsOneToo) {
  const auto fabric = MakeFabric();
  std::vector<TraceDestination> destinations = {fabric->Destination("host2-1")};
  destinations[0].own_tunnel = {.device = "wg0", .kind = "wireguard", .remote = {}};
  const auto results = TraceTwo(*fabric, destinations, {.seed = 3});
  ASSERT_THAT(Codes(results[0].table), ElementsAre("overlay"));
  EXPECT_THAT(results[0].table.findings[0].evidence[0].what, HasSubstr("wg0 (wireguard)"));
  EXPECT_THAT(results[0].table.findings[0].evidence[0].what, HasSubstr("not fixed"));
}

TEST(TraceHostSigns, UnseenQuotesAreSaidOnce) {
  const auto fabric = MakeFabric();
  const std::vector<TraceDestination> destinations = {fabric->Destination("host2-1"),
                                                      fabric->Destination("host2-2")};
  const auto results =
      TraceTwo(*fabric, destinations, {.seed = 3, .quotes_unseen_reason = "not permitted"});
  ASSERT_THAT(Codes(results[0].table), ElementsAre("quotes-unseen"));
  EXPECT_EQ(results[0].table.findings[0].severity, topology::Severity::kInfo);
  EXPECT_EQ(results[0].table.findings[0].evidence[0].what, "not permitted");
  EXPECT_THAT(Codes(results[1].table), IsEmpty());
}

TEST(TraceHostSigns, EachProbesOutcomeIsARecord) {
  const auto fabric = MakeFabric();
  std::vector<topology::ProbeRecord> records;
  TraceOptions options = {.source_name = "host1-1", .seed = 3};
  options.on_probe = [&](const topology::ProbeRecord& record) { records.push_back(record); };
  const TraceDestination destination = fabric->Destination("host2-1");
  const auto results = TraceTwo(*fabric, {destination}, options);
  EXPECT_EQ(records.size(), results[0].table.probes_sent);
  size_t hop_count = 0;
  double last_s = 0;
  for (const topology::ProbeRecord& record : records) {
    EXPECT_EQ(record.source, "host1-1");
    EXPECT_EQ(record.destination_address, destination.target.address);
    EXPECT_GE(record.time_s, last_s);
    EXPECT_LT(record.time_s, 60);
    last_s = record.time_s;
    const bool is_hop = record.outcome == topology::ProbeOutcome::kHop;
    hop_count += is_hop ? 1 : 0;
    EXPECT_EQ(record.hop_ip_id.has_value(), is_hop);
    EXPECT_EQ(record.hop_address.empty(), !is_hop);
    EXPECT_EQ(record.rtt_us.has_value(), record.outcome == topology::ProbeOutcome::kReply);
  }
  EXPECT_GT(hop_count, 0u);
  EXPECT_LT(hop_count, records.size());
}

}  // namespace
}  // namespace weft::probe
