// SPDX-License-Identifier: Apache-2.0
#include "wire/atomic_eth.h"

namespace weft::wire {

AtomicEth ReadAtomicEth(ByteReader& reader) {
  AtomicEth atomic;
  atomic.address = reader.U64();
  atomic.r_key = reader.U32();
  atomic.swap_or_add = reader.U64();
  atomic.compare = reader.U64();
  return atomic;
}

std::optional<AtomicEth> ParseAtomicEth(std::span<const std::byte> bytes) {
  ByteReader reader(bytes);
  const AtomicEth atomic = ReadAtomicEth(reader);
  if (!reader.ok()) return std::nullopt;
  return atomic;
}

void WriteAtomicEth(const AtomicEth& atomic, ByteWriter& writer) {
  writer.U64(atomic.address);
  writer.U32(atomic.r_key);
  writer.U64(atomic.swap_or_add);
  writer.U64(atomic.compare);
}

}  // namespace weft::wire
