// SPDX-License-Identifier: Apache-2.0
#include "analyzer/capture/capture_source.h"
#include "analyzer/capture/packet_filter.h"

// Stands in for live_source.cc and packet_filter.cc in a build without libpcap.
namespace weft::analyzer {
namespace {

constexpr char kReason[] = "this build is without libpcap, which it needs";

}  // namespace

absl::StatusOr<std::unique_ptr<CaptureSource>> OpenLive(const LiveOptions& options) {
  return absl::UnimplementedError("interface " + options.interface + ": " + kReason);
}

struct PacketFilter::Programs {};

absl::StatusOr<PacketFilter> PacketFilter::Compile(const std::string& expression) {
  return absl::UnimplementedError("filter \"" + expression + "\": " + kReason);
}
bool PacketFilter::Matches(const CapturedPacket&) { return false; }

PacketFilter::PacketFilter(std::unique_ptr<Programs> programs) : programs_(std::move(programs)) {}
PacketFilter::PacketFilter(PacketFilter&&) noexcept = default;
PacketFilter& PacketFilter::operator=(PacketFilter&&) noexcept = default;
PacketFilter::~PacketFilter() = default;

}  // namespace weft::analyzer
