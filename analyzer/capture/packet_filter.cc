// SPDX-License-Identifier: Apache-2.0
#include "analyzer/capture/packet_filter.h"

#include <pcap/pcap.h>

#include <algorithm>
#include <array>
#include <map>
#include <mutex>

#include "analyzer/capture/link_number.h"
#include "analyzer/capture/open_capture.h"

namespace weft::analyzer {
namespace {

// Which expressions compile differs by link type: Ethernet first, whose reason is the one to tell.
constexpr std::array kLinkTypes = {
    wire::LinkType::kEthernet,   wire::LinkType::kNull,      wire::LinkType::kRawIp,
    wire::LinkType::kLoop,       wire::LinkType::kLinuxSll,  wire::LinkType::kErf,
    wire::LinkType::kIpv4,       wire::LinkType::kIpv6,      wire::LinkType::kIpoib,
    wire::LinkType::kInfiniband, wire::LinkType::kLinuxSll2,
};

// libpcap's DLT_ number on this system.
int DltOf(wire::LinkType type) {
  return type == wire::LinkType::kRawIp ? DLT_RAW : static_cast<int>(type);
}

class Program {
 public:
  Program() = default;
  ~Program() { pcap_freecode(&program_); }  // takes an empty one too
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;

  // Empty, or the reason for which it does not compile.
  std::string Compile(const std::string& expression, wire::LinkType type) {
    // The compiler of libpcap before 1.8 keeps its state in globals.
    static std::mutex mutex;
    const std::lock_guard lock(mutex);
    pcap_t* handle = pcap_open_dead(DltOf(type), static_cast<int>(kMaxPacketBytes));
    if (handle == nullptr) return "no memory";
    std::string reason;
    if (pcap_compile(handle, &program_, expression.c_str(), 1, PCAP_NETMASK_UNKNOWN) != 0) {
      reason = pcap_geterr(handle);
      if (reason.empty()) reason = "libpcap gives no reason";
    }
    pcap_close(handle);
    return reason;
  }

  bool Matches(const CapturedPacket& packet) const {
    pcap_pkthdr header = {};
    header.caplen = static_cast<bpf_u_int32>(packet.bytes.size());
    header.len = packet.wire_bytes;
    return pcap_offline_filter(&program_, &header,
                               reinterpret_cast<const u_char*>(packet.bytes.data())) != 0;
  }

 private:
  bpf_program program_{};
};

}  // namespace

struct PacketFilter::Programs {
  std::map<wire::LinkType, Program> by_link_type;
};

absl::StatusOr<PacketFilter> PacketFilter::Compile(const std::string& expression) {
  auto programs = std::make_unique<Programs>();
  std::string first_reason;
  for (const wire::LinkType type : kLinkTypes) {
    const std::string reason = programs->by_link_type[type].Compile(expression, type);
    if (!reason.empty()) programs->by_link_type.erase(type);
    if (type == kLinkTypes.front()) first_reason = reason;
  }
  if (programs->by_link_type.empty()) {
    return absl::InvalidArgumentError("filter \"" + expression + "\": " + first_reason);
  }
  return PacketFilter(std::move(programs));
}

bool PacketFilter::Matches(const CapturedPacket& packet) {
  if (!packet.link_is_known) return false;
  const auto program = programs_->by_link_type.find(packet.link_type);
  return program != programs_->by_link_type.end() && program->second.Matches(packet);
}

PacketFilter::PacketFilter(std::unique_ptr<Programs> programs) : programs_(std::move(programs)) {}
PacketFilter::PacketFilter(PacketFilter&&) noexcept = default;
PacketFilter& PacketFilter::operator=(PacketFilter&&) noexcept = default;
PacketFilter::~PacketFilter() = default;

}  // namespace weft::analyzer
