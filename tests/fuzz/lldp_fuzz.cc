// SPDX-License-Identifier: Apache-2.0
// LLDPDUs and the DCBX in them.
#include <vector>

#include "tests/fuzz/expect.h"
#include "wire/dcbx.h"

namespace weft::wire {
namespace {

void ExpectInside(std::span<const std::byte> part, std::span<const std::byte> whole) {
  fuzz::Expect(part.empty() || (part.data() >= whole.data() &&
                                part.data() + part.size() <= whole.data() + whole.size()),
               "every value lies in the LLDPDU");
}

std::vector<std::byte> Rewritten(const Lldp& lldp, size_t room) {
  std::vector<std::byte> bytes(room);
  ByteWriter writer(bytes);
  WriteLldpTlvs(lldp, writer);
  WriteLldpEnd(writer);
  fuzz::Expect(writer.ok(), "what was read can be written");
  bytes.resize(writer.written());
  return bytes;
}

void FuzzDcbx(const Lldp& lldp) {
  const std::optional<Dcbx> dcbx = ParseDcbx(lldp);
  if (!dcbx.has_value() || dcbx->is_cee || dcbx->applications.size() > 170) return;
  Lldp bare = lldp;
  bare.organizations.clear();
  std::vector<std::byte> bytes(4096);
  ByteWriter writer(bytes);
  WriteLldpTlvs(bare, writer);
  WriteDcbx(*dcbx, writer);
  WriteLldpEnd(writer);
  fuzz::Expect(writer.ok(), "DCBX that was read can be written");
  Dcbx expected = *dcbx;
  expected.is_malformed = false;
  const std::optional<Lldp> again = ParseLldp(writer.written_bytes());
  const bool has_any = expected.ets.has_value() || expected.ets_recommendation.has_value() ||
                       expected.pfc.has_value() || !expected.applications.empty();
  fuzz::Expect(again.has_value(), "and the LLDPDU with it reads");
  fuzz::Expect(ParseDcbx(*again) == (has_any ? std::optional(expected) : std::nullopt),
               "as the same DCBX");
}

void FuzzLldp(std::span<const std::byte> bytes) {
  const std::optional<Lldp> lldp = ParseLldp(bytes);
  if (!lldp.has_value()) return;
  for (const auto part : {lldp->port_description, lldp->system_name, lldp->system_description}) {
    ExpectInside(part, bytes);
    fuzz::Expect(LldpText(part).size() == part.size(), "a text is as long as its bytes");
  }
  if (lldp->chassis.has_value()) ExpectInside(lldp->chassis->value, bytes);
  if (lldp->chassis.has_value()) ChassisIdText(*lldp->chassis);
  if (lldp->port.has_value()) PortIdText(*lldp->port);
  for (const auto& address : lldp->management_addresses) ExpectInside(address.value, bytes);
  for (const auto& tlv : lldp->organizations) ExpectInside(tlv.value, bytes);
  fuzz::Expect(lldp->organizations.size() * 6 <= bytes.size(), "memory is bounded by the input");

  // An LLDPDU of reserved types alone has nothing to write.
  if (!lldp->chassis.has_value()) return;
  const std::vector<std::byte> rewritten = Rewritten(*lldp, bytes.size() + 64);
  const std::optional<Lldp> again = ParseLldp(rewritten);
  fuzz::Expect(again.has_value() && again->is_complete == lldp->ttl_s.has_value(),
               "what was written is complete");
  fuzz::Expect(Rewritten(*again, bytes.size() + 64) == rewritten, "and writes as the same bytes");
  FuzzDcbx(*lldp);
}

}  // namespace
}  // namespace weft::wire

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  weft::wire::FuzzLldp(weft::fuzz::AsBytes(data, size));
  return 0;
}
