// SPDX-License-Identifier: Apache-2.0
#include "topology/import/dublin_traceroute.h"

#include <algorithm>
#include <charconv>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "topology/import/scamper.h"

namespace weft::topology {
namespace {

constexpr uint64_t kMaxPort = 0xffff;
constexpr uint64_t kMaxSeconds = 253402300799;  // the end of year 9999
constexpr size_t kMaxEvidence = 8;              // of one finding

// The seconds of "1565903869.430765", as text or as a number.
std::optional<uint64_t> SecondsOf(const Json& packet) {
  const Json* timestamp = Field(packet, "timestamp");
  if (timestamp == nullptr) return std::nullopt;
  if (timestamp->is_number()) {
    const auto seconds = timestamp->get<double>();
    if (!(seconds >= 0 && seconds <= static_cast<double>(kMaxSeconds))) return std::nullopt;
    return static_cast<uint64_t>(seconds);
  }
  if (!timestamp->is_string()) return std::nullopt;
  const std::string text = timestamp->get<std::string>();
  uint64_t seconds = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), seconds);
  const bool is_whole = end == text.data() + text.size() || *end == '.';
  if (error != std::errc() || !is_whole || seconds > kMaxSeconds) return std::nullopt;
  return seconds;
}

// Answers that only a destination gives: port unreachable.
bool IsPortUnreachable(const Json& received, const wire::IpAddress& address) {
  const Json* icmp = ObjectField(received, "icmp");
  if (icmp == nullptr) return false;
  const std::optional<uint64_t> type = NumberField(*icmp, "type", 0xff);
  const std::optional<uint64_t> code = NumberField(*icmp, "code", 0xff);
  return address.IsV4() ? type == 3U && code == 3U : type == 1U && code == 4U;
}

// One flow's hops, read one by one.
class FlowReader {
 public:
  FlowReader(const std::string& origin, ImportCounts& counts) : origin_(origin), counts_(counts) {}

  TracedFlow flow;
  std::optional<uint16_t> source_port;
  std::optional<uint16_t> destination_port;

  void ReadHop(const Json& hop, size_t number) {
    const std::string where = absl::StrCat(origin_, ", entry ", number);
    const Json* sent = ObjectField(hop, "sent");
    const Json* ip = sent == nullptr ? nullptr : ObjectField(*sent, "ip");
    const std::optional<uint64_t> ttl =
        ip == nullptr ? std::nullopt : NumberField(*ip, "ttl", kMaxTtl);
    const std::optional<wire::IpAddress> destination =
        ip == nullptr ? std::nullopt : AddressField(*ip, "dst");
    if (ttl.value_or(0) == 0 || !destination.has_value()) {
      return Damaged(where, "no ttl from 1 to 255, or no address in dst, in sent.ip");
    }
    if (flow.destination.empty()) Begin(*sent, *ip, *destination);
    if (*destination != flow.destination) {
      return Damaged(where, absl::StrCat("sent to ", destination->ToString(),
                                         ", the flow's others to ", flow.destination.ToString()));
    }
    ++flow.probes_sent;
    flow.last_ttl = std::max(flow.last_ttl, static_cast<uint32_t>(*ttl));
    ReadAnswer(hop, static_cast<uint32_t>(*ttl), where);
  }

  void AppendFindings(const std::string& subject) {
    if (!zero_ttl_.empty()) flow.findings.push_back(ZeroTtlForwarding(subject));
    if (!nat_.empty()) flow.findings.push_back(NatOnPath(subject));
  }

 private:
  void Damaged(const std::string& where, const std::string& problem) {
    ++counts_.damaged;
    flow.findings.push_back(DamagedTrace(where, problem));
  }

  void Begin(const Json& sent, const Json& ip, const wire::IpAddress& destination) {
    flow.destination = destination;
    flow.source = AddressField(ip, "src").value_or(wire::IpAddress());
    flow.measured_at = TimeText(SecondsOf(sent));
    flow.headers.traffic_class = static_cast<uint8_t>(NumberField(ip, "tos", 0xff).value_or(0));
    const Json* udp = ObjectField(sent, "udp");
    if (udp == nullptr) return;
    if (const auto port = NumberField(*udp, "sport", kMaxPort); port.has_value()) {
      source_port = static_cast<uint16_t>(*port);
    }
    if (const auto port = NumberField(*udp, "dport", kMaxPort); port.has_value()) {
      destination_port = static_cast<uint16_t>(*port);
      flow.headers.udp_dst_port = *destination_port;
    }
  }

