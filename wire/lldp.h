// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "wire/byte_reader.h"
#include "wire/byte_writer.h"

// What a neighbour says of itself: LLDP, IEEE 802.1AB. An LLDPDU is what follows ethertype 0x88cc,
// a row of TLVs
//   | type 7 | length 9 | value |
// of which chassis ID, port ID and time to live come first, in this order, and an empty one of type
// 0 ends the row. Captures of LLDP are rare packets: parsing may allocate.
namespace weft::wire {

inline constexpr uint16_t kEthertypeLldp = 0x88cc;

// An ID whose subtype says what its bytes are; clauses 8.5.2 and 8.5.3. The subtypes of chassis and
// ports differ.
struct LldpId {
  uint8_t subtype = 0;
  std::span<const std::byte> value{};
};

struct LldpManagementAddress {
  uint8_t family = 0;  // of IANA: 1 IPv4, 2 IPv6, 6 MAC address
  std::span<const std::byte> value{};
  uint8_t interface_numbering = 0;  // 1 unknown, 2 ifIndex, 3 system port number
  uint32_t interface_number = 0;
};

struct LldpOrganization {
  uint32_t oui = 0;  // 24 bits: 0x0080c2 IEEE 802.1, 0x00120f IEEE 802.3, 0x0012bb LLDP-MED
  uint8_t subtype = 0;
  std::span<const std::byte> value{};
};

struct LldpCapabilities {
  uint16_t system = 0;  // bit 2: bridge, bit 4: router, bit 7: station only; others: clause 8.5.8
  uint16_t enabled = 0;
};

// Spans point into the bytes that were parsed. A TLV that was not there leaves its field empty.
struct Lldp {
  std::optional<LldpId> chassis{};
  std::optional<LldpId> port{};
  std::optional<uint16_t> ttl_s{};  // 0: the neighbour leaves
  std::span<const std::byte> port_description{};
  std::span<const std::byte> system_name{};
  std::span<const std::byte> system_description{};
  std::optional<LldpCapabilities> capabilities{};
  std::vector<LldpManagementAddress> management_addresses{};
  std::vector<LldpOrganization> organizations{};
  // The end was reached and every TLV was as the standard says. False for a cut capture as for a
  // malformed LLDPDU: what stood before that place is here.
  bool is_complete = false;
};

// nullopt: not even one TLV. Reads every byte once.
std::optional<Lldp> ParseLldp(std::span<const std::byte> lldpdu);

// Writes what is there, in the order of the fields and without the end, so that more TLVs may
// follow; WriteLldpEnd then. Fails the writer where a value is longer than its TLV may be.
void WriteLldpTlvs(const Lldp& lldp, ByteWriter& writer);
void WriteLldpOrganization(const LldpOrganization& tlv, ByteWriter& writer);
void WriteLldpEnd(ByteWriter& writer);

// "02:00:00:00:00:01", "swp1", "10.1.1.1", by the subtype; others in hex.
std::string ChassisIdText(const LldpId& chassis);
std::string PortIdText(const LldpId& port);
std::string AddressText(const LldpManagementAddress& address);
// Of a name or description: bytes that are no printable ASCII count as '.', so that a terminal is
// safe with it.
std::string LldpText(std::span<const std::byte> value);

}  // namespace weft::wire
