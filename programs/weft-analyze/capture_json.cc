// SPDX-License-Identifier: Apache-2.0
#include "programs/weft-analyze/capture_json.h"

#include <cstdio>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "programs/command/output.h"
#include "programs/weft-analyze/printing.h"
#include "wire/bth.h"

namespace weft::analyze {
namespace {

using analyzer::Connection;
using analyzer::DurationSummary;
using analyzer::FlowStats;
using analyzer::MessageStats;
using analyzer::Tally;
using command::Json;

Json ToJson(const Tally& tally) {
  Json packets = Json::array();
  for (const uint64_t number : tally.packets) {
    if (number != 0) packets.push_back(number);
  }
  return {{"count", tally.count}, {"packets", packets}};
}

// Null where nothing was measured.
Json ToJson(const DurationSummary& summary) {
  if (summary.count == 0) return nullptr;
  return {{"count", summary.count},         {"min_ns", summary.min_ns},
          {"median_ns", summary.median_ns}, {"p99_ns", summary.p99_ns},
          {"p999_ns", summary.p999_ns},     {"max_ns", summary.max_ns},
          {"total_ns", summary.total_ns}};
}

Json ToJson(const MessageStats& messages) {
  return {{"messages", messages.messages},
          {"bytes", messages.bytes},
          {"min_bytes", messages.min_bytes},
          {"max_bytes", messages.max_bytes},
          {"incomplete", messages.incomplete}};
}

Json Times(bool has_times, int64_t first_ns, int64_t last_ns) {
  if (!has_times) return {{"first_ns", nullptr}, {"last_ns", nullptr}};
  return {{"first_ns", first_ns}, {"last_ns", last_ns}};
}

Json Naks(const FlowStats& flow) {
  Json naks = Json::object();
  for (size_t code = 0; code < flow.naks.size(); ++code) {
    if (flow.naks[code].count == 0) continue;
    naks[wire::ToString(static_cast<wire::NakCode>(code))] = ToJson(flow.naks[code]);
  }
  return naks;
}

Json Ports(const FlowStats& flow) {
  Json ports = Json::array();
  for (const analyzer::PortUse& use : flow.ports) {
    ports.push_back({{"udp_src_port", use.udp_src_port},
                     {"packets", use.packets},
                     {"first_packet", use.first_packet}});
  }
  return ports;
}

Json Classes(const FlowStats& flow) {
  Json classes = Json::array();
  for (const analyzer::ClassUse& use : flow.classes) {
    classes.push_back({{"dscp", use.dscp}, {"packets", use.packets}, {"bytes", use.bytes}});
  }
  return classes;
}

Json ToJson(const FlowStats& flow) {
  Json json = {
      {"source", flow.key.source.ToString()},    {"destination", flow.key.destination.ToString()},
      {"dest_qpn", flow.key.dest_qpn},           {"source_qpn", command::OrNull(flow.source_qpn)},
      {"carrier", wire::ToString(flow.carrier)}, {"transport", wire::ToString(flow.transport)}};
  json.update(Times(flow.has_times, flow.first_ns, flow.last_ns));
  json.update(Json{{"first_packet", flow.first_packet},
                   {"last_packet", flow.last_packet},
                   {"packets", flow.packets},
                   {"wire_bytes", flow.wire_bytes},
                   {"payload_bytes", flow.payload_bytes},
                   {"goodput_bytes", flow.goodput_bytes},
                   {"goodput_bps", command::OrNull(GoodputBps(flow))},
                   {"send", ToJson(flow.send)},
                   {"write", ToJson(flow.write)},
                   {"read_request", ToJson(flow.read_request)},
                   {"read_response", ToJson(flow.read_response)},
                   {"atomic", ToJson(flow.atomic)},
                   {"retransmitted", ToJson(flow.retransmitted)},
                   {"go_back_n", ToJson(flow.go_back_n)},
                   {"selective", ToJson(flow.selective)},
                   {"spurious", ToJson(flow.spurious)},
                   {"timeouts", ToJson(flow.timeouts)},
                   {"reordered", ToJson(flow.reordered)},
                   {"duplicates", ToJson(flow.duplicates)},
                   {"gaps", ToJson(flow.gaps)},
                   {"missing_psns", flow.missing_psns},
                   {"capture_lost", ToJson(flow.capture_lost)},
                   {"retransmission_interval", ToJson(flow.retransmission_interval)},
                   {"acks", flow.acks},
                   {"naks", Naks(flow)},
                   {"rnr_naks", ToJson(flow.rnr_naks)},
                   {"rnr_timer_ns", flow.rnr_timer_ns},
                   {"rnr_stall_ns", flow.rnr_stall_ns},
                   {"zero_credit_acks", flow.zero_credit_acks},
                   {"cnps", ToJson(flow.cnps)},
                   {"vendor", ToJson(flow.vendor)},
                   {"reserved", ToJson(flow.reserved)},
                   {"ecn", flow.ecn},
                   {"ce", ToJson(flow.ce)},
                   {"classes", Classes(flow)},
                   {"priorities", flow.priorities},
                   {"udp_src_ports", Ports(flow)},
                   {"port_changes", flow.port_changes},
                   {"ttl_changes", ToJson(flow.ttl_changes)},
                   {"min_ttl", flow.min_ttl},
                   {"max_ttl", flow.max_ttl},
                   {"path_mtu", flow.path_mtu},
                   {"ack_rtt", ToJson(flow.ack_rtt)},
                   {"completion", ToJson(flow.completion)},
                   {"sender_idle", ToJson(flow.sender_idle)},
                   {"unanswered", ToJson(flow.unanswered)},
                   {"bad_icrc", ToJson(flow.bad_icrc)},
                   {"unchecked_icrc", flow.unchecked_icrc}});
  return json;
}

Json ToJson(const std::optional<analyzer::CmParameters>& cm) {
  if (!cm) return nullptr;
  return {{"path_mtu_bytes", cm->path_mtu_bytes},   {"retry_count", cm->retry_count},
          {"rnr_retry_count", cm->rnr_retry_count}, {"ack_timeout_code", cm->ack_timeout_code},
          {"request_packet", cm->request_packet},   {"rejected", command::OrNull(cm->rejected)}};
}

Json ToJson(const analyzer::CaptureTotals& totals) {
  return {
      {"packets", totals.packets},         {"roce_packets", totals.roce_packets},
      {"connections", totals.connections}, {"naks", totals.naks},
      {"rnr_naks", totals.rnr_naks},       {"cnps", totals.cnps},
      {"ecn_ce", totals.ecn_ce},           {"retransmitted_packets", totals.retransmitted_packets},
      {"bad_icrc", totals.bad_icrc},       {"unchecked_icrc", totals.unchecked_icrc}};
}

Json ToJson(const analyzer::PauseLink& pause) {
  Json classes = Json::array();
  for (size_t priority = 0; priority < pause.xoff.size(); ++priority) {
    if (pause.xoff[priority].count + pause.xon[priority].count == 0) continue;
    classes.push_back({{"priority", priority},
                       {"xoff", ToJson(pause.xoff[priority])},
                       {"xon", ToJson(pause.xon[priority])},
                       {"quanta", pause.quanta[priority]}});
  }
  return {{"sender", wire::MacText(pause.sender)},
          {"kind", pause.is_pfc ? "PFC" : "802.3x pause"},
          {"first_ns", pause.first_ns},
          {"last_ns", pause.last_ns},
          {"classes", classes}};
}

Json Seconds(const analyzer::Traffic& traffic) {
  Json seconds = Json::array();
  for (const analyzer::Second& second : traffic.seconds) {
    seconds.push_back({{"start_ns", second.start_ns},
                       {"packets", second.packets},
                       {"roce_packets", second.roce_packets},
                       {"roce_bytes", second.roce_bytes},
                       {"ecn_ce", second.ecn_ce},
                       {"cnps", second.cnps},
                       {"naks", second.naks},
                       {"rnr_naks", second.rnr_naks},
                       {"pause_frames", second.pause_frames}});
  }
  return seconds;
}

Json Bursts(const analyzer::Traffic& traffic) {
  Json bursts = Json::array();
  for (const analyzer::Microburst& burst : traffic.bursts) {
    bursts.push_back({{"destination", burst.destination.ToString()},
                      {"start_ns", burst.start_ns},
                      {"bin_ns", burst.bin_ns},
                      {"bytes", burst.bytes},
                      {"mean_bytes", burst.mean_bytes},
                      {"sources", burst.sources},
                      {"first_packet", burst.first_packet}});
  }
  return bursts;
}

Json Neighbours(const analyzer::Traffic& traffic) {
  Json neighbours = Json::array();
  for (const analyzer::LldpNeighbour& neighbour : traffic.neighbours) {
    neighbours.push_back({{"sender", wire::MacText(neighbour.sender)},
                          {"chassis", neighbour.chassis},
                          {"port", neighbour.port},
                          {"port_description", neighbour.port_description},
                          {"system_name", neighbour.system_name},
                          {"pfc_classes", command::OrNull(neighbour.pfc_classes)},
                          {"packets", neighbour.packets},
                          {"first_packet", neighbour.first_packet}});
  }
  return neighbours;
}

Json ToJson(const analyzer::Traffic& traffic) {
  Json classes = Json::object();
  for (size_t i = 0; i < traffic.by_class.size(); ++i) {
    if (traffic.by_class[i] == 0) continue;
    classes[wire::ToString(static_cast<wire::FrameClass>(i))] = traffic.by_class[i];
  }
  Json tunnels = Json::object();
  for (size_t i = 0; i < traffic.by_tunnel.size(); ++i) {
    if (traffic.by_tunnel[i] == 0) continue;
    tunnels[wire::ToString(static_cast<wire::Tunnel>(i))] = traffic.by_tunnel[i];
  }
  Json pauses = Json::array();
  for (const analyzer::PauseLink& pause : traffic.pauses) pauses.push_back(ToJson(pause));
  Json json = {{"bytes", traffic.bytes}, {"cut_packets", traffic.cut_packets}};
  json.update(Times(traffic.has_times, traffic.first_ns, traffic.last_ns));
  json.update(Json{{"backward_steps", traffic.backward_steps},
                   {"classes", classes},
                   {"tunnels", tunnels},
                   {"first_ce_ns", command::OrNull(traffic.first_ce_ns)},
                   {"first_cnp_ns", command::OrNull(traffic.first_cnp_ns)},
                   {"first_pause_ns", command::OrNull(traffic.first_pause_ns)},
                   {"pauses", pauses},
                   {"neighbours", Neighbours(traffic)},
                   {"bursts", Bursts(traffic)},
                   {"seconds", Seconds(traffic)}});
  return json;
}

Json ToJson(const analyzer::HostPair& pair) {
  return {{"source", pair.source.ToString()},
          {"destination", pair.destination.ToString()},
          {"flows", pair.flows},
          {"udp_src_ports", pair.udp_src_ports},
          {"commonest_port", pair.commonest_port},
          {"flows_on_commonest", pair.flows_on_commonest},
          {"bytes", pair.bytes}};
}

Json Interfaces(const CaptureResult& result) {
  Json interfaces = Json::array();
  for (const analyzer::CaptureInterface& interface : result.interfaces) {
    interfaces.push_back({{"file", interface.file},
                          {"name", interface.name},
                          {"link_type", interface.link_type},
                          {"snaplen", interface.snaplen},
                          {"packets", interface.packets},
                          {"cut_packets", interface.cut_packets},
                          {"dropped", command::OrNull(interface.dropped)}});
  }
  return interfaces;
}

Json Links(const CaptureResult& result) {
  if (!result.links) return nullptr;
  Json links = Json::array();
  for (const auto* part : {&result.links->links, &result.links->host_links}) {
    for (const topology::LinkLoad& link : *part) {
      links.push_back({{"link", ToString(link.link)},
                       {"between_switches", link.between_switches},
                       {"flows", link.flows},
                       {"offered_bps", link.offered_bps},
                       {"load", command::OrNull(link.load)}});
    }
  }
  return links;
}

}  // namespace

Json ConnectionJson(const Connection& connection) {
  return {{"pairing", ToString(connection.pairing)},
          {"pairing_reason", connection.pairing_reason},
          {"candidates", connection.candidates},
          {"vantage", ToString(connection.vantage)},
          {"vantage_reason", connection.vantage_reason},
          {"cm", ToJson(connection.cm)},
          {"forward", ToJson(connection.forward)},
          {"backward", connection.backward ? ToJson(*connection.backward) : Json(nullptr)}};
}

namespace {

// All but the connections, which may be very many.
Json HeadJson(const CaptureResult& result) {
  Json problems = Json::array();
  for (const analyzer::CaptureProblem& problem : result.problems) {
    problems.push_back(
        {{"file", problem.file}, {"offset", problem.offset}, {"what", problem.what}});
  }
  Json host_pairs = Json::array();
  for (const analyzer::HostPair& pair : result.analysis.host_pairs) {
    host_pairs.push_back(ToJson(pair));
  }
  return {{"inputs", result.inputs},
          {"complete", result.problems.empty() && !result.was_interrupted},
          {"problems", problems},
          {"interfaces", Interfaces(result)},
          {"totals", ToJson(result.analysis.totals)},
          {"findings", command::FindingsJson(result.findings)},
          {"traffic", ToJson(result.analysis.traffic)},
          {"host_pairs", host_pairs},
          {"links", Links(result)},
          {"overflowed_packets", result.analysis.overflowed_packets}};
}

}  // namespace

void PrintCaptureJson(const CaptureResult& result) {
  std::string text = command::JsonText(HeadJson(result));
  text.pop_back();  // the brace that closes the object
  std::printf("%s,\"connections\":[", text.c_str());
  const char* between = "";
  for (const Connection& connection : result.analysis.connections) {
    std::printf("%s%s", between, command::JsonText(ConnectionJson(connection)).c_str());
    between = ",";
  }
  std::printf("]}\n");
}

namespace {

std::string Nanoseconds(const DurationSummary& summary, int64_t value) {
  return summary.count == 0 ? "" : std::to_string(value);
}

void PrintFlowCsv(size_t index, const char* direction, const Connection& connection,
                  const FlowStats& flow) {
  uint64_t naks = 0;
  for (const Tally& tally : flow.naks) naks += tally.count;
  const std::string port = flow.ports.empty() ? "" : std::to_string(flow.ports[0].udp_src_port);
  const auto goodput = GoodputBps(flow);
  const std::string row = absl::StrCat(
      index, ",", direction, ",", command::CsvField(flow.key.source.ToString()), ",",
      command::CsvField(flow.key.destination.ToString()), ",", flow.key.dest_qpn, ",",
      flow.source_qpn ? std::to_string(*flow.source_qpn) : "", ",", wire::ToString(flow.transport),
      ",", ToString(connection.pairing), ",", ToString(connection.vantage), ",", port, ",",
      flow.has_times ? flow.first_ns : 0, ",", flow.has_times ? flow.last_ns : 0, ",", flow.packets,
      ",", flow.payload_bytes, ",", flow.goodput_bytes, ",",
      goodput ? std::to_string(*goodput) : "", ",");
  const uint64_t messages = flow.send.messages + flow.write.messages + flow.read_request.messages +
                            flow.read_response.messages + flow.atomic.messages;
  const std::string counts =
      absl::StrCat(messages, ",", flow.retransmitted.count, ",", flow.reordered.count, ",",
                   flow.missing_psns, ",", flow.capture_lost.count, ",", flow.acks, ",", naks, ",",
                   flow.rnr_naks.count, ",", flow.cnps.count, ",", flow.ce.count, ",");
  const std::string times =
      absl::StrCat(flow.path_mtu, ",", Nanoseconds(flow.ack_rtt, flow.ack_rtt.median_ns), ",",
                   Nanoseconds(flow.ack_rtt, flow.ack_rtt.p99_ns), ",",
                   Nanoseconds(flow.completion, flow.completion.median_ns), ",",
                   Nanoseconds(flow.completion, flow.completion.p99_ns), ",", flow.bad_icrc.count,
                   ",", flow.unchecked_icrc);
  std::printf("%s%s%s\n", row.c_str(), counts.c_str(), times.c_str());
}

}  // namespace

void PrintConnectionsCsv(const CaptureResult& result) {
  std::printf(
      "connection,direction,source,destination,dest_qpn,source_qpn,transport,pairing,vantage,"
      "udp_src_port,first_ns,last_ns,packets,payload_bytes,goodput_bytes,goodput_bps,messages,"
      "retransmitted,reordered,missing_psns,capture_lost,acks,naks,rnr_naks,cnps,ecn_ce,path_mtu,"
      "ack_rtt_median_ns,ack_rtt_p99_ns,completion_median_ns,completion_p99_ns,bad_icrc,"
      "unchecked_icrc\n");
  size_t index = 0;
  for (const Connection& connection : result.analysis.connections) {
    ++index;
    PrintFlowCsv(index, "forward", connection, connection.forward);
    if (connection.backward) PrintFlowCsv(index, "backward", connection, *connection.backward);
  }
}

void PrintSecondsCsv(const CaptureResult& result) {
  std::printf("start_ns,packets,roce_packets,roce_bytes,ecn_ce,cnps,naks,rnr_naks,pause_frames\n");
  for (const analyzer::Second& second : result.analysis.traffic.seconds) {
    std::printf("%s\n",
                absl::StrCat(second.start_ns, ",", second.packets, ",", second.roce_packets, ",",
                             second.roce_bytes, ",", second.ecn_ce, ",", second.cnps, ",",
                             second.naks, ",", second.rnr_naks, ",", second.pause_frames)
                    .c_str());
  }
}

}  // namespace weft::analyze
