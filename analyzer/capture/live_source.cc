// SPDX-License-Identifier: Apache-2.0
#include <pcap/pcap.h>
#include <poll.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "analyzer/capture/capture_source.h"
#include "analyzer/capture/link_number.h"
#include "analyzer/capture/open_capture.h"

namespace weft::analyzer {
namespace {

constexpr int64_t kNsPerSecond = 1'000'000'000;
// What one Read() holds of packets; at least one packet fits.
constexpr size_t kArenaBytes = size_t{1} << 20;
constexpr uint32_t kMaxSnaplen = 262144;  // libpcap's own bound

struct PcapCloser {
  void operator()(pcap_t* handle) const { pcap_close(handle); }
};
using PcapHandle = std::unique_ptr<pcap_t, PcapCloser>;

absl::Status ErrorOf(pcap_t* handle, int code, const std::string& interface) {
  const std::string reason = pcap_geterr(handle);
  const std::string message = absl::StrCat("interface ", interface, ": ", pcap_statustostr(code),
                                           reason.empty() ? "" : " (" + reason + ")");
  switch (code) {
    case PCAP_ERROR_NO_SUCH_DEVICE:
      return absl::NotFoundError(message);
    case PCAP_ERROR_PERM_DENIED:
    case PCAP_ERROR_PROMISC_PERM_DENIED:
      return absl::PermissionDeniedError(message);
    default:
      return absl::UnavailableError(message);
  }
}

// Packets are copied: libpcap hands its ring back to the kernel as it goes on.
class LiveSource final : public CaptureSource {
 public:
  LiveSource(PcapHandle handle, const LiveOptions& options)
      : handle_(std::move(handle)),
        poll_ms_(options.poll_ms),
        snaplen_(static_cast<size_t>(pcap_snapshot(handle_.get()))),
        arena_(std::max(kArenaBytes, snaplen_)) {
    subsecond_ns_ =
        pcap_get_tstamp_precision(handle_.get()) == PCAP_TSTAMP_PRECISION_NANO ? 1 : 1000;
    CaptureInterface interface;
    interface.file = options.interface;
    interface.name = options.interface;
    interface.link_type = LinkNumber(static_cast<uint16_t>(pcap_datalink(handle_.get())));
    interface.snaplen = static_cast<uint32_t>(snaplen_);
    pattern_.has_time = true;
    pattern_.link_type = static_cast<wire::LinkType>(interface.link_type);
    pattern_.link_is_known = wire::IsKnownLinkType(interface.link_type);
    interfaces_.push_back(std::move(interface));
  }

  size_t Read(std::span<CapturedPacket> packets) override {
    if (packets.empty() || is_finished_) return 0;
    packets_ = packets.first(std::min(packets.size(), arena_.size() / snaplen_));
    count_ = 0;
    arena_used_ = 0;
    Dispatch();
    if (count_ > 0 || is_finished_) return count_;
    pollfd ready{.fd = pcap_get_selectable_fd(handle_.get()), .events = POLLIN, .revents = 0};
    // Without a descriptor to wait for (no Linux interface) poll() only waits.
    poll(&ready, ready.fd < 0 ? 0 : 1, poll_ms_);
    Dispatch();
    return count_;
  }
  bool finished() const override { return is_finished_; }

  const std::vector<CaptureInterface>& interfaces() const override {
    pcap_stat counts = {};
    if (pcap_stats(handle_.get(), &counts) == 0) {
      interfaces_.front().dropped = uint64_t{counts.ps_drop} + counts.ps_ifdrop;
    }
    return interfaces_;
  }
  const std::vector<CaptureProblem>& problems() const override { return problems_; }
  CaptureProgress progress() const override { return {.bytes_read = bytes_, .bytes_total = 0}; }

 private:
  static void OnPacket(u_char* source, const pcap_pkthdr* header, const u_char* bytes) {
    reinterpret_cast<LiveSource*>(source)->Take(*header, bytes);
  }

