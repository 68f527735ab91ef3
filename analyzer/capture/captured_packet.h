// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "wire/frame.h"

namespace weft::analyzer {

// One packet of a capture, from a file or a live source.
struct CapturedPacket {
  uint64_t number = 0;  // counted from 1 over all inputs, in the order in which they are given out
  int64_t time_ns = 0;  // since 1970-01-01 UTC; 0 where !has_time
  bool has_time = false;    // simple packet blocks have none
  uint32_t wire_bytes = 0;  // on the wire; at least bytes.size()
  std::span<const std::byte> bytes{};
  wire::LinkType link_type = wire::LinkType::kEthernet;
  bool link_is_known = true;  // otherwise `link_type` is a LINKTYPE_ number without a name
  uint32_t interface = 0;     // index into CaptureSource::interfaces()
};

}  // namespace weft::analyzer
