// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "analyzer/capture/file_reader.h"

namespace weft::analyzer {

// pcap: draft-ietf-opsawg-pcap, and the formats that share its file header.
//   magic       record header                                    sub-second part
//   a1b2c3d4    16 bytes: seconds, sub-second, captured, length  microseconds
//   a1b23c4d    16                                               nanoseconds
//   a1b2cd34    24: these, interface, protocol, packet type      microseconds (Kuznetsov's libpcap)
//   a1e2cb12    24: these, time source, interface, protocol, ... nanoseconds (netsniff-ng)
// Each in the byte order of who wrote it.
class PcapReader final : public FileReader {
 public:
  static constexpr size_t kFileHeaderBytes = 24;

  static bool IsMagic(uint32_t first_four_bytes);  // in either byte order
  // `buffer` begins with a magic. InvalidArgument for a header that is cut or contradicts itself.
  static absl::StatusOr<std::unique_ptr<CaptureSource>> Open(RecordBuffer buffer,
                                                             const std::string& name);

  size_t Read(std::span<CapturedPacket> packets) override;

 private:
  struct Format {
    uint32_t magic = 0;
    uint32_t record_header_bytes = 0;
    int64_t subsecond_ns = 0;
  };
  static std::optional<Format> FormatOf(uint32_t magic);

  PcapReader(std::string name, RecordBuffer buffer, const Format& format, bool is_swapped);
  absl::Status ReadFileHeader();
  template <bool kSwap>
  size_t ReadBuffered(std::span<CapturedPacket> packets);
  void FillOrStop();

  Format format_;
  bool is_swapped_;
  bool has_old_lengths_ = false;  // of a writer that may have put them the other way round
  uint32_t max_packet_bytes_ = 0;
  CapturedPacket pattern_;  // what all packets of the file have in common
};

}  // namespace weft::analyzer
