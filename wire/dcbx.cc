// SPDX-License-Identifier: Apache-2.0
#include "wire/dcbx.h"

#include <algorithm>
#include <bit>

namespace weft::wire {
namespace {

constexpr uint32_t kIeeeOui = 0x0080c2;
constexpr uint8_t kEtsSubtype = 9;
constexpr uint8_t kEtsRecommendationSubtype = 10;
constexpr uint8_t kPfcSubtype = 11;
constexpr uint8_t kApplicationSubtype = 12;

constexpr uint32_t kCeeOui = 0x001b21;
constexpr uint8_t kCeeSubtype = 2;
constexpr uint8_t kCeeGroups = 2;
constexpr uint8_t kCeePfc = 3;
constexpr uint8_t kCeeApplication = 4;

constexpr uint8_t kEtsAlgorithm = 2;
constexpr size_t kApplicationBytes = 3;
constexpr size_t kCeeApplicationBytes = 6;

// First byte of ETS.
constexpr uint8_t kWillingBit = 0x80;
constexpr uint8_t kShaperBit = 0x40;
constexpr uint8_t kMaxClassesMask = 0x07;
// First byte of PFC.
constexpr uint8_t kBypassBit = 0x40;
constexpr uint8_t kCapabilityMask = 0x0f;
// Flags of CEE.
constexpr uint8_t kCeeWillingBit = 0x40;

// Four bits each, priority 0 first.
void ReadClasses(ByteReader& reader, EtsTable& table) {
  for (size_t priority = 0; priority < kDcbxPriorities; priority += 2) {
    const uint8_t two = reader.U8();
    table.traffic_class[priority] = two >> 4;
    table.traffic_class[priority + 1] = two & 0xf;
  }
}

std::optional<EtsTable> ReadEts(std::span<const std::byte> value) {
  ByteReader reader(value);
  EtsTable table;
  const uint8_t flags = reader.U8();
  table.is_willing = (flags & kWillingBit) != 0;
  table.has_credit_based_shaper = (flags & kShaperBit) != 0;
  table.max_traffic_classes = flags & kMaxClassesMask;
  ReadClasses(reader, table);
  for (uint8_t& percent : table.bandwidth_percent) percent = reader.U8();
  for (uint8_t& algorithm : table.algorithm) algorithm = reader.U8();
  if (!reader.ok()) return std::nullopt;
  return table;
}

// Its first byte is reserved.
std::optional<EtsTable> ReadEtsRecommendation(std::span<const std::byte> value) {
  std::optional<EtsTable> table = ReadEts(value);
  if (!table.has_value()) return std::nullopt;
  table->is_willing = false;
  table->has_credit_based_shaper = false;
  table->max_traffic_classes = 0;
  return table;
}

std::optional<PfcSettings> ReadPfc(std::span<const std::byte> value) {
  ByteReader reader(value);
  PfcSettings pfc;
  const uint8_t flags = reader.U8();
  pfc.is_willing = (flags & kWillingBit) != 0;
  pfc.bypasses_macsec = (flags & kBypassBit) != 0;
  pfc.max_classes = flags & kCapabilityMask;
  pfc.enabled_priorities = reader.U8();
  if (!reader.ok()) return std::nullopt;
  return pfc;
}

void ReadApplications(std::span<const std::byte> value, Dcbx& dcbx) {
  ByteReader reader(value);
  reader.U8();  // reserved
  while (reader.ok() && reader.remaining() >= kApplicationBytes) {
    const uint8_t flags = reader.U8();
    const uint8_t selector = flags & 7;
    DcbxApplication application;
    application.priorities = static_cast<uint8_t>(1 << (flags >> 5));
    if (selector <= static_cast<uint8_t>(DcbxSelector::kDscp)) {
      application.selector = static_cast<DcbxSelector>(selector);
    }
    application.protocol = reader.U16();
    dcbx.applications.push_back(application);
  }
  if (!reader.ok() || reader.remaining() != 0) dcbx.is_malformed = true;
}

template <typename Table>
void Keep(std::optional<Table> read, std::optional<Table>& kept, Dcbx& dcbx) {
  if (!read.has_value()) {
    dcbx.is_malformed = true;
  } else if (!kept.has_value()) {
    kept = read;
  }
}

// False: another TLV of that organisation.
bool TakeIeee(const LldpOrganization& tlv, Dcbx& dcbx) {
  switch (tlv.subtype) {
    case kEtsSubtype:
      Keep(ReadEts(tlv.value), dcbx.ets, dcbx);
      return true;
    case kEtsRecommendationSubtype:
      Keep(ReadEtsRecommendation(tlv.value), dcbx.ets_recommendation, dcbx);
      return true;
    case kPfcSubtype:
      Keep(ReadPfc(tlv.value), dcbx.pfc, dcbx);
      return true;
    case kApplicationSubtype:
      ReadApplications(tlv.value, dcbx);
      return true;
    default:
      return false;
  }
}

void ReadCeeGroups(ByteReader reader, bool is_willing, Dcbx& dcbx) {
  EtsTable table;
  table.is_willing = is_willing;
  ReadClasses(reader, table);
  for (uint8_t& percent : table.bandwidth_percent) percent = reader.U8();
  table.max_traffic_classes = reader.U8() & kMaxClassesMask;
  table.algorithm.fill(kEtsAlgorithm);
  Keep(reader.ok() ? std::optional(table) : std::nullopt, dcbx.ets, dcbx);
}

void ReadCeePfc(ByteReader reader, bool is_willing, Dcbx& dcbx) {
  PfcSettings pfc;
  pfc.is_willing = is_willing;
  pfc.enabled_priorities = reader.U8();
  pfc.max_classes = reader.U8();
  Keep(reader.ok() ? std::optional(pfc) : std::nullopt, dcbx.pfc, dcbx);
}

void ReadCeeApplications(ByteReader reader, Dcbx& dcbx) {
  while (reader.remaining() >= kCeeApplicationBytes) {
    DcbxApplication application;
    application.protocol = reader.U16();
    const uint8_t selector = reader.U8() & 3;
    reader.U16();  // the rest of the OUI
    application.priorities = reader.U8();
    if (selector == 0) application.selector = DcbxSelector::kEthertype;
    if (selector == 1) application.selector = DcbxSelector::kAnyPort;
    dcbx.applications.push_back(application);
  }
  if (reader.remaining() != 0) dcbx.is_malformed = true;
}

// A row of TLVs like LLDP's own. A feature begins with two versions, flags and a subtype.
Dcbx ReadCee(std::span<const std::byte> value) {
  constexpr int kLengthBits = 9;
  constexpr uint16_t kLengthMask = (1 << kLengthBits) - 1;
  Dcbx dcbx;
  dcbx.is_cee = true;
  ByteReader reader(value);
  while (reader.remaining() > 0) {
    const uint16_t header = reader.U16();
    ByteReader feature(reader.Take(header & kLengthMask));
    if (!reader.ok()) break;
    const int type = header >> kLengthBits;
    if (type < kCeeGroups || type > kCeeApplication) continue;
    feature.U16();  // versions
    const bool is_willing = (feature.U8() & kCeeWillingBit) != 0;
    feature.U8();  // subtype
    if (type == kCeeGroups) ReadCeeGroups(feature, is_willing, dcbx);
    if (type == kCeePfc) ReadCeePfc(feature, is_willing, dcbx);
    if (type == kCeeApplication) {
      dcbx.is_malformed |= !feature.ok();
      ReadCeeApplications(feature, dcbx);
    }
  }
  dcbx.is_malformed |= !reader.ok();
  return dcbx;
}

void WriteEts(const EtsTable& table, uint8_t subtype, ByteWriter& writer) {
  std::array<std::byte, 21> value;
  ByteWriter out(value);
  const bool is_recommendation = subtype == kEtsRecommendationSubtype;
  out.U8(is_recommendation ? uint8_t{0}
                           : static_cast<uint8_t>((table.is_willing ? kWillingBit : 0) |
                                                  (table.has_credit_based_shaper ? kShaperBit : 0) |
                                                  (table.max_traffic_classes & kMaxClassesMask)));
  for (size_t priority = 0; priority < kDcbxPriorities; priority += 2) {
    out.U8(static_cast<uint8_t>(table.traffic_class[priority] << 4 |
                                (table.traffic_class[priority + 1] & 0xf)));
  }
  for (const uint8_t percent : table.bandwidth_percent) out.U8(percent);
  for (const uint8_t algorithm : table.algorithm) out.U8(algorithm);
  WriteLldpOrganization({kIeeeOui, subtype, out.written_bytes()}, writer);
}

void WritePfc(const PfcSettings& pfc, ByteWriter& writer) {
  std::array<std::byte, 2> value;
  ByteWriter out(value);
  out.U8(static_cast<uint8_t>((pfc.is_willing ? kWillingBit : 0) |
                              (pfc.bypasses_macsec ? kBypassBit : 0) |
                              (pfc.max_classes & kCapabilityMask)));
  out.U8(pfc.enabled_priorities);
  WriteLldpOrganization({kIeeeOui, kPfcSubtype, out.written_bytes()}, writer);
}

// An application of several priorities is written by its lowest one.
void WriteApplications(const std::vector<DcbxApplication>& applications, ByteWriter& writer) {
  std::array<std::byte, 511> value;
  ByteWriter out(value);
  out.U8(0);
  for (const DcbxApplication& application : applications) {
    const int priority = std::min(std::countr_zero(application.priorities), 7);
    out.U8(static_cast<uint8_t>(priority << 5 | static_cast<uint8_t>(application.selector)));
    out.U16(application.protocol);
  }
  if (!out.ok()) writer.Fail();
  WriteLldpOrganization({kIeeeOui, kApplicationSubtype, out.written_bytes()}, writer);
}

}  // namespace

std::optional<Dcbx> ParseDcbx(const Lldp& lldp) {
  Dcbx ieee;
  bool has_ieee = false;
  std::optional<Dcbx> cee;
  for (const LldpOrganization& tlv : lldp.organizations) {
    if (tlv.oui == kIeeeOui && TakeIeee(tlv, ieee)) has_ieee = true;
    if (tlv.oui == kCeeOui && tlv.subtype == kCeeSubtype && !cee.has_value()) {
      cee = ReadCee(tlv.value);
    }
  }
  return has_ieee ? std::optional(ieee) : cee;
}

void WriteDcbx(const Dcbx& dcbx, ByteWriter& writer) {
  if (dcbx.ets.has_value()) WriteEts(*dcbx.ets, kEtsSubtype, writer);
  if (dcbx.ets_recommendation.has_value()) {
    WriteEts(*dcbx.ets_recommendation, kEtsRecommendationSubtype, writer);
  }
  if (dcbx.pfc.has_value()) WritePfc(*dcbx.pfc, writer);
  if (!dcbx.applications.empty()) WriteApplications(dcbx.applications, writer);
}

}  // namespace weft::wire
