// SPDX-License-Identifier: Apache-2.0
#include "probe/trace/oddities.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"

namespace weft::probe {
namespace {

using topology::Evidence;
using topology::Path;
using topology::PathTable;
using topology::Severity;

// Fewer end-to-end probes say nothing of whether packets are lost behind a hop.
constexpr uint32_t kProbesToJudgeLoss = 5;
// A limit loses so many times more of the answers than the way itself loses of the packets.
constexpr double kLimitOverLoss = 3;

Evidence Number(std::string what, double value, std::string unit, std::string origin) {
  return {std::move(what), value, std::move(unit), std::move(origin)};
}
Evidence Fact(std::string what, std::string origin) {
  return {std::move(what), std::nullopt, "", std::move(origin)};
}

std::string HopName(uint32_t hop, const wire::IpAddress& address) {
  if (hop == 0) return "the source";
  return absl::StrCat("hop ", hop, " (", address.empty() ? "silent" : address.ToString(), ")");
}

std::string ClassText(uint32_t traffic_class) { return absl::StrFormat("0x%02x", traffic_class); }

class Teller {
 public:
  Teller(const PairTrace& pair, const IcmpBudget& budget, const OdditiesInput& input,
         PathTable& table)
      : pair_(pair), budget_(budget), input_(input), options_(*input.options), table_(table) {}

  void Tell() {
    for (const RepeatVerdict& change : pair_.route_changes()) TellRouteChange(change);
    TellModes();
    for (const AddressRepeat& repeat : pair_.RepeatedAddresses()) TellRepeatedAddress(repeat);
    for (const AddressRepeat& loop : pair_.Loops()) TellLoop(loop);
    if (pair_.dscp_change()) TellClass(*pair_.dscp_change(), true);
    if (pair_.ecn_change()) TellClass(*pair_.ecn_change(), false);
    TellSilentHops();
    TellLimits();
    if (input_.own_tunnel) {
      TellOwnTunnel(*input_.own_tunnel);
    } else if (options_.blueprint != nullptr) {
      TellHidden(*options_.blueprint);
    }
    if (input_.tells_unseen_quotes) TellUnseenQuotes();
  }

 private:
  double Seconds(int64_t time_ns) const {
    return static_cast<double>(time_ns - input_.begin_ns) * 1e-9;
  }

  void Add(std::string code, Severity severity, std::string subject, std::vector<Evidence> evidence,
           std::string explanation, std::string what_to_do) {
    table_.findings.push_back({std::move(code), severity, std::move(subject), std::move(evidence),
                               std::move(explanation), std::move(what_to_do)});
  }

  std::string PairName() const {
    const auto name = [](const std::string& node, const wire::IpAddress& address) {
      return node.empty() ? address.ToString() : node;
    };
    return absl::StrCat(name(table_.source, table_.source_address), " -> ",
                        name(table_.destination, table_.destination_address));
  }

  void TellRouteChange(const RepeatVerdict& change) {
    const bool again = pair_.route_changes().size() > 1;
    Add("route-changed", Severity::kWarning, PairName(),
        {Number("the old way was seen until", Seconds(change.after_ns), "s after the start",
                absl::StrCat("port ", change.udp_src_port, ": ", change.from.ToString(),
                             " answered at TTL ", change.hop + 1)),
         Number("the new way was seen at", Seconds(change.by_ns), "s after the start",
                absl::StrCat("the same port: ", change.to.ToString(), " answered")),
         Number("flows that moved", change.moved_count, absl::StrCat("of ", change.flow_count),
                "asked again at the end of the trace")},
        "The network changed while it was traced: flows took another way from then on.",
        again ? "Trace again when the network is calm." : "Nothing: the pair was traced again.");
    if (!again) return;
    table_.void_reason = absl::StrCat("the routes past ", HopName(change.hop, change.address),
                                      " changed again while they were traced");
  }

  void TellModes() {
    uint32_t first_hop = UINT32_MAX;
    for (const RepeatVerdict& verdict : pair_.RepeatVerdicts()) {
      const bool per_packet = verdict.stability == FlowStability::kPerPacket;
      if (!per_packet && verdict.stability != FlowStability::kUnstable) continue;
      first_hop = std::min(first_hop, verdict.hop);
      if (verdict.hop > first_hop) continue;  // it only hears of the first
      std::vector<Evidence> evidence = {
          Number("flows with several responders", verdict.moved_count,
                 absl::StrCat("of ", verdict.flow_count, " asked again"),
                 absl::StrCat(verdict.probe_count, " repeated probes with TTL ", verdict.hop + 1)),
          Fact(absl::StrCat("port ", verdict.udp_src_port, ": ", verdict.from.ToString(), ", then ",
                            verdict.to.ToString()),
               "one flow's answers")};
      const std::string subject = HopName(verdict.hop, verdict.address);
      if (per_packet) {
        Add("per-packet", Severity::kWarning, subject, std::move(evidence),
            "It spreads the packets of one flow over its next hops: no source port chooses a path.",
            "Count its links as one shared link; steering has no effect there. RoCE needs NICs "
            "that accept packets out of order on such paths.");
      } else {
        Add("flow-moves", Severity::kInfo, subject, std::move(evidence),
            "Flows change their way between one probe and the next: flowlet or adaptive, or routes "
            "that keep changing. No source port chooses a path for long.",
            "An experiment with pauses and load tells which.");
      }
    }
  }