  void Dispatch() {
    const int result = pcap_dispatch(handle_.get(), static_cast<int>(packets_.size()), OnPacket,
                                     reinterpret_cast<u_char*>(this));
    if (result >= 0) return;
    // An interface that went down or away; what was read before stays good.
    problems_.push_back({.file = interfaces_.front().file,
                         .offset = bytes_,
                         .what = std::string(pcap_geterr(handle_.get()))});
    is_finished_ = true;
  }

  void Take(const pcap_pkthdr& header, const u_char* bytes) {
    const size_t captured = std::min<size_t>(header.caplen, snaplen_);
    if (count_ == packets_.size() || captured > arena_.size() - arena_used_) return;
    std::byte* copy = arena_.data() + arena_used_;
    std::memcpy(copy, bytes, captured);
    arena_used_ += captured;
    CaptureInterface& interface = interfaces_.front();
    CapturedPacket& packet = packets_[count_++];
    packet = pattern_;
    packet.number = ++interface.packets;
    packet.time_ns =
        int64_t{header.ts.tv_sec} * kNsPerSecond + int64_t{header.ts.tv_usec} * subsecond_ns_;
    packet.wire_bytes = std::max(header.len, static_cast<uint32_t>(captured));
    packet.bytes = {copy, captured};
    interface.cut_packets += captured < packet.wire_bytes ? 1u : 0u;
    bytes_ += captured;
  }

  PcapHandle handle_;
  int poll_ms_;
  size_t snaplen_;
  std::vector<std::byte> arena_;
  size_t arena_used_ = 0;
  int64_t subsecond_ns_ = 0;
  CapturedPacket pattern_;
  std::span<CapturedPacket> packets_;  // of the Read() that goes on
  size_t count_ = 0;
  uint64_t bytes_ = 0;
  bool is_finished_ = false;
  mutable std::vector<CaptureInterface> interfaces_;  // the drop count is asked for when needed
  std::vector<CaptureProblem> problems_;
};

absl::Status CheckOptions(const LiveOptions& options) {
  if (options.snaplen == 0 || options.snaplen > kMaxSnaplen) {
    return absl::InvalidArgumentError(
        absl::StrCat("snaplen ", options.snaplen, ": between 1 and ", kMaxSnaplen, " expected"));
  }
  if (options.buffer_bytes == 0 || options.buffer_bytes > uint32_t{1} << 30) {
    return absl::InvalidArgumentError(
        absl::StrCat("buffer of ", options.buffer_bytes, " bytes: 1 to 2^30 expected"));
  }
  if (options.poll_ms < 1 || options.poll_ms > 60'000) {
    return absl::InvalidArgumentError(
        absl::StrCat("poll time of ", options.poll_ms, " ms: 1 to 60000 expected"));
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<std::unique_ptr<CaptureSource>> OpenLive(const LiveOptions& options) {
  if (absl::Status status = CheckOptions(options); !status.ok()) return status;
  std::array<char, PCAP_ERRBUF_SIZE> error{};
  PcapHandle handle(pcap_create(options.interface.c_str(), error.data()));
  if (handle == nullptr) {
    return absl::UnavailableError(
        absl::StrCat("interface ", options.interface, ": ", error.data()));
  }
  pcap_set_snaplen(handle.get(), static_cast<int>(options.snaplen));
  pcap_set_buffer_size(handle.get(), static_cast<int>(options.buffer_bytes));
  pcap_set_promisc(handle.get(), options.promiscuous ? 1 : 0);
  pcap_set_timeout(handle.get(), options.poll_ms);
  pcap_set_immediate_mode(handle.get(), 0);
  pcap_set_tstamp_precision(handle.get(), PCAP_TSTAMP_PRECISION_NANO);  // microseconds otherwise
  if (const int result = pcap_activate(handle.get()); result < 0) {
    return ErrorOf(handle.get(), result, options.interface);
  }
  if (pcap_setnonblock(handle.get(), 1, error.data()) != 0) {
    return absl::UnavailableError(
        absl::StrCat("interface ", options.interface, ": ", error.data()));
  }
  return std::make_unique<LiveSource>(std::move(handle), options);
}

}  // namespace weft::analyzer
