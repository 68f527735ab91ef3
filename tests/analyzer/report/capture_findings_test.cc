// SPDX-License-Identifier: Apache-2.0
#include "analyzer/report/capture_findings.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <ostream>
#include <random>
#include <set>
#include <string>
#include <vector>

namespace weft::analyzer {
namespace {

using testing::ElementsAre;
using topology::Finding;
using topology::Severity;
using wire::NakCode;

constexpr int64_t kStartNs = 1'700'000'000'000'000'000;
constexpr int64_t kMs = 1'000'000;
constexpr wire::NetworkAddress kLeft = wire::NetworkAddress::Ipv4(0x0a000001);
constexpr wire::NetworkAddress kRight = wire::NetworkAddress::Ipv4(0x0a000002);
constexpr wire::MacAddress kMac = {2, 0, 0, 0, 0, 1};

Tally Seen(uint64_t count, uint64_t first = 100) {
  Tally tally;
  for (uint64_t i = 0; i < count; ++i) tally.Note(first + i);
  return tally;
}

FlowStats Flow(wire::NetworkAddress source, wire::NetworkAddress destination, uint32_t dest_qpn,
               uint16_t port) {
  FlowStats flow;
  flow.key = {source, destination, dest_qpn};
  flow.transport = wire::Transport::kRc;
  flow.has_times = true;
  flow.first_ns = kStartNs;
  flow.last_ns = kStartNs + 100 * kMs;
  flow.first_packet = 1;
  flow.last_packet = 11'000;
  flow.packets = 10'000;
  flow.wire_bytes = 11'000'000;
  flow.ecn = {0, 0, 10'000, 0};
  flow.classes = {{26, 10'000, 11'000'000}};
  flow.ports = {{port, 10'000, 1}};
  flow.min_ttl = flow.max_ttl = 64;
  return flow;
}

// Writes of 64 KiB there, ACKs back, nothing wrong.
Connection Healthy(uint32_t number, wire::NetworkAddress source = kLeft,
                   wire::NetworkAddress destination = kRight) {
  Connection connection;
  connection.forward =
      Flow(source, destination, 0x100 + number, static_cast<uint16_t>(0xc100 + number * 7));
  FlowStats& data = connection.forward;
  data.source_qpn = 0x900 + number;
  data.payload_bytes = data.goodput_bytes = 10'000'000;
  data.path_mtu = 1024;
  data.write = {.messages = 156, .bytes = 156 * 65'536, .min_bytes = 65'536, .max_bytes = 65'536};
  data.ack_rtt = {.count = 150,
                  .min_ns = 8'000,
                  .median_ns = 10'000,
                  .p99_ns = 20'000,
                  .p999_ns = 30'000,
                  .max_ns = 30'000,
                  .total_ns = 1'600'000};
  connection.backward =
      Flow(destination, source, 0x900 + number, static_cast<uint16_t>(0xe100 + number * 7));
  FlowStats& answers = *connection.backward;
  answers.source_qpn = 0x100 + number;
  answers.packets = answers.acks = 1'000;
  answers.classes = {{26, 1'000, 62'000}};
  answers.ports[0].packets = 1'000;
  answers.wire_bytes = 62'000;
  connection.pairing = Pairing::kEvidence;
  connection.vantage = Vantage::kAtRequester;
  return connection;
}

struct World {
  CaptureAnalysis analysis;
  std::vector<CaptureInterface> interfaces{{.file = "a.pcap", .name = "", .packets = 22'000}};

  Connection& first() { return analysis.connections[0]; }
  FlowStats& data() { return first().forward; }
  FlowStats& answers() { return *first().backward; }
  Tally& naks(NakCode code) { return answers().naks[static_cast<size_t>(code)]; }
  std::vector<Finding> Findings() const { return CaptureFindings(analysis, interfaces); }
};

World HealthyWorld() {
  World world;
  CaptureAnalysis& analysis = world.analysis;
  analysis.connections = {Healthy(1), Healthy(2)};
  analysis.totals.packets = analysis.totals.roce_packets = 22'000;
  Traffic& traffic = analysis.traffic;
  traffic.packets = 22'000;
  traffic.has_times = true;
  traffic.first_ns = kStartNs;
  traffic.last_ns = kStartNs + 100 * kMs;
  traffic.bin_ns = kMs;
  traffic.by_class[0] = 22'000;
  analysis.host_pairs = {{kLeft, kRight, 2, 2, 0xc107, 1, 22'000'000}};
  return world;
}

// Two senders at once to kRight.
void ManyToOne(World& world) {
  CaptureAnalysis& analysis = world.analysis;
  analysis.connections = {Healthy(1), Healthy(2, wire::NetworkAddress::Ipv4(0x0a000003))};
  Receiver receiver;
  receiver.destination = kRight;
  receiver.packets = 20'000;
  receiver.bytes = 22'000'000;  // in 100 ms: 1.76 Gb/s
  receiver.first_ns = kStartNs;
  receiver.last_ns = kStartNs + 100 * kMs;
  receiver.busy_bins = receiver.shared_bins = 100;
  receiver.most_sources = 2;
  receiver.most_sources_packet = 5;
  receiver.peak_bytes = 300'000;
  analysis.traffic.receivers = {receiver};
}
void Lossy(Connection& connection) {
  connection.forward.retransmitted = Seen(50);
  connection.forward.go_back_n = Seen(10);
  connection.forward.gaps = Seen(10);
  connection.backward->naks[0] = Seen(10);
}
PauseLink Pause(uint64_t frames, int64_t span_ns) {
  PauseLink link;
  link.sender = kMac;
  link.is_pfc = true;
  link.xoff[3] = Seen(frames);
  link.quanta[3] = frames * 65'535;
  link.first_ns = kStartNs;
  link.last_ns = kStartNs + span_ns;
  return link;
}

using Codes = std::multiset<std::string>;
struct Situation {
  std::string name;
  std::function<void(World&)> make;
  Codes expected;
};
void PrintTo(const Situation& situation, std::ostream* out) { *out << situation.name; }

Codes CodesOf(const std::vector<Finding>& findings) {
  Codes codes;
  for (const Finding& finding : findings) codes.insert(finding.code);
  return codes;
}

class CaptureFindingsOf : public testing::TestWithParam<Situation> {};

TEST_P(CaptureFindingsOf, AreExactlyThese) {
  World world = HealthyWorld();
  GetParam().make(world);
  const std::vector<Finding> findings = world.Findings();
  EXPECT_EQ(CodesOf(findings), GetParam().expected);
  for (const Finding& finding : findings) {
    EXPECT_FALSE(finding.subject.empty()) << finding.code;
    EXPECT_FALSE(finding.evidence.empty()) << finding.code;
    EXPECT_FALSE(finding.explanation.empty()) << finding.code;
    EXPECT_FALSE(finding.what_to_do.empty()) << finding.code;
  }
}

const std::vector<Situation>& WholeFile() {
  static const std::vector<Situation> rows = {
      {"Healthy", [](World&) {}, {}},
      {"NoRoce",
       [](World& w) {
         w.analysis.connections.clear();
         w.analysis.host_pairs.clear();
         w.analysis.totals.roce_packets = 0;
         w.analysis.traffic.by_class = {};
         w.analysis.traffic.by_class[static_cast<size_t>(wire::FrameClass::kIwarp)] = 22'000;
       },
       {"no-roce"}},
      {"Cut", [](World& w) { w.analysis.traffic.cut_packets = 20'000; }, {"capture-cut"}},
      {"DroppedBySystem", [](World& w) { w.interfaces[0].dropped = 12; }, {"capture-lost-packets"}},
      {"DroppedNone", [](World& w) { w.interfaces[0].dropped = 0; }, {}},
      {"AckedButNeverSeen",
       [](World& w) {
         w.data().capture_lost = Seen(1, 20);
         w.data().gaps = Seen(1, 20);
         w.data().missing_psns = 1;
       },
       {"capture-lost-packets"}},
      {"OtherPathsMissing",
       [](World& w) {
         w.data().capture_lost = Seen(4'000);
         w.data().missing_psns = 4'000;
         w.first().vantage = Vantage::kSomePaths;
         w.first().vantage_reason = "4000 of 14000 PSNs acknowledged and not seen";
       },
       {"some-paths-only"}},
      {"HoleWithoutNak",
       [](World& w) {
         w.data().missing_psns = 1;
         w.data().gaps = Seen(1);
       },
       {"unexplained-holes"}},
      {"TimesStepBack",
       [](World& w) { w.analysis.traffic.backward_steps = 3; },
       {"times-step-back"}},
      {"NoTimes",
       [](World& w) { w.analysis.traffic.has_times = false; },
       {"capture-without-times"}},
      {"TooManyFlows", [](World& w) { w.analysis.overflowed_packets = 5; }, {"too-many-flows"}},
      {"OneWay",
       [](World& w) {
         w.first().backward.reset();
         w.first().pairing = Pairing::kOneWay;
       },
       {"one-way-capture"}},
      {"OneWayOfFewPackets",
       [](World& w) {
         w.first().backward.reset();
         w.first().pairing = Pairing::kOneWay;
         w.data().packets = 9;
       },
       {}},
      {"Ambiguous",
       [](World& w) {
         w.first().backward.reset();
         w.first().pairing = Pairing::kAmbiguous;
         w.first().candidates = 63;
       },
       {"ambiguous-pairing"}},
      {"TwoEndsWithOneQpn",
       [](World& w) { w.data().key.dest_qpn = w.answers().key.dest_qpn = 0x11; },
       {}},
  };
  return rows;
}

const std::vector<Situation>& Paths() {
  static const std::vector<Situation> rows = {
      {"OneSourcePort",
       [](World& w) {
         w.analysis.host_pairs = {{kLeft, kRight, 8, 1, 65'472, 8, 1'000}};
       },
       {"one-source-port"}},
      {"OneQpHasOnePort",
       [](World& w) {
         w.analysis.host_pairs = {{kLeft, kRight, 1, 1, 65'472, 1, 1'000}};
       },
       {}},
      {"FewSourcePorts",
       [](World& w) {
         w.analysis.host_pairs = {{kLeft, kRight, 32, 4, 50'000, 9, 1'000}};
       },
       {"few-source-ports"}},
      {"ManyPorts",
       [](World& w) {
         w.analysis.host_pairs = {{kLeft, kRight, 32, 31, 50'000, 2, 1'000}};
       },
       {}},
      {"OddPort",
       [](World& w) { w.data().ports[0].udp_src_port = 69; },
       {"nonstandard-source-port"}},
      {"CnpsFromPort0",
       [](World& w) {
         w.answers().cnps = Seen(2);
         w.answers().ports.push_back({0, 2, 50});
         w.answers().port_changes = 4;
       },
       {}},
      {"PortChange",
       [](World& w) {
         w.data().ports.push_back({0xd000, 500, 600});
         w.data().port_changes = 1;
       },
       {"path-change"}},
      {"TtlChange",
       [](World& w) {
         w.data().ttl_changes = Seen(1);
         w.data().min_ttl = 62;
       },
       {"path-change"}},
      {"AsymmetricClass", [](World& w) { w.answers().classes[0].dscp = 0; }, {"asymmetric-class"}},
      {"TwoClassesOneWay",
       [](World& w) {
         w.data().classes = {{26, 9'000, 1}, {46, 1'000, 1}};
       },
       {}},
      {"CnpsHaveTheirOwnClass",
       [](World& w) {
         w.answers().cnps = Seen(1);
         w.answers().classes = {{26, 999, 1}, {48, 1, 1}};
       },
       {}},
      {"AsymmetricMtu", [](World& w) { w.answers().path_mtu = 4'096; }, {"asymmetric-mtu"}},
      {"MtuBelowAgreed",
       [](World& w) { w.first().cm = CmParameters{.path_mtu_bytes = 4'096, .request_packet = 1}; },
       {"mtu-below-agreed"}},
      {"MtuAsAgreed",
       [](World& w) { w.first().cm = CmParameters{.path_mtu_bytes = 1'024, .request_packet = 1}; },
       {}},
      {"Rejected",
       [](World& w) { w.first().cm = CmParameters{.request_packet = 1, .rejected = "no service"}; },
       {"connection-rejected"}},
  };
  return rows;
}

const std::vector<Situation>& Losses() {
  static const std::vector<Situation> rows = {
      {"Loss", [](World& w) { Lossy(w.first()); }, {"packet-loss"}},
      {"GoBackN",
       [](World& w) {
         Lossy(w.first());
         w.data().retransmitted = Seen(640);
       },
       {"packet-loss", "go-back-n"}},
      {"SelectiveRepeat",
       [](World& w) {
         w.data().retransmitted = w.data().selective = Seen(5);
         w.naks(NakCode::kPsnSequenceError) = Seen(5);
       },
       {"packet-loss", "selective-repeat"}},
      {"SpuriousByInterval",
       [](World& w) {
         w.data().retransmitted = Seen(300);
         w.data().go_back_n = w.data().timeouts = Seen(30);
         w.data().retransmission_interval = {.count = 300, .median_ns = 10 * kMs};
         w.data().ack_rtt = {.count = 100, .min_ns = 30 * kMs, .median_ns = 30 * kMs};
       },
       {"spurious-retransmission"}},
      {"SpuriousByAck",
       [](World& w) { w.data().retransmitted = w.data().spurious = Seen(3); },
       {"spurious-retransmission"}},
      {"Reordering",
       [](World& w) { w.data().reordered = w.data().gaps = Seen(30); },
       {"reordering"}},
      {"ReorderingTakenForLoss",
       [](World& w) {
         Lossy(w.first());
         w.data().reordered = Seen(30);
       },
       {"reordering"}},
      {"OneLatePacket", [](World& w) { w.data().reordered = w.data().gaps = Seen(1); }, {}},
      {"Timeouts",
       [](World& w) {
         w.data().timeouts = w.data().go_back_n = Seen(2);
         w.data().retransmitted = Seen(6);
         w.data().retransmission_interval = {.count = 6, .median_ns = 5 * kMs};
       },
       {"ack-timeouts"}},
      {"RetryExceeded",
       [](World& w) {
         w.data().timeouts = w.data().go_back_n = Seen(7);
         w.data().retransmitted = Seen(7);
         w.data().retransmission_interval = {.count = 6, .median_ns = 5 * kMs};
         w.answers().last_ns = kStartNs + 50 * kMs;
       },
       {"ack-timeouts", "retry-exceeded"}},
      {"NotReady",
       [](World& w) {
         w.answers().rnr_naks = Seen(5);
         w.answers().rnr_timer_ns = 655'360'000;
         w.data().rnr_stall_ns = 5 * kMs;
         w.data().go_back_n = w.data().retransmitted = Seen(5);
       },
       {"receiver-not-ready"}},
      {"InvalidRequest",
       [](World& w) { w.naks(NakCode::kInvalidRequest) = Seen(1); },
       {"invalid-request"}},
      {"RemoteAccess",
       [](World& w) { w.naks(NakCode::kRemoteAccessError) = Seen(1); },
       {"remote-access-error"}},
      {"RemoteOperation",
       [](World& w) { w.naks(NakCode::kRemoteOperationalError) = Seen(1); },
       {"remote-operational-error"}},
  };
  return rows;
}

const std::vector<Situation>& Congestion() {
  static const std::vector<Situation> rows = {
      {"MarksWithoutCnp", [](World& w) { w.data().ce = Seen(7'000); }, {"ce-without-cnp"}},
      {"FewMarks", [](World& w) { w.data().ce = Seen(31); }, {}},
      {"MarksOfOneWayCapture",
       [](World& w) {
         w.data().ce = Seen(7'000);
         w.first().backward.reset();
         w.first().pairing = Pairing::kOneWay;
       },
       {"one-way-capture"}},
      {"Congestion",
       [](World& w) {
         w.data().ce = Seen(2'000);
         w.answers().cnps = Seen(50);
       },
       {"congestion"}},
      {"MarkedBeyondTheCapture", [](World& w) { w.answers().cnps = Seen(50); }, {"congestion"}},
      {"CnpWithoutCe",
       [](World& w) {
         w.answers().cnps = Seen(50);
         w.first().vantage = Vantage::kAtResponder;
       },
       {"cnp-without-ce"}},
      {"ManyToOneInHealth", [](World& w) { ManyToOne(w); }, {}},
      {"Incast",
       [](World& w) {
         ManyToOne(w);
         for (Connection& c : w.analysis.connections) Lossy(c);
       },
       {"incast", "packet-loss", "packet-loss"}},
      {"IncastCollapse",
       [](World& w) {
         ManyToOne(w);
         w.interfaces[0].speed_bps = 25'000'000'000;
         for (Connection& c : w.analysis.connections) Lossy(c);
       },
       {"incast-collapse", "packet-loss", "packet-loss"}},
      {"Microburst",
       [](World& w) {
         w.analysis.traffic.bursts = {{kRight, kStartNs, kMs, 900'000, 2'000, 3, 77}};
       },
       {"microburst"}},
      {"SteadyBins",
       [](World& w) {
         w.analysis.traffic.bursts = {{kRight, kStartNs, kMs, 900'000, 850'000, 3, 77}};
       },
       {}},
      {"Pause", [](World& w) { w.analysis.traffic.pauses = {Pause(5, kMs)}; }, {"pause-seen"}},
      {"OnlyXon",
       [](World& w) {
         w.analysis.traffic.pauses = {Pause(0, kMs)};
         w.analysis.traffic.pauses[0].xon[3] = Seen(50);
       },
       {}},
      {"PauseStorm",
       [](World& w) { w.analysis.traffic.pauses = {Pause(3'000, 1'000 * kMs)}; },
       {"pause-storm"}},
      {"ManyPausesAreNoStorm",
       [](World& w) {
         w.analysis.traffic.pauses = {Pause(3'000, 1'000 * kMs)};
         w.analysis.traffic.pauses[0].xon[3] = Seen(3'000);
         w.analysis.traffic.pauses[0].held_ns[3] = 10 * kMs;
       },
       {"pause-seen"}},
      {"HostPauses",
       [](World& w) {
         PauseLink link = Pause(50, 10 * kMs);
         link.hosts_behind = 1;
         link.host = kRight;
         link.host_ttl_is_fresh = true;
         w.analysis.traffic.pauses = {link};
       },
       {"host-sends-pause"}},
      {"PauseBeforeMark",
       [](World& w) {
         w.analysis.traffic.pauses = {Pause(5, kMs)};
         w.analysis.traffic.first_pause_ns = kStartNs;
         w.analysis.traffic.first_ce_ns = kStartNs + kMs;
       },
       {"pause-seen", "pause-before-ce"}},
      {"MarkBeforePause",
       [](World& w) {
         w.analysis.traffic.pauses = {Pause(5, kMs)};
         w.analysis.traffic.first_pause_ns = kStartNs + kMs;
         w.analysis.traffic.first_ce_ns = kStartNs;
       },
       {"pause-seen"}},
  };
  return rows;
}

const std::vector<Situation>& Pace() {
  static const auto idle = [](World& w) {
    w.data().write = {.messages = 1'000, .bytes = 1'000 * 131'072};
    w.data().sender_idle = {.count = 999,
                            .min_ns = 9'000,
                            .median_ns = 10'000,
                            .p99_ns = 12'000,
                            .max_ns = 13'000,
                            .total_ns = 50 * kMs};
  };
  static const auto stalls = [](World& w) {
    w.data().write = {.messages = 25, .bytes = 25 * 131'072};
    w.data().unanswered = {
        .count = 24, .median_ns = 40 * kMs, .max_ns = 44 * kMs, .total_ns = 960 * kMs};
    w.data().last_ns = kStartNs + 1'000 * kMs;
  };
  static const std::vector<Situation> rows = {
      {"SenderLimited", idle, {"sender-limited"}},
      {"IdleButSmallMessages",
       [](World& w) {
         idle(w);
         w.data().write.bytes = 64'000;
       },
       {}},
      {"SlowBecauseOfCongestion",
       [](World& w) {
         idle(w);
         w.answers().cnps = Seen(50);
       },
       {"congestion"}},
      {"RegularStalls", stalls, {"regular-stalls"}},
      {"StallsOfLoss",
       [](World& w) {
         stalls(w);
         Lossy(w.first());
       },
       {"packet-loss"}},
      {"ReceiverLimited",
       [](World& w) {
         w.data().unanswered = {
             .count = 50, .median_ns = kMs, .max_ns = 3 * kMs, .total_ns = 60 * kMs};
       },
       {"receiver-limited"}},
      {"BadIcrc", [](World& w) { w.data().bad_icrc = Seen(3); }, {"bad-icrc"}},
      {"VendorOpcodes", [](World& w) { w.answers().vendor = Seen(9); }, {"vendor-opcodes"}},
      {"ReservedOpcodes", [](World& w) { w.data().reserved = Seen(1); }, {"reserved-opcodes"}},
      {"Duplicates", [](World& w) { w.data().duplicates = Seen(5'000); }, {"capture-duplicates"}},
  };
  return rows;
}

std::string RowName(const testing::TestParamInfo<Situation>& row) { return row.param.name; }
INSTANTIATE_TEST_SUITE_P(WholeFile, CaptureFindingsOf, testing::ValuesIn(WholeFile()), RowName);
INSTANTIATE_TEST_SUITE_P(Paths, CaptureFindingsOf, testing::ValuesIn(Paths()), RowName);
INSTANTIATE_TEST_SUITE_P(Losses, CaptureFindingsOf, testing::ValuesIn(Losses()), RowName);
INSTANTIATE_TEST_SUITE_P(Congestion, CaptureFindingsOf, testing::ValuesIn(Congestion()), RowName);
INSTANTIATE_TEST_SUITE_P(Pace, CaptureFindingsOf, testing::ValuesIn(Pace()), RowName);

TEST(CaptureFindings, NameTheSourcePortInDecimalAndHexAndWhatFixedIt) {
  World world = HealthyWorld();
  world.analysis.host_pairs = {{kLeft, kRight, 8, 1, 0xc000, 8, 1'000}};
  const auto findings = world.Findings();
  ASSERT_EQ(findings.size(), 1u);
  std::string text;
  for (const auto& evidence : findings[0].evidence) text += evidence.what + "\n";
  EXPECT_THAT(text, testing::HasSubstr("49152 (0xc000)"));
  EXPECT_THAT(text, testing::HasSubstr("fixed by software"));
}

TEST(CaptureFindings, QuoteThePacketsToLookAt) {
  World world = HealthyWorld();
  world.naks(NakCode::kRemoteAccessError) = Seen(3, 12);
  const auto findings = world.Findings();
  ASSERT_EQ(findings.size(), 1u);
  EXPECT_EQ(findings[0].subject, "10.0.0.1 -> 10.0.0.2 QP 257 (0x101)");
  EXPECT_EQ(findings[0].evidence[0].what, "NAKs, remote access error: packets 12, 13, 14");
  EXPECT_EQ(findings[0].evidence[0].value, 3);
}

TEST(CaptureFindings, AreRankedBySeverityAndThenByPackets) {
  World world = HealthyWorld();
  Lossy(world.first());
  Lossy(world.analysis.connections[1]);
  world.data().retransmitted = Seen(20);
  world.naks(NakCode::kInvalidRequest) = Seen(1);
  world.analysis.traffic.cut_packets = 20'000;
  const auto findings = world.Findings();
  std::vector<std::string> order;
  for (const Finding& finding : findings) order.push_back(finding.code);
  EXPECT_THAT(order, ElementsAre("invalid-request", "packet-loss", "packet-loss", "capture-cut"));
  EXPECT_EQ(findings[1].subject, "10.0.0.1 -> 10.0.0.2 QP 258 (0x102)");
}

TEST(CaptureFindings, OfManyConnectionsListEightAndCountTheRest) {
  World world = HealthyWorld();
  world.analysis.connections.clear();
  for (uint32_t i = 0; i < 128; ++i) {
    world.analysis.connections.push_back(Healthy(i));
    Lossy(world.analysis.connections.back());
  }
  const auto findings = world.Findings();
  ASSERT_EQ(findings.size(), 8u);
  EXPECT_EQ(findings.back().evidence.back().value, 120);
}

TEST(CaptureFindings, OfAnyHealthyCaptureAreInfoAtMost) {
  std::mt19937 random(11);
  const auto upto = [&](uint32_t most) { return static_cast<uint32_t>(random() % (most + 1)); };
  for (int round = 0; round < 500; ++round) {
    World world = HealthyWorld();
    world.analysis.connections.clear();
    const uint32_t count = 1 + upto(40);
    for (uint32_t i = 0; i < count; ++i) {
      Connection connection = Healthy(i, wire::NetworkAddress::Ipv4(0x0a000100 + upto(3)));
      FlowStats& data = connection.forward;
      data.packets = 1 + upto(100'000);
      data.last_ns = data.first_ns + upto(2'000'000'000);
      data.reordered = Seen(upto(2));
      data.ce = Seen(upto(31));
      connection.backward->cnps = Seen(upto(2));
      data.write.bytes = data.write.messages * upto(1'000'000);
      data.sender_idle = {.count = upto(9), .median_ns = upto(1'000'000'000)};
      data.unanswered = {.count = upto(4), .median_ns = upto(1'000'000)};
      connection.vantage = static_cast<Vantage>(upto(5));
      if (upto(3) == 0) connection.backward.reset();
      world.analysis.connections.push_back(connection);
    }
    world.analysis.host_pairs = {{kLeft, kRight, count, count, 0xc100, 1, 1'000}};
    world.analysis.traffic.cut_packets = upto(1);
    for (const Finding& finding : world.Findings()) {
      EXPECT_LE(finding.severity, Severity::kInfo) << finding.code << ", round " << round;
    }
  }
}

}  // namespace
}  // namespace weft::analyzer