  void TellRepeatedAddress(const AddressRepeat& repeat) {
    Add("repeated-address", Severity::kInfo, repeat.address.ToString(),
        {Number("flows that it answered at two TTLs", repeat.flow_count, "flows",
                absl::StrCat("TTL ", repeat.first_hop, " and ", repeat.again_hop))},
        "It answers at two TTLs in a row: the switch before it passes on packets whose TTL has "
        "ended, or it handles TTLs wrongly itself. It counts as one hop, and the one before may be "
        "missing.",
        "Check how the switches before it treat TTL 1.");
  }

  void TellLoop(const AddressRepeat& loop) {
    Add("routing-loop", Severity::kError, PairName(),
        {Fact(absl::StrCat(loop.address.ToString(), " answered at TTL ", loop.first_hop,
                           " and again at TTL ", loop.again_hop),
              "others answered in between"),
         Number("flows that go round", loop.flow_count, "flows", "none of them arrives")},
        "Packets come back to a switch that they have left, and never arrive.",
        "Compare the routes of the switches between the two TTLs.");
  }

  void TellClass(const ClassChange& change, bool is_dscp) {
    const std::string sent = ClassText(options_.traffic_class);
    const std::string seen = ClassText(change.traffic_class);
    std::string subject;
    if (change.hop_index == 0) {
      subject = absl::StrCat("between the last hop",
                             change.before.empty() ? "" : " (" + change.before.ToString() + ")",
                             " and the receiver");
    } else if (change.hop_index == 1) {
      subject = "before the first switch";
    } else {
      subject = absl::StrCat("between ", HopName(change.hop_index - 1, change.before), " and ",
                             HopName(change.hop_index, change.address));
    }
    std::vector<Evidence> evidence = {
        Fact("traffic class as sent " + sent, "the probes"),
        Number("probes that were seen with " + seen, change.probe_count, "probes",
               change.hop_index == 0 ? "the receiver's IP header"
                                     : "ICMP quotes of " + change.address.ToString())};
    const bool by_host = change.hop_index == 1;
    if (is_dscp) {
      Add("dscp-changed", Severity::kWarning, subject, std::move(evidence),
          by_host ? "The DSCP is another one before the packet meets a switch: the host's own "
                    "policy rewrites it."
                  : "The DSCP is rewritten on the way: from there on other queues are used.",
          by_host ? "Check the host's traffic control and NIC settings."
                  : "Check trust and remarking at the switch where it changes.");
    } else {
      Add("ecn-marked", Severity::kInfo, subject, std::move(evidence),
          (change.traffic_class & 3) == 3
              ? "Packets are marked as having met congestion."
              : "The ECN bits are changed on the way, so that congestion marks cannot arrive.",
          (change.traffic_class & 3) == 3 ? "Look at the queues of the switch where it begins."
                                          : "Check what rewrites the traffic class there.");
    }
  }

  // One for each hop and address before it.
  void TellSilentHops() {
    absl::flat_hash_set<std::pair<uint32_t, wire::IpAddress>> told;
    const bool changing = std::ranges::any_of(
        table_.paths, [](const Path& path) { return path.udp_src_ports.empty(); });
    if (changing) return;  // addresses are left out there that did answer
    for (const Path& path : table_.paths) {
      if (!path.reaches_destination) continue;
      for (size_t i = 0; i < path.hops.size(); ++i) {
        const topology::Hop& hop = path.hops[i];
        if (!hop.address.empty()) continue;
        const wire::IpAddress before = i == 0 ? pair_.source() : path.hops[i - 1].address;
        if (!told.emplace(hop.hop_index, before).second) continue;
        const uint32_t slow = budget_.SlowMissCount(
            {.before = before, .expected = {}, .ttl = static_cast<uint8_t>(hop.hop_index)});
        Add("silent-hop", Severity::kInfo,
            absl::StrCat("hop ", hop.hop_index, " after ",
                         before.empty() ? "a silent one" : before.ToString()),
            {Number("flows that nobody answered", pair_.graph().SilentFlowCount(hop.hop_index),
                    "flows", absl::StrCat("probes with TTL ", hop.hop_index)),
             Number("of the tries, sent slowly", slow, "tries",
                    absl::StrFormat("at %g/s, to tell silence from a limit on answers",
                                    IcmpBudget::kSlowestRate))},
            "A switch that passes packets on and never answered, or whose answers get lost. How "
            "many there are at this hop is not known.",
            "Allow it to send ICMP time exceeded, or give its place by a fabric file.");
      }
    }
  }

  void TellLimits() {
    absl::flat_hash_set<wire::IpAddress> told;
    for (const Path& path : table_.paths) {
      for (const topology::Hop& hop : path.hops) {
        if (hop.address.empty() || !told.insert(hop.address).second) continue;
        const std::optional<IcmpLimit> limit = budget_.LimitOf(hop.address);
        if (limit) TellLimit(hop, *limit);
      }
    }
  }

