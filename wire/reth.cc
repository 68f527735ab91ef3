// SPDX-License-Identifier: Apache-2.0
#include "wire/reth.h"

namespace weft::wire {

Reth ReadReth(ByteReader& reader) {
  Reth reth;
  reth.address = reader.U64();
  reth.r_key = reader.U32();
  reth.length = reader.U32();
  return reth;
}

std::optional<Reth> ParseReth(std::span<const std::byte> bytes) {
  ByteReader reader(bytes);
  const Reth reth = ReadReth(reader);
  if (!reader.ok()) return std::nullopt;
  return reth;
}

void WriteReth(const Reth& reth, ByteWriter& writer) {
  writer.U64(reth.address);
  writer.U32(reth.r_key);
  writer.U32(reth.length);
}

}  // namespace weft::wire
