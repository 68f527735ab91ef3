// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "wire/aeth.h"
#include "wire/atomic_eth.h"
#include "wire/bth.h"
#include "wire/deth.h"
#include "wire/opcode.h"
#include "wire/reth.h"

// The transport part of an InfiniBand packet, which is the same on InfiniBand, RoCEv1 and RoCEv2:
//   | BTH | headers that the opcode asks for | payload | pad 0-3 | ICRC |
// InfiniBand Architecture Specification, volume 1, sections 9.2 and 9.3.
namespace weft::wire {

struct RdmaPacket {
  Bth bth{};
  uint16_t headers = 0;  // bits of wire::header whose fields below are valid: asked for and there
  Reth reth{};
  Aeth aeth{};
  AtomicEth atomic{};
  uint64_t atomic_original = 0;  // AtomicAckETH
  Deth deth{};
  uint32_t immediate = 0;
  uint32_t invalidated_r_key = 0;        // IETH
  uint32_t xrc_srqn = 0;                 // XRCETH: shared receive queue, 24 bits
  uint32_t ee_context = 0;               // RDETH, 24 bits
  std::span<const std::byte> payload{};  // without pad and ICRC; what is there of it where cut
  size_t payload_bytes = 0;              // what the payload was on the wire

  bool Has(uint16_t header_bits) const { return (headers & header_bits) == header_bits; }
  const OpcodeInfo& info() const { return InfoOf(bth.opcode); }
};

enum class RdmaReadResult : uint8_t {
  kOk,         // the BTH is there; `headers` says which of the others are
  kCut,        // ends inside the BTH
  kMalformed,  // a BTH of another version, or `wire_bytes` too short for what the opcode asks for
};

// Reads from the BTH on. `wire_bytes`: what there was on the wire from the BTH through the ICRC;
// `bytes` may have less (a cut capture) and nothing beyond it is read. A packet cut behind its BTH
// is kOk with fewer `headers`. Writes `packet` for kOk; only fields whose bit is in `headers` are
// written, so that a caller may use one struct over and over. Allocates nothing.
RdmaReadResult ReadRdma(std::span<const std::byte> bytes, size_t wire_bytes, RdmaPacket& packet);

// Writes BTH through pad, without the ICRC: the headers in `packet.headers`, in their order, then
// packet.payload and zeroes up to a multiple of four; pad is set by it. Returns the bytes written,
// 0 where `out` is too small. The opcode is not checked against the headers, so tests may build
// wrong packets.
size_t WriteRdma(const RdmaPacket& packet, std::span<std::byte> out);

}  // namespace weft::wire
