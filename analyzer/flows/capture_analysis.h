// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "analyzer/capture/capture_source.h"
#include "analyzer/flows/connection.h"
#include "analyzer/flows/flow_table.h"
#include "analyzer/flows/steady_path.h"
#include "analyzer/flows/traffic_meter.h"

// All that a capture tells, in one pass.
namespace weft::analyzer {

struct CaptureTotals {
  uint64_t packets = 0;
  uint64_t roce_packets = 0;  // RoCEv2, RoCEv1 and InfiniBand with a BTH
  uint64_t connections = 0;
  uint64_t naks = 0;  // without RNR
  uint64_t rnr_naks = 0;
  uint64_t cnps = 0;
  uint64_t ecn_ce = 0;
  uint64_t retransmitted_packets = 0;
  uint64_t bad_icrc = 0;
  uint64_t unchecked_icrc = 0;
  bool operator==(const CaptureTotals&) const = default;
};

// QPs of one host pair against the source ports that spread them over paths.
struct HostPair {
  wire::NetworkAddress source;
  wire::NetworkAddress destination;
  uint32_t flows = 0;          // with data: RC, UC, XRC
  uint32_t udp_src_ports = 0;  // distinct ones
  uint16_t commonest_port = 0;
  uint32_t flows_on_commonest = 0;
  uint64_t bytes = 0;
  bool operator==(const HostPair&) const = default;
};

struct CaptureAnalysis {
  CaptureTotals totals;
  Traffic traffic;
  std::vector<Connection> connections;  // by first packet
  std::vector<HostPair> host_pairs;     // most bytes first
  uint64_t overflowed_packets = 0;      // of flows beyond what the table holds
};

struct AnalysisOptions {
  // Only connections with one of these QPNs, at either end; empty: all. The peer's QPN is known at
  // the end only, so `traffic` is of every QP, while totals, connections and pairs are of these.
  std::vector<uint32_t> qpns;
  std::vector<wire::NetworkAddress> hosts;  // only packets from or to one of these; empty: all
  std::optional<int64_t> from_ns = {};      // since 1970, inclusive
  std::optional<int64_t> until_ns = {};     // exclusive
  bool rdma_only = false;                   // only RDMA, with VLAN tags or in tunnels too
  bool check_icrc = true;
  bool uses_steady_path = true;  // for comparison: what is counted is the same without
  int64_t bin_ns = 1'000'000;
  FlowObserver* observer = nullptr;
};

// Whether a packet's time is within from_ns and until_ns; without a time only where neither is
// given.
inline bool IsInTime(const AnalysisOptions& options, const CapturedPacket& packet) {
  if (!options.from_ns && !options.until_ns) return true;
  if (!packet.has_time) return false;
  return (!options.from_ns || packet.time_ns >= *options.from_ns) &&
         (!options.until_ns || packet.time_ns < *options.until_ns);
}

// Not thread-safe.
class CaptureAnalyzer {
 public:
  explicit CaptureAnalyzer(const AnalysisOptions& options);

  // True where the options let this packet in: with `qpns`, a packet of RDMA to or from one of them
  // as far as its own headers tell. In the order of the capture.
  bool Add(const CapturedPacket& packet);
  // These are added next, in this order: at most kMaxExpected. Changes nothing but the speed.
  static constexpr size_t kMaxExpected = SteadyPath::kMaxExpected;
  void Expect(std::span<const CapturedPacket> packets) { steady_.Expect(packets); }
  CaptureAnalysis Finish();

  uint64_t steady_packets() const { return steady_packets_; }  // that took the short way

 private:
  bool LetsIn(const wire::FrameView& view) const;
  bool NamesQp(const wire::FrameView& view) const;

  AnalysisOptions options_;
  wire::FrameView view_;
  FlowTable flows_;
  TrafficMeter meter_;
  SteadyPath steady_;
  uint64_t steady_packets_ = 0;
};

}  // namespace weft::analyzer
