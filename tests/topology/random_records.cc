// SPDX-License-Identifier: Apache-2.0
#include "tests/topology/random_records.h"

#include <array>
#include <cmath>

namespace weft::topology {

uint32_t RandomRecords::UpTo(uint32_t max) { return 1 + static_cast<uint32_t>(random_() % max); }

double RandomRecords::Real() {
  return std::ldexp(static_cast<double>(UpTo(0xffffffff)), static_cast<int>(UpTo(60)) - 40);
}

std::string RandomRecords::Text() {
  constexpr std::array kPieces = {"leaf1", "-", " ",        "\"", "\\",   "\n", "\t", "{",
                                  "}",     ":", "\xc3\xa9", "<",  "\x01", "/",  "'",  "0"};
  std::string text;
  for (uint32_t i = UpTo(8); i > 0; --i) text += kPieces[UpTo(kPieces.size()) - 1];
  return text;
}

wire::IpAddress RandomRecords::Address() {
  if (UpTo(2) == 1) return wire::IpAddress::V4(UpTo(0xffffffff));
  std::array<uint8_t, 16> bytes;
  for (uint8_t& byte : bytes) byte = static_cast<uint8_t>(random_());
  return wire::IpAddress::V6(bytes);
}

Guid RandomRecords::AnyGuid() { return Guid{UpTo(0xffffffff)} << 32 | UpTo(0xffffffff); }

PortRef RandomRecords::Port() { return {Text(), Text()}; }

void RandomRecords::Fill(FabricRecord& record) {
  if (UpTo(2) == 1) {
    record = Link{Port(), Port(), Real(), true, UpTo(12), Text(), Text()};
    return;
  }
  Node node{Text(), Some(NodeKind::kSwitch), UpTo(3), {}};
  Several(node.interfaces, [&] {
    return Interface{Text(),  Address(), AnyGuid(), UpTo(kMaxLid), UpTo(7),
                     UpTo(7), Text(),    Text(),    Text()};
  });
  Several(node.addresses, [&] { return Address(); });
  node.guid = AnyGuid();
  node.system_guid = AnyGuid();
  node.vendor_id = UpTo(0xffffff);
  node.device_id = UpTo(0xffff);
  node.chassis_id = Text();
  node.description = Text();
  node.machine = Text();
  node.rail = UpTo(7);
  node.plane = UpTo(7);
  record = node;
}

void RandomRecords::Fill(ForwardingTable& table) {
  table = {Text(), AnyGuid(), {}, true};
  Several(table.out_ports, [&] { return static_cast<uint8_t>(UpTo(0xff)); });
}

void RandomRecords::Fill(PortCounters& port) {
  port = {Text(), Text(), AnyGuid(), Text(), Real(), {}};
  Several(port.counters, [&] { return Counter{Text(), Real(), true}; });
}

void RandomRecords::Fill(PathTable& table) {
  table.source = Text();
  table.source_address = Address();
  table.destination = Text();
  table.destination_address = Address();
  table.headers = {static_cast<uint16_t>(UpTo(0xffff)), static_cast<uint8_t>(UpTo(0xff)),
                   UpTo(0xffffff), static_cast<uint8_t>(UpTo(0xff)), UpTo(0xfffff)};
  table.measured_at = Text();
  table.confidence = 1.0 / UpTo(1000);
  table.probes_sent = UpTo(0xffffffff);
  table.probes_asked = UpTo(0xffffffff);
  Several(table.paths, [&] {
    Path path;
    Several(path.hops, [&] { return Hop{UpTo(255), Address(), Text()}; });
    path.reaches_destination = true;
    Several(path.udp_src_ports, [&] { return static_cast<uint16_t>(UpTo(0xffff)); });
    path.state = Some(PathState::kDead);
    path.probes_sent = UpTo(0xffffffff);
    path.probes_answered = UpTo(path.probes_sent);
    Several(path.computed_udp_src_ports, [&] { return static_cast<uint16_t>(UpTo(0xffff)); });
    return path;
  });
  table.void_reason = Text();
  Several(table.hop_behaviours, [&] {
    HopBehaviour behaviour{UpTo(255),        Address(), Text(), UpTo(64), Some(HopMode::kAdaptive),
                           UpTo(0xffffffff), {}};
    Several(behaviour.fields, [&] {
      return FieldEffect{Some(HashedField::kDscp), Some(FieldUse::kHashed), UpTo(64), UpTo(64)};
    });
    return behaviour;
  });
  table.hidden_reason = Text();
  Several(table.findings, [&] {
    Finding finding;
    Fill(finding);
    return finding;
  });
}

void RandomRecords::Fill(Target& target) {
  target = {Text(),
            Address(),
            UpTo(0xffffff),
            UpTo(0xffffffff),
            UpTo(1 << 20),
            Text(),
            static_cast<uint16_t>(UpTo(0xffff))};
}

void RandomRecords::Fill(ProbeRecord& probe) {
  probe.source = Text();
  probe.source_address = Address();
  probe.destination = Text();
  probe.destination_address = Address();
  probe.sequence = UpTo(0xffffffff);
  probe.udp_src_port = static_cast<uint16_t>(UpTo(0xffff));
  probe.reply_udp_src_port = static_cast<uint16_t>(UpTo(0xffff));
  probe.ttl = static_cast<uint8_t>(UpTo(0xff));
  probe.outcome = Some(ProbeOutcome::kLost);
  probe.hop_address = Address();
  probe.rtt_us = Real();
  probe.responder_delay_us = Real();
  probe.hop_ip_id = static_cast<uint16_t>(UpTo(0xffff));
  probe.time_s = Real();
}

void RandomRecords::Fill(Demand& demand) { demand = {Text(), Text(), Real(), 1 + UpTo(0xffff)}; }

void RandomRecords::Fill(Flow& flow) {
  flow.id = Text();
  flow.source = Text();
  flow.source_address = Address();
  flow.destination = Text();
  flow.destination_address = Address();
  flow.rate_bps = Real();
  flow.source_qpn = UpTo(0xffffff);
  flow.dest_qpn = UpTo(0xffffff);
  flow.udp_src_port = static_cast<uint16_t>(UpTo(0xffff));
  flow.flow_label = UpTo(0xfffff);
  Several(flow.path, [&] { return Text(); });
}

void RandomRecords::Fill(FlowReport& report) {
  Fill(report.flow);
  report.started_at = Text();
  report.window_start_s = Real();
  report.window_seconds = Real();
  report.sent_bytes = Real();
  report.received_bytes = Real();
  report.sent_packets = UpTo(0xffffffff);
  report.received_packets = UpTo(0xffffffff);
  report.lost_packets = UpTo(0xffffffff);
  report.reordered_packets = UpTo(0xffffffff);
  report.duplicate_packets = UpTo(0xffffffff);
  report.dropped_debt_bytes = Real();
  report.stopped_because = Text();
  report.report_received = true;
}

void RandomRecords::Fill(LinkLoad& load) {
  load.link = {Port(), Port()};
  load.capacity_bps = Real();
  load.offered_bps = Real();
  load.load = Real();
  Several(load.flows, [&] { return Text(); });
  load.between_switches = true;
}

void RandomRecords::Fill(Assignment& assignment) {
  const auto filled = [&](auto record) {
    Fill(record);
    return record;
  };
  Several(assignment.flows, [&] { return filled(Flow()); });
  assignment.flows_moved = UpTo(0xffffffff);
  assignment.fullest_link = Real();
  assignment.lower_bound = Real();
  assignment.fluid_bound = Real();
  assignment.carried_share = Real();
  assignment.fits_share = Real();
  assignment.method = Text();
  Several(assignment.links, [&] { return filled(LinkLoad()); });
  Several(assignment.findings, [&] { return filled(Finding()); });
}

void RandomRecords::Fill(Finding& finding) {
  finding.code = Text();
  finding.severity = Some(Severity::kError);
  finding.subject = Text();
  Several(finding.evidence, [&] { return Evidence{Text(), Real(), Text(), Text()}; });
  finding.explanation = Text();
  finding.what_to_do = Text();
}

}  // namespace weft::topology
