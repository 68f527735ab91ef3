// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "probe/trace/hop_graph.h"
#include "probe/trace/hop_repeats.h"
#include "probe/trace/icmp_budget.h"
#include "probe/trace/port_source.h"
#include "probe/trace/probe_plan.h"
#include "probe/trace/probe_runner.h"
#include "topology/records/path_table.h"

namespace weft::probe {

struct PairTraceOptions {
  uint32_t max_ttl = 30;
  uint32_t silent_hop_limit = 3;  // so many in a row: the path does not reach
  uint32_t ports_per_path = 0;    // at least, as far as they can be found
  wire::IpAddress source{};       // where the probes come from
  uint8_t traffic_class = 0;      // that they are sent with
};

// Probes that reached the destination, and their tries before that did not.
struct EndToEnd {
  uint32_t sent = 0;
  uint32_t answered = 0;
};

// Where a probe was seen with another DSCP, or other ECN bits, than it was sent with.
struct ClassChange {
  uint32_t hop_index = 0;   // of the switch whose quote shows it first; 0: only the receiver saw it
  wire::IpAddress address;  // of that switch; none: the receiver
  wire::IpAddress before;   // the hop before, which answered with the class as it was sent
  uint8_t traffic_class = 0;
  uint32_t probe_count = 0;  // that showed it at this hop
};

// The same address at several TTLs of one flow.
struct AddressRepeat {
  wire::IpAddress address;
  uint32_t first_hop = 0;
  uint32_t again_hop = 0;
  uint32_t flow_count = 0;
  bool operator==(const AddressRepeat&) const = default;
};

// The trace from one source to one destination, as a state machine: says what to ask next and hears
// the outcomes.
class PairTrace {
 public:
  // `wanted_ports` are asked first and end up in the table; `avoid_ports` are never used.
  PairTrace(ProbeTarget target, std::span<const uint16_t> wanted_ports,
            std::span<const uint16_t> avoid_ports, uint64_t seed, PairTraceOptions options);

  const ProbeTarget& target() const { return target_; }

  // What to ask next, with each vertex's stopping rule at `alpha`; only when every probe of the
  // last plan has its outcome. Empty: nothing is lacking, or the destination cannot be probed at
  // all.
  std::vector<PlannedProbe> Plan(double alpha);
  uint16_t PortOf(uint32_t flow) const { return graph_.flows()[flow].udp_src_port; }
  // How often to ask before the hop is called silent, out of `tries`: once where silence is no
  // news.
  uint32_t TriesFor(const PlannedProbe& probe, uint32_t tries) const;
  // Where its TTL ends, as far as that is known.
  HopPlace PlaceOf(const PlannedProbe& probe) const;
  // Tells the budget which address follows which.
  void TeachLinks(IcmpBudget& budget) const;
  // Silence after this hop was not silence: it is asked again where it counts. True: there was any.
  bool ForgetSilence(const HopPlace& place);
  void OnOutcome(const PlannedProbe& probe, const ProbeOutcome& outcome);

  const wire::IpAddress& source() const { return options_.source; }
  const HopGraph& graph() const { return graph_; }
  uint32_t probes_sent() const { return probes_sent_; }
  // At least one probe reached the destination.
  bool reached() const { return reached_; }
  // The destination says that nobody listens there.
  bool has_no_responder() const { return !no_responder_.empty(); }
  // Why the trace is not complete; empty: it is.
  std::string Problem() const;
  // Every stopping rule holds.
  bool Settled() const;

  // The paths and the ports that lead there, in the order of their hops. probes_sent and
  // probes_answered are those that reached the destination, and their tries before that did not;
  // the state is alive where none of them was lost, otherwise it is unknown.
  std::vector<topology::Path> Paths() const;
  // What was odd.
  const std::vector<RepeatVerdict>& route_changes() const { return route_changes_; }
  std::vector<RepeatVerdict> RepeatVerdicts() const { return repeats_.Verdicts(); }
  // Of the hop that is the first not to send a flow the same way all the time; nullopt: there is
  // none.
  std::optional<RepeatVerdict> FirstChanging() const {
    return changing_.empty() ? std::nullopt : std::optional(changing_[0]);
  }
  // Other pairs have seen that these spread per packet.
  void LearnPerPacket(std::span<const wire::IpAddress> addresses) {
    repeats_.LearnPerPacket(addresses);
  }
  std::vector<topology::HopBehaviour> HopBehaviours() const;
  std::vector<AddressRepeat> RepeatedAddresses() const;  // at consecutive TTLs
  std::vector<AddressRepeat> Loops() const;              // of flows that never arrive
  // Of the flows that pass the vertex.
  EndToEnd EndToEndPast(uint32_t hop, const wire::IpAddress& address) const;
  const std::optional<ClassChange>& dscp_change() const { return dscp_change_; }
  const std::optional<ClassChange>& ecn_change() const { return ecn_change_; }

  // Wanted ports that are on no known path.
  std::vector<uint16_t> UnplacedPorts() const;

 private:
  std::vector<PlannedProbe> PlanRepeats(double alpha);
  void Restart();
  void AddWantedFlows();
  void WatchClass(const PlannedProbe& probe, const ProbeOutcome& outcome);
  // The first hop that does not send a flow the same way all the time: nothing that was measured
  // after it belongs to one flow.
  const RepeatVerdict* ChangingVertexOf(uint32_t flow) const;
  std::optional<topology::Path> PathOf(uint32_t flow) const;

  ProbeTarget target_;
  PairTraceOptions options_;
  std::vector<uint16_t> wanted_ports_;
  PortSource ports_;
  HopGraph graph_;
  std::vector<EndToEnd> end_to_end_;  // by flow
  HopRepeats repeats_;
  std::vector<RepeatVerdict> changing_;       // vertices that do not hash
  std::vector<RepeatVerdict> route_changes_;  // at most two: after the first it is traced again
  bool judged_ = false;
  std::optional<ClassChange> dscp_change_;
  std::optional<ClassChange> ecn_change_;
  uint32_t probes_sent_ = 0;
  bool reached_ = false;
  bool out_of_ports_ = false;
  std::string no_responder_;  // what the destination said instead
  std::string refusal_;       // what a switch said
  std::string taken_port_;    // why the first port that could not be had could not
  std::string failure_;       // why it cannot be probed at all
};

}  // namespace weft::probe