  void ReadAnswer(const Json& hop, uint32_t ttl, const std::string& where) {
    const Json* received = Field(hop, "received");
    if (received == nullptr || received->is_null()) return;  // silent
    const Json* ip = ObjectField(*received, "ip");
    const std::optional<wire::IpAddress> address =
        ip == nullptr ? std::nullopt : AddressField(*ip, "src");
    if (!address.has_value()) return Damaged(where, "no address in received.ip.src");
    flow.replies.push_back({.ttl = ttl,
                            .address = *address,
                            .from_destination = *address == flow.destination ||
                                                IsPortUnreachable(*received, *address)});
    if (FlagField(hop, "zerottl_forwarding_bug") && zero_ttl_.size() < kMaxEvidence) {
      zero_ttl_.push_back(
          {.what = absl::StrCat(address->ToString(), " got the packet with TTL 0 at hop"),
           .value = ttl,
           .unit = "",
           .origin = where});
    }
    const uint64_t nat_id = NumberField(hop, "nat_id", 0xffff).value_or(0);
    if (nat_id != nat_id_ && nat_.size() < kMaxEvidence) {
      nat_.push_back(
          {.what = absl::StrCat("NAT id from hop ", ttl, ", ", address->ToString(), ", on"),
           .value = static_cast<double>(nat_id),
           .unit = "",
           .origin = where});
    }
    nat_id_ = nat_id;
  }

  Finding ZeroTtlForwarding(const std::string& subject) {
    return {.code = "zero-ttl-forwarding",
            .severity = Severity::kWarning,
            .subject = subject,
            .evidence = std::move(zero_ttl_),
            .explanation =
                "The switch before this hop forwards packets whose TTL ran out instead of "
                "answering: it is hidden, and the next one answers at its hop too.",
            .what_to_do = "Count one switch more there; take no link between the two for real."};
  }

  Finding NatOnPath(const std::string& subject) {
    return {.code = "nat-on-path",
            .severity = Severity::kInfo,
            .subject = subject,
            .evidence = std::move(nat_),
            .explanation =
                "The packet's addresses or ports are rewritten there: switches behind it "
                "hash other headers than were sent.",
            .what_to_do = "Do not take a port that chooses a path before it for one behind it."};
  }

  const std::string& origin_;
  ImportCounts& counts_;
  std::vector<Evidence> zero_ttl_;
  std::vector<Evidence> nat_;
  uint64_t nat_id_ = 0;
};

// Entries behind the one that got to the destination repeat it.
size_t EntriesOf(const Json& hops) {
  for (size_t i = 0; i < hops.size(); ++i) {
    if (FlagField(hops[i], "is_last")) return i + 1;
  }
  return hops.size();
}

void ReadFlow(const std::string& port, const Json& hops, const std::string& origin,
              FlowTables& tables, std::vector<Finding>& findings, ImportCounts& counts) {
  FlowReader reader(origin, counts);
  const size_t entries = EntriesOf(hops);
  for (size_t i = 0; i < entries; ++i) reader.ReadHop(hops[i], i + 1);
  TracedFlow& flow = reader.flow;
  if (flow.destination.empty()) {  // nothing of it could be read
    findings.insert(findings.end(), flow.findings.begin(), flow.findings.end());
    return;
  }
  const bool varied_source = reader.source_port.has_value() &&
                             port == std::to_string(*reader.source_port) &&
                             port != std::to_string(reader.destination_port.value_or(0));
  if (varied_source) flow.udp_src_port = reader.source_port;
  flow.flow = absl::StrCat(varied_source ? "UDP source port " : "UDP destination port ", port);
  reader.AppendFindings(absl::StrCat(PairText(flow.source, flow.destination), ", ", flow.flow));
  tables.Add(flow, origin);
  ++counts.traces;
}

}  // namespace

absl::Status ReadDublinTraceroute(const Json& document, const std::string& name, FlowTables& tables,
                                  std::vector<Finding>& findings, ImportCounts& counts) {
  const Json* flows = ObjectField(document, "flows");
  if (flows == nullptr) {
    return absl::InvalidArgumentError("no object \"flows\" in the document");
  }
  for (const auto& [port, hops] : flows->items()) {
    const std::string origin = absl::StrCat(name, ", flow ", port);
    if (!hops.is_array() || hops.empty()) {
      ++counts.damaged;
      findings.push_back(DamagedTrace(origin, "no array of hops"));
      continue;
    }
    ReadFlow(port, hops, origin, tables, findings, counts);
  }
  return absl::OkStatus();
}

}  // namespace weft::topology