  // Packets that are lost on the way are lost behind the hop as well.
  void TellLimit(const topology::Hop& hop, const IcmpLimit& limit) {
    const double missed =
        1 - static_cast<double>(limit.answered) / static_cast<double>(limit.asked);
    const EndToEnd behind = pair_.EndToEndPast(hop.hop_index, hop.address);
    if (behind.sent >= kProbesToJudgeLoss) {
      const double lost = 1 - static_cast<double>(behind.answered) / behind.sent;
      if (lost * kLimitOverLoss > missed) return;
    }
    Add("icmp-rate-limited", Severity::kInfo, HopName(hop.hop_index, hop.address),
        {Number("answered", static_cast<double>(limit.answered),
                absl::StrCat("of ", limit.asked, " probes"), "probes whose TTL ends there"),
         Number("slowest rate at which it was asked", limit.per_second, "1/s",
                "halved where answers were missed"),
         Number("probes that arrived past it", behind.answered,
                absl::StrCat("of ", behind.sent, " probes"), "the same flows, end to end")},
        "It answers only so many probes a second. The paths are what they would be without the "
        "limit; finding them took longer.",
        "Nothing, or raise the limit while tracing.");
  }

  // Whatever answered, it is of the overlay.
  void TellOwnTunnel(const OwnTunnel& tunnel) {
    const std::string remote = tunnel.remote.empty() ? "" : tunnel.remote.ToString();
    table_.hidden_reason = topology::kOwnOverlayReason;
    Add("overlay", Severity::kWarning, PairName(),
        {Fact(absl::StrCat("route leaves by ", tunnel.device, " (", tunnel.kind,
                           "), remote underlay address ", remote.empty() ? "not fixed" : remote),
              "this host's routes and devices")},
        "This host's own route leads into a tunnel, which hides the paths: what lies between its "
        "ends counts its own TTLs, and the tunnel chooses the ports that are hashed there.",
        remote.empty()
            ? "Trace the underlay by itself, to the addresses of the tunnel's other ends."
            : absl::StrCat("Trace the underlay by itself: weft-probe trace ", remote));
  }

  void TellUnseenQuotes() {
    Add("quotes-unseen", Severity::kInfo, PairName(),
        {Fact(options_.quotes_unseen_reason, "this process")},
        "Over IPv4 this process does not see what switches quote of a probe, nor the IP IDs of "
        "their answers: a DSCP or ECN that is rewritten on the way shows only at the receiver.",
        "Run as root or with CAP_NET_RAW (setcap cap_net_raw+ep) to see them.");
  }

  // Two hops in a row that are no neighbours where it was built have something between them that
  // counts no TTL: a tunnel's inside where all paths are so, a switch of its own where some are.
  void TellHidden(const topology::Fabric& blueprint) {
    size_t hidden_count = 0;
    std::pair<std::string, std::string> ends;
    for (const Path& path : table_.paths) {
      bool hidden = false;
      for (size_t i = 1; i < path.hops.size(); ++i) {
        const auto a = blueprint.FindAddress(path.hops[i - 1].address);
        const auto b = blueprint.FindAddress(path.hops[i].address);
        if (!a || !b || *a == *b) continue;
        const auto& links = blueprint.adjacencies(*a);
        if (std::ranges::any_of(links, [&](const auto& link) { return link.neighbour == *b; })) {
          continue;
        }
        hidden = true;
        ends = {blueprint.node(*a).name, blueprint.node(*b).name};
      }
      if (hidden) ++hidden_count;
    }
    if (hidden_count == 0) return;
    std::vector<Evidence> evidence = {
        Fact(absl::StrCat(ends.first, " and ", ends.second, " answer one after the other"),
             "the trace"),
        Fact("they are no neighbours", "the fabric file"),
        Number("paths of which this is so", static_cast<double>(hidden_count),
               absl::StrCat("of ", table_.paths.size()), "the trace")};
    if (hidden_count == table_.paths.size()) {
      table_.hidden_reason = topology::kOverlayReason;
      Add("overlay", Severity::kWarning, absl::StrCat(ends.first, " -> ", ends.second),
          std::move(evidence),
          "A tunnel between the two hides the paths: what lies between them counts its own TTLs.",
          "Trace the underlay by itself, between addresses of the tunnel's ends.");
    } else {
      Add("hidden-hop", Severity::kInfo, absl::StrCat(ends.first, " -> ", ends.second),
          std::move(evidence), "A switch between the two does not count the TTL.",
          "Check its TTL handling; its links cannot be told from its neighbours'.");
    }
  }

  const PairTrace& pair_;
  const IcmpBudget& budget_;
  const OdditiesInput& input_;
  const TraceOptions& options_;
  PathTable& table_;
};

}  // namespace

void TellOddities(const PairTrace& pair, const IcmpBudget& budget, const OdditiesInput& input,
                  PathTable& table) {
  Teller(pair, budget, input, table).Tell();
}

}  // namespace weft::probe
