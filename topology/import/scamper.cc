// SPDX-License-Identifier: Apache-2.0
#include "topology/import/scamper.h"

#include "absl/strings/str_cat.h"

namespace weft::topology {
namespace {

constexpr uint64_t kMaxPort = 0xffff;
constexpr uint64_t kMaxSeconds = 253402300799;  // the end of year 9999

// Whether the packet got to its end: an answer that only a destination gives.
bool IsFromDestination(const Json& hop, const wire::IpAddress& address,
                       const wire::IpAddress& destination) {
  if (address == destination || Field(hop, "tcp_flags") != nullptr) return true;
  const std::optional<uint64_t> type = NumberField(hop, "icmp_type", 0xff);
  const std::optional<uint64_t> code = NumberField(hop, "icmp_code", 0xff);
  if (address.IsV4()) return type == 0U || (type == 3U && code == 3U);  // echo reply, port
  return type == 129U || (type == 1U && code == 4U);
}

// The methods that keep what switches hash, and so have one flow.
std::string FlowOf(const Json& object, const std::string& method) {
  const std::optional<uint64_t> source_port = NumberField(object, "sport", kMaxPort);
  const std::optional<uint64_t> destination_port = NumberField(object, "dport", kMaxPort);
  if (method == "udp-paris" && source_port.has_value()) {
    return absl::StrCat("UDP source port ", *source_port);
  }
  if ((method == "tcp" || method == "tcp-ack") && source_port.has_value()) {
    return absl::StrCat("TCP ports ", *source_port, " to ", destination_port.value_or(0));
  }
  if (method == "icmp-paris") {
    const std::optional<uint64_t> sum = NumberField(object, "icmp_sum", kMaxPort);
    return sum.has_value() ? absl::StrCat("ICMP checksum ", *sum) : "ICMP";
  }
  return "";
}

ProbeHeaders HeadersOf(const Json& object, const std::string& method) {
  ProbeHeaders headers;
  if (method.starts_with("udp")) {
    headers.udp_dst_port =
        static_cast<uint16_t>(NumberField(object, "dport", kMaxPort).value_or(0));
  }
  headers.traffic_class = static_cast<uint8_t>(NumberField(object, "tos", 0xff).value_or(0));
  return headers;
}

std::string StartOf(const Json& object) {
  const Json* start = ObjectField(object, "start");
  return start == nullptr ? "" : TimeText(NumberField(*start, "sec", kMaxSeconds));
}

void ReadHops(const Json& hops, const std::string& origin, TracedFlow& flow, ImportCounts& counts) {
  for (size_t i = 0; i < hops.size(); ++i) {
    const std::optional<wire::IpAddress> address = AddressField(hops[i], "addr");
    const std::optional<uint64_t> ttl = NumberField(hops[i], "probe_ttl", kMaxTtl);
    if (!address.has_value() || ttl.value_or(0) == 0) {
      ++counts.damaged;
      flow.findings.push_back(
          DamagedTrace(absl::StrCat(origin, ", entry ", i + 1, " of \"hops\""),
                       address.has_value() ? "no probe_ttl from 1 to 255" : "no address in addr"));
      continue;
    }
    flow.replies.push_back(
        {.ttl = static_cast<uint32_t>(*ttl),
         .address = *address,
         .from_destination = IsFromDestination(hops[i], *address, flow.destination)});
  }
}

}  // namespace

Finding DamagedTrace(const std::string& where, const std::string& problem) {
  return {.code = "damaged-trace",
          .severity = Severity::kWarning,
          .subject = where,
          .evidence = {{.what = problem, .value = std::nullopt, .unit = "", .origin = where}},
          .explanation = "This piece could not be read and was left out; the rest was used.",
          .what_to_do = "Look whether the file is whole, and written by the tool that was named."};
}

absl::Status ReadScamperTrace(const Json& object, const std::string& origin, FlowTables& tables,
                              ImportCounts& counts) {
  const std::optional<wire::IpAddress> destination = AddressField(object, "dst");
  if (!destination.has_value())
    return absl::InvalidArgumentError("trace without an address in dst");
  const Json* hops = Field(object, "hops");
  if (hops != nullptr && !hops->is_array()) {
    return absl::InvalidArgumentError("trace whose hops are no array");
  }
  const std::string method = TextField(object, "method").value_or("");
  const uint64_t last_ttl = NumberField(object, "hop_count", kMaxTtl).value_or(0);
  const uint64_t probes = NumberField(object, "probe_count", UINT32_MAX).value_or(0);
  TracedFlow flow{.source = AddressField(object, "src").value_or(wire::IpAddress()),
                  .destination = *destination,
                  .headers = HeadersOf(object, method),
                  .measured_at = StartOf(object),
                  .flow = FlowOf(object, method),
                  .udp_src_port = std::nullopt,
                  .last_ttl = static_cast<uint32_t>(last_ttl),
                  .probes_sent = static_cast<uint32_t>(probes),
                  .replies = {},
                  .findings = {}};
  if (method == "udp-paris") {
    const std::optional<uint64_t> port = NumberField(object, "sport", kMaxPort);
    if (port.has_value()) flow.udp_src_port = static_cast<uint16_t>(*port);
  }
  if (hops != nullptr) ReadHops(*hops, origin, flow, counts);
  tables.Add(flow, origin);
  ++counts.traces;
  return absl::OkStatus();
}

}  // namespace weft::topology
