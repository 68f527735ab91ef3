// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "analyzer/capture/captured_packet.h"

namespace weft::analyzer {

// Writes packets to a pcapng file (draft-ietf-opsawg-pcapng): one section, little-endian, times in
// nanoseconds, an interface for each link type that occurs.
class CaptureWriter {
 public:
  // "-": standard output.
  static absl::StatusOr<std::unique_ptr<CaptureWriter>> Create(const std::string& path);
  virtual ~CaptureWriter() = default;

  virtual absl::Status Write(const CapturedPacket& packet) = 0;
  virtual absl::Status Close() = 0;  // flushes; an error of any write is told here at the latest
};

}  // namespace weft::analyzer
