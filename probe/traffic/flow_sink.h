// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <random>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "probe/traffic/psn_tracker.h"
#include "probe/traffic/traffic_packet.h"
#include "wire/ip_address.h"
#include "wire/traffic.h"

namespace weft::probe {

struct FlowLimits {
  size_t flows = 4096;  // at once
  uint64_t rate_bps = 100'000'000'000;
  uint32_t duration_ms = 3'600'000;
  uint32_t packet_payload_bytes = 4096;
};

// What a responder knows of the elephants sent to it: which ones it accepted, and what of them
// came. Only logic: time comes in as a parameter (any monotonic clock), packets go out as messages.
// Nothing is allocated for a data packet.
class FlowSink {
 public:
  static constexpr int64_t kHeartbeatNs = 200'000'000;
  static constexpr int64_t kForgetNs = 30'000'000'000;  // after the last that was heard of a flow

  // `seed` chooses the QPNs that accepted flows are given.
  FlowSink(const FlowLimits& limits, uint64_t seed);

  // An accept or a refusal. Asking again with the same token gives the same answer.
  wire::TrafficMessage OnOffer(const wire::IpAddress& source, uint64_t token,
                               const wire::TrafficOffer& offer, const ControlPacket& packet,
                               int64_t now_ns);
  // false: no such flow, or not from the address that offered it.
  bool OnData(const wire::IpAddress& source, const DataPacket& data, int64_t now_ns);
  // Whether a packet to this QPN can be data of an accepted flow from `source`.
  bool Expects(const wire::IpAddress& source, uint32_t dest_qpn) const;
  // A report; nullopt: no such flow.
  std::optional<wire::TrafficMessage> OnDone(const wire::IpAddress& source, uint64_t token,
                                             const wire::TrafficDone& done, int64_t now_ns);

  // A control message and where it goes.
  struct Outgoing {
    wire::IpAddress destination;
    uint16_t udp_dst_port = 0;
    uint32_t dest_qpn = 0;
    uint32_t q_key = 0;
    wire::IpAddress source;  // the address that the flow was offered to
    wire::TrafficMessage message{};
  };
  // Appends the heartbeats that are due: one every kHeartbeatNs for each flow of which data came
  // since the last. Also forgets flows.
  void Tick(int64_t now_ns, std::vector<Outgoing>& heartbeats);

  // The address that the flow was offered to, for heartbeats of a responder that has several.
  void SetLocalAddress(const wire::IpAddress& source, uint64_t token, const wire::IpAddress& local);

  size_t flow_count() const { return flows_.size(); }

 private:
  struct Flow {
    Flow(const wire::TrafficOffer& accepted) : offer(accepted), psns(accepted.first_psn) {}
    wire::TrafficOffer offer;
    PsnTracker psns;
    wire::IpAddress source;
    wire::IpAddress local;
    uint64_t token = 0;
    uint32_t qpn = 0;
    uint32_t control_qpn = 0;  // of the sender, with its Q_Key: where control packets go
    uint32_t control_q_key = 0;
    wire::TrafficReport report;  // packets and bytes; the PSN counts are added on demand
    int64_t heard_ns = 0;
    int64_t heartbeat_ns = 0;  // when the next is due
    bool data_since_heartbeat = false;
  };
  using Name = std::pair<wire::IpAddress, uint64_t>;

  Flow* Find(const wire::IpAddress& source, uint64_t token);
  uint32_t UnusedQpn();
  std::optional<wire::TrafficRefuse> Refusal(const wire::TrafficOffer& offer) const;

  FlowLimits limits_;
  std::mt19937_64 random_;
  absl::flat_hash_map<uint32_t, std::unique_ptr<Flow>> flows_;  // by the QPN given
  absl::flat_hash_map<Name, uint32_t> qpns_;
};

}  // namespace weft::probe
