// SPDX-License-Identifier: Apache-2.0
#include "wire/deth.h"

namespace weft::wire {

Deth ReadDeth(ByteReader& reader) {
  Deth deth;
  deth.q_key = reader.U32();
  reader.Take(1);
  deth.source_qpn = reader.U24();
  return deth;
}

std::optional<Deth> ParseDeth(std::span<const std::byte> bytes) {
  ByteReader reader(bytes);
  const Deth deth = ReadDeth(reader);
  if (!reader.ok()) return std::nullopt;
  return deth;
}

void WriteDeth(const Deth& deth, ByteWriter& writer) {
  constexpr uint32_t kQpnMask = 0xffffff;
  writer.U32(deth.q_key);
  writer.Zeroes(1);
  writer.U24(deth.source_qpn & kQpnMask);
}

}  // namespace weft::wire
