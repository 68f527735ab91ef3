// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "analyzer/capture/byte_source.h"
#include "analyzer/capture/capture_source.h"
#include "analyzer/capture/record_buffer.h"

namespace weft::analyzer {

// A record that is longer is no packet: the file is damaged there. Also what the memory for one
// packet is bounded by.
inline constexpr uint32_t kMaxPacketBytes = 16u << 20;

// OpenCapture() over any bytes; `name` is what messages and interfaces call them. `chunk_bytes`:
// how many are held at once, as long as no record is longer.
absl::StatusOr<std::unique_ptr<CaptureSource>> OpenCaptureBytes(
    std::unique_ptr<ByteSource> bytes, const std::string& name,
    size_t chunk_bytes = RecordBuffer::kChunkBytes);

}  // namespace weft::analyzer
