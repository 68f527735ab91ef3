// SPDX-License-Identifier: Apache-2.0
#include "analyzer/capture/open_capture.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "analyzer/capture/load_number.h"
#include "analyzer/capture/pcap_reader.h"
#include "analyzer/capture/pcapng_format.h"
#include "analyzer/capture/pcapng_reader.h"

namespace weft::analyzer {
namespace {

constexpr size_t kMagicBytes = 4;

absl::Status NoCapture(const RecordBuffer& buffer, const std::string& name) {
  const absl::Status& status = buffer.source().status();
  if (!status.ok()) return absl::InvalidArgumentError(absl::StrCat(name, ": ", status.message()));
  if (buffer.bytes().empty()) {
    return absl::InvalidArgumentError(name + ": is empty, a pcap or pcapng file expected");
  }
  std::string hex;
  for (const std::byte byte : buffer.bytes().first(std::min(buffer.bytes().size(), kMagicBytes))) {
    absl::StrAppend(&hex, hex.empty() ? "" : " ",
                    absl::Hex(static_cast<uint8_t>(byte), absl::kZeroPad2));
  }
  return absl::InvalidArgumentError(
      absl::StrCat(name, ": begins with ", hex, ", which is neither pcap nor pcapng"));
}

}  // namespace

absl::StatusOr<std::unique_ptr<CaptureSource>> OpenCaptureBytes(std::unique_ptr<ByteSource> bytes,
                                                                const std::string& name,
                                                                size_t chunk_bytes) {
  RecordBuffer buffer(std::move(bytes), chunk_bytes);
  if (!buffer.Fill(kMagicBytes)) return NoCapture(buffer, name);
  const uint32_t magic = Load32<false>(buffer.bytes().data());
  if (PcapReader::IsMagic(magic)) return PcapReader::Open(std::move(buffer), name);
  if (magic == static_cast<uint32_t>(BlockType::kSection)) {
    return PcapngReader::Open(std::move(buffer), name);
  }
  return NoCapture(buffer, name);
}

absl::StatusOr<std::unique_ptr<CaptureSource>> OpenCapture(const std::string& path) {
  auto bytes = OpenByteSource(path);
  if (!bytes.ok()) return bytes.status();
  return OpenCaptureBytes(*std::move(bytes), path);
}

}  // namespace weft::analyzer
