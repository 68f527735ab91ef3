// SPDX-License-Identifier: Apache-2.0
#include "wire/lldp.h"

#include <algorithm>
#include <array>

#include "wire/ip_address.h"

namespace weft::wire {
namespace {

enum class Tlv : uint8_t {
  kEnd = 0,
  kChassisId = 1,
  kPortId = 2,
  kTtl = 3,
  kPortDescription = 4,
  kSystemName = 5,
  kSystemDescription = 6,
  kCapabilities = 7,
  kManagementAddress = 8,
  kOrganization = 127,
};

constexpr int kLengthBits = 9;
constexpr uint16_t kLengthMask = (1 << kLengthBits) - 1;
constexpr size_t kMaxIdBytes = 255;
constexpr size_t kMaxAddressBytes = 31;
constexpr size_t kOrganizationHeaderBytes = 4;

constexpr uint8_t kFamilyIpv4 = 1;
constexpr uint8_t kFamilyIpv6 = 2;

std::optional<LldpId> ReadId(std::span<const std::byte> value) {
  ByteReader reader(value);
  LldpId id;
  id.subtype = reader.U8();
  id.value = reader.Rest();
  if (!reader.ok() || id.value.empty() || id.value.size() > kMaxIdBytes) return std::nullopt;
  return id;
}

// The first of its kind counts.
bool TakeId(std::span<const std::byte> value, std::optional<LldpId>& id) {
  if (id.has_value()) return false;
  id = ReadId(value);
  return id.has_value();
}

bool TakeText(std::span<const std::byte> value, std::span<const std::byte>& text) {
  if (!text.empty() || value.size() > kMaxIdBytes) return false;
  text = value;
  return true;
}

bool TakeManagementAddress(std::span<const std::byte> value, Lldp& lldp) {
  ByteReader reader(value);
  const size_t address_bytes = reader.U8();
  ByteReader address(reader.Take(address_bytes));
  LldpManagementAddress taken;
  taken.family = address.U8();
  taken.value = address.Rest();
  taken.interface_numbering = reader.U8();
  taken.interface_number = reader.U32();
  reader.Take(reader.U8());  // object identifier
  if (!reader.ok() || taken.value.empty() || taken.value.size() > kMaxAddressBytes) return false;
  lldp.management_addresses.push_back(taken);
  return true;
}

bool TakeOrganization(std::span<const std::byte> value, Lldp& lldp) {
  ByteReader reader(value);
  LldpOrganization taken;
  taken.oui = reader.U24();
  taken.subtype = reader.U8();
  if (!reader.ok()) return false;
  taken.value = reader.Rest();
  lldp.organizations.push_back(taken);
  return true;
}

// False: malformed.
bool TakeTlv(Tlv type, std::span<const std::byte> value, Lldp& lldp) {
  ByteReader reader(value);
  switch (type) {
    case Tlv::kChassisId:
      return TakeId(value, lldp.chassis);
    case Tlv::kPortId:
      return lldp.chassis.has_value() && TakeId(value, lldp.port);
    case Tlv::kTtl:
      if (!lldp.port.has_value() || lldp.ttl_s.has_value() || value.size() < 2) return false;
      lldp.ttl_s = reader.U16();
      return true;
    case Tlv::kPortDescription:
      return TakeText(value, lldp.port_description);
    case Tlv::kSystemName:
      return TakeText(value, lldp.system_name);
    case Tlv::kSystemDescription:
      return TakeText(value, lldp.system_description);
    case Tlv::kCapabilities: {
      LldpCapabilities capabilities;
      capabilities.system = reader.U16();
      capabilities.enabled = reader.U16();
      if (!reader.ok() || lldp.capabilities.has_value()) return false;
      lldp.capabilities = capabilities;
      return true;
    }
    case Tlv::kManagementAddress:
      return TakeManagementAddress(value, lldp);
    case Tlv::kOrganization:
      return TakeOrganization(value, lldp);
    default:
      return true;  // reserved types are passed over
  }
}

void WriteTlv(Tlv type, size_t value_bytes, ByteWriter& writer) {
  if (value_bytes > kLengthMask) writer.Fail();
  writer.U16(static_cast<uint16_t>(static_cast<size_t>(type) << kLengthBits |
                                   (value_bytes & kLengthMask)));
}

void WriteId(Tlv type, const LldpId& id, ByteWriter& writer) {
  if (id.value.size() > kMaxIdBytes) writer.Fail();
  WriteTlv(type, 1 + id.value.size(), writer);
  writer.U8(id.subtype);
  writer.Bytes(id.value);
}

void WriteText(Tlv type, std::span<const std::byte> text, ByteWriter& writer) {
  if (text.empty()) return;
  if (text.size() > kMaxIdBytes) writer.Fail();
  WriteTlv(type, text.size(), writer);
  writer.Bytes(text);
}

void WriteManagementAddress(const LldpManagementAddress& address, ByteWriter& writer) {
  constexpr size_t kAround = 1 + 1 + 1 + 4 + 1;
  if (address.value.size() > kMaxAddressBytes) writer.Fail();
  WriteTlv(Tlv::kManagementAddress, kAround + address.value.size(), writer);
  writer.U8(static_cast<uint8_t>(1 + address.value.size()));
  writer.U8(address.family);
  writer.Bytes(address.value);
  writer.U8(address.interface_numbering);
  writer.U32(address.interface_number);
  writer.U8(0);  // no object identifier
}

std::string Hex(std::span<const std::byte> bytes, const char* separator) {
  constexpr const char* kDigits = "0123456789abcdef";
  std::string text;
  for (const std::byte byte : bytes) {
    if (!text.empty()) text += separator;
    text += kDigits[static_cast<uint8_t>(byte) >> 4];
    text += kDigits[static_cast<uint8_t>(byte) & 0xf];
  }
  return text;
}

std::string NetworkText(uint8_t family, std::span<const std::byte> value) {
  constexpr size_t kMacBytes = 6;
  std::array<uint8_t, 16> octets{};
  std::ranges::transform(value.first(std::min(value.size(), octets.size())), octets.begin(),
                         [](std::byte byte) { return static_cast<uint8_t>(byte); });
  if (family == kFamilyIpv4 && value.size() == 4) {
    return IpAddress::V4(static_cast<uint32_t>(octets[0]) << 24 |
                         static_cast<uint32_t>(octets[1]) << 16 |
                         static_cast<uint32_t>(octets[2]) << 8 | octets[3])
        .ToString();
  }
  if (family == kFamilyIpv6 && value.size() == octets.size()) {
    return IpAddress::V6(octets).ToString();
  }
  return Hex(value, value.size() == kMacBytes ? ":" : "");
}

enum class IdForm : uint8_t { kText, kMac, kNetwork, kUnknown };

std::string IdText(IdForm form, std::span<const std::byte> value) {
  switch (form) {
    case IdForm::kText:
      return LldpText(value);
    case IdForm::kMac:
      return Hex(value, ":");
    case IdForm::kNetwork:
      if (value.empty()) return "";
      return NetworkText(static_cast<uint8_t>(value[0]), value.subspan(1));
    case IdForm::kUnknown:
      break;
  }
  return Hex(value, "");
}

}  // namespace

std::optional<Lldp> ParseLldp(std::span<const std::byte> lldpdu) {
  ByteReader reader(lldpdu);
  Lldp lldp;
  bool is_first = true;
  while (reader.remaining() > 0) {
    const uint16_t header = reader.U16();
    const auto type = static_cast<Tlv>(header >> kLengthBits);
    const std::span<const std::byte> value = reader.Take(header & kLengthMask);
    if (!reader.ok()) break;
    if (type == Tlv::kEnd) {
      lldp.is_complete = value.empty() && lldp.ttl_s.has_value();
      break;
    }
    if (!TakeTlv(type, value, lldp)) break;
    is_first = false;
  }
  if (is_first) return std::nullopt;
  return lldp;
}

void WriteLldpTlvs(const Lldp& lldp, ByteWriter& writer) {
  if (lldp.chassis.has_value()) WriteId(Tlv::kChassisId, *lldp.chassis, writer);
  if (lldp.port.has_value()) WriteId(Tlv::kPortId, *lldp.port, writer);
  if (lldp.ttl_s.has_value()) {
    WriteTlv(Tlv::kTtl, 2, writer);
    writer.U16(*lldp.ttl_s);
  }
  WriteText(Tlv::kPortDescription, lldp.port_description, writer);
  WriteText(Tlv::kSystemName, lldp.system_name, writer);
  WriteText(Tlv::kSystemDescription, lldp.system_description, writer);
  if (lldp.capabilities.has_value()) {
    WriteTlv(Tlv::kCapabilities, 4, writer);
    writer.U16(lldp.capabilities->system);
    writer.U16(lldp.capabilities->enabled);
  }
  for (const auto& address : lldp.management_addresses) WriteManagementAddress(address, writer);
  for (const auto& tlv : lldp.organizations) WriteLldpOrganization(tlv, writer);
}

void WriteLldpOrganization(const LldpOrganization& tlv, ByteWriter& writer) {
  WriteTlv(Tlv::kOrganization, kOrganizationHeaderBytes + tlv.value.size(), writer);
  writer.U24(tlv.oui);
  writer.U8(tlv.subtype);
  writer.Bytes(tlv.value);
}

void WriteLldpEnd(ByteWriter& writer) { WriteTlv(Tlv::kEnd, 0, writer); }

std::string ChassisIdText(const LldpId& chassis) {
  // 1 component, 2 interface alias, 3 port component, 4 MAC, 5 network address, 6 interface name,
  // 7 local.
  constexpr std::array<IdForm, 8> kForms = {IdForm::kUnknown, IdForm::kText, IdForm::kText,
                                            IdForm::kText,    IdForm::kMac,  IdForm::kNetwork,
                                            IdForm::kText,    IdForm::kText};
  return IdText(chassis.subtype < kForms.size() ? kForms[chassis.subtype] : IdForm::kUnknown,
                chassis.value);
}

std::string PortIdText(const LldpId& port) {
  // 1 interface alias, 2 port component, 3 MAC, 4 network address, 5 interface name, 6 agent
  // circuit ID, 7 local.
  constexpr std::array<IdForm, 8> kForms = {IdForm::kUnknown, IdForm::kText,    IdForm::kText,
                                            IdForm::kMac,     IdForm::kNetwork, IdForm::kText,
                                            IdForm::kUnknown, IdForm::kText};
  return IdText(port.subtype < kForms.size() ? kForms[port.subtype] : IdForm::kUnknown, port.value);
}

std::string AddressText(const LldpManagementAddress& address) {
  return NetworkText(address.family, address.value);
}

std::string LldpText(std::span<const std::byte> value) {
  std::string text;
  for (const std::byte byte : value) {
    const auto c = static_cast<char>(byte);
    text += c >= ' ' && c <= '~' ? c : '.';
  }
  return text;
}

}  // namespace weft::wire
