// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "analyzer/capture/captured_packet.h"

namespace weft::analyzer {

// A BPF expression as tcpdump takes it, compiled by libpcap for each link type that occurs. Note
// that plain "udp port 4791" misses frames with a VLAN tag, and IPv6 where udp[] is used.
class PacketFilter {
 public:
  // InvalidArgument with libpcap's reason; Unimplemented in a build without libpcap.
  static absl::StatusOr<PacketFilter> Compile(const std::string& expression);

  // False too for packets of a link type for which the expression does not compile.
  bool Matches(const CapturedPacket& packet);

  PacketFilter(PacketFilter&&) noexcept;
  PacketFilter& operator=(PacketFilter&&) noexcept;
  ~PacketFilter();

 private:
  struct Programs;
  explicit PacketFilter(std::unique_ptr<Programs> programs);
  std::unique_ptr<Programs> programs_;
};

}  // namespace weft::analyzer
