// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>

#include "wire/frame.h"

// The two ways in which DissectFrame reads a frame, for tests and benchmarks that hold them
// together; others call DissectFrame.
namespace weft::wire {

// The straight one, for nearly every packet of a RoCE capture: Ethernet with at most one 802.1Q
// tag, IPv4 without options or IPv6 without extension headers, UDP to port 4791, and a sane BTH of
// a known or vendor's opcode. False, with `view` unchanged: anything else, or cut before the BTH
// ends.
bool DissectPlainRoce(std::span<const std::byte> frame, const FrameOptions& options,
                      FrameView& view);

// The general one, for every frame, plain ones too: for those it writes the same as above.
FrameClass DissectAnyFrame(LinkType link_type, std::span<const std::byte> frame, size_t wire_bytes,
                           const FrameOptions& options, FrameView& view);

}  // namespace weft::wire
