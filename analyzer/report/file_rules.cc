// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "analyzer/report/capture_rules.h"

namespace weft::analyzer {
namespace {

using topology::Severity;
using wire::FrameClass;

uint64_t PacketsOf(const Traffic& traffic, FrameClass frame_class) {
  return traffic.by_class[static_cast<size_t>(frame_class)];
}

void NoRoce(const CaptureAnalysis& analysis, Drafts& drafts) {
  if (analysis.totals.roce_packets > 0) return;
  const Traffic& traffic = analysis.traffic;
  FindingDraft draft("no-roce", Severity::kWarning, "capture", 1e12);
  draft.Count("packets", traffic.packets);
  std::vector<std::pair<uint64_t, FrameClass>> held;
  for (size_t i = 0; i < wire::kFrameClasses; ++i) {
    if (traffic.by_class[i] > 0) {
      held.emplace_back(traffic.by_class[i], static_cast<FrameClass>(i));
    }
  }
  std::ranges::stable_sort(held, [](const auto& a, const auto& b) { return a.first > b.first; });
  if (held.size() > 6) held.resize(6);
  for (const auto& [count, frame_class] : held) draft.Count(wire::ToString(frame_class), count);
  std::string what =
      "Usual reasons: the NIC's own traffic bypasses the kernel, so a capture on "
      "the host sees it only with the driver's sniffer or a mirror port; the "
      "application fell back to TCP or accelerated sockets, which are plain "
      "Ethernet; the filter left VLAN-tagged or tunnelled RoCE out.";
  if (PacketsOf(traffic, FrameClass::kIwarp) > 0) what += " iWARP is RDMA over TCP, not RoCE.";
  if (PacketsOf(traffic, FrameClass::kCut) > traffic.packets / 2) {
    what += " Most packets are cut before the headers that would tell.";
  }
  draft.Explain("No packet of RoCE or InfiniBand is in the capture.", std::move(what));
  drafts.push_back(std::move(draft));
}

void LostBySystem(std::span<const CaptureInterface> interfaces, Drafts& drafts) {
  for (const CaptureInterface& interface : interfaces) {
    if (interface.dropped.value_or(0) == 0) continue;
    drafts.push_back(
        FindingDraft("capture-lost-packets", Severity::kWarning,
                     interface.name.empty() ? interface.file : interface.name,
                     static_cast<double>(*interface.dropped))
            .Count("dropped by the capturing system, as it says itself", *interface.dropped)
            .Count("captured", interface.packets)
            .Explain("Packets are missing in the capture. Counts and rates are lower bounds.",
                     "Capture with a larger buffer or shorter packets, or on a mirror port."));
  }
}

// One ACK beyond a PSN that never appeared is proof: the receiver had it, the capture has not.
void LostByProof(const CaptureAnalysis& analysis, Drafts& drafts) {
  Tally lost;
  uint64_t flows = 0;
  uint64_t packets = 0;
  const FlowStats* worst = nullptr;
  for (const Connection& connection : analysis.connections) {
    for (const FlowStats* flow :
         {&connection.forward, connection.backward ? &*connection.backward : nullptr}) {
      if (flow == nullptr || flow->capture_lost.count == 0) continue;
      if (connection.vantage == Vantage::kSomePaths) continue;
      ++flows;
      packets += flow->packets;
      lost.count += flow->capture_lost.count;
      if (worst == nullptr || flow->capture_lost.count > worst->capture_lost.count) worst = flow;
    }
  }
  if (worst == nullptr) return;
  lost.packets = worst->capture_lost.packets;
  drafts.push_back(
      FindingDraft("capture-lost-packets", Severity::kWarning, NameOf(worst->key),
                   static_cast<double>(lost.count))
          .Packets("never captured, yet acknowledged", lost)
          .Count("flows with such holes", flows, "flows")
          .Count("captured packets of these flows", packets)
          .Explain("The receiver acknowledged packets that are not in the capture: the capture "
                   "lost them, not the network. Counts and rates are lower bounds.",
                   "Do not read these holes as loss. Capture with a larger buffer or shorter "
                   "packets, or on a mirror port."));
}

void SomePaths(const CaptureAnalysis& analysis, Drafts& drafts) {
  uint64_t seen = 0;
  const Connection* first = nullptr;
  for (const Connection& connection : analysis.connections) {
    if (connection.vantage != Vantage::kSomePaths) continue;
    ++seen;
    if (first == nullptr) first = &connection;
  }
  if (first == nullptr) return;
  drafts.push_back(FindingDraft("some-paths-only", Severity::kInfo, NameOf(first->forward.key),
                                static_cast<double>(seen))
                       .Count("connections of which only some paths pass here", seen, "connections")
                       .Fact(first->vantage_reason)
                       .Explain("Part of these connections takes other paths than the one that "
                                "was captured. What is missing here was not lost.",
                                "Capture at the host, or on every uplink at once."));
}

void FileNotes(const CaptureAnalysis& analysis, Drafts& drafts) {
  const Traffic& traffic = analysis.traffic;
  if (analysis.totals.roce_packets == 0) return;
  if (traffic.cut_packets > 0) {
    drafts.push_back(FindingDraft("capture-cut", Severity::kInfo, "capture",
                                  static_cast<double>(traffic.cut_packets))
                         .Count("cut packets", traffic.cut_packets)
                         .Number("share of all", Share(traffic.cut_packets, traffic.packets), "%")
                         .Count("ICRCs that cannot be checked", analysis.totals.unchecked_icrc)
                         .Explain("Packets were captured with less than they had. Their ICRC "
                                  "cannot be checked, which is not an error.",
                                  "Capture whole packets where corruption is suspected."));
  }
  if (traffic.backward_steps > 0) {
    drafts.push_back(
        FindingDraft("times-step-back", Severity::kInfo, "capture",
                     static_cast<double>(traffic.backward_steps))
            .Count("packets earlier than the one before", traffic.backward_steps)
            .Explain("The capture is not in the order of its times (several queues or clocks). "
                     "Durations, reordering and who acted first are less certain.",
                     "Sort the capture, or capture with one queue and hardware times."));
  }
  if (!traffic.has_times) {
    drafts.push_back(FindingDraft("capture-without-times", Severity::kInfo, "capture", 0)
                         .Count("packets without a time", traffic.packets)
                         .Explain("No packet has a time: nothing that needs one is judged.",
                                  "Capture in a format with times."));
  }
  if (analysis.overflowed_packets > 0) {
    drafts.push_back(
        FindingDraft("too-many-flows", Severity::kWarning, "capture",
                     static_cast<double>(analysis.overflowed_packets))
            .Count("packets of flows beyond the table", analysis.overflowed_packets)
            .Explain("More flows than the table holds: those packets are in no connection.",
                     "Choose hosts, QPs or a time range."));
  }
}

// What one direction alone cannot show; packets below which it is no loss to say nothing.
constexpr uint64_t kOneWayPackets = 10;

void PairingNotes(const CaptureAnalysis& analysis, Drafts& drafts) {
  uint64_t one_way = 0;
  uint64_t ambiguous = 0;
  uint64_t reliable = 0;
  const Connection* first_one_way = nullptr;
  const Connection* first_ambiguous = nullptr;
  for (const Connection& connection : analysis.connections) {
    if (!IsReliable(connection.forward) || connection.forward.packets < kOneWayPackets) continue;
    ++reliable;
    if (connection.pairing == Pairing::kOneWay && ++one_way == 1) first_one_way = &connection;
    if (connection.pairing == Pairing::kAmbiguous && ++ambiguous == 1) {
      first_ambiguous = &connection;
    }
  }
  if (one_way > 0) {
    drafts.push_back(FindingDraft("one-way-capture", Severity::kInfo,
                                  NameOf(first_one_way->forward.key), static_cast<double>(one_way))
                         .Count("connections seen one way only", one_way, "connections")
                         .Count("connections in all", reliable, "connections")
                         .Explain("Of these connections no packet of the other direction was "
                                  "seen or none fits: ACKs, NAKs, CNPs, round trips and whether a "
                                  "missing packet was lost are unknown, not absent.",
                                  "Capture both directions, at a host or on both mirror sides."));
  }
  if (ambiguous > 0) {
    drafts.push_back(
        FindingDraft("ambiguous-pairing", Severity::kInfo, NameOf(first_ambiguous->forward.key),
                     static_cast<double>(ambiguous))
            .Count("flows that fit several others equally well", ambiguous, "flows")
            .Count("candidates of this one", first_ambiguous->candidates, "flows")
            .Explain("Which two flows are one connection cannot be told: they run in lock step "
                     "and the connection set-up is not in the capture. They are left apart.",
                     "Start the capture before the connections, so that CM names both QPs."));
  }
}

}  // namespace

void FileRules(const CaptureAnalysis& analysis, std::span<const CaptureInterface> interfaces,
               Drafts& drafts) {
  NoRoce(analysis, drafts);
  LostBySystem(interfaces, drafts);
  LostByProof(analysis, drafts);
  SomePaths(analysis, drafts);
  FileNotes(analysis, drafts);
  PairingNotes(analysis, drafts);
}

}  // namespace weft::analyzer
