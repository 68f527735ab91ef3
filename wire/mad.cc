// SPDX-License-Identifier: Apache-2.0
#include "wire/mad.h"

#include <algorithm>

namespace weft::wire {
namespace {

constexpr uint8_t kResponseBit = 0x80;
constexpr uint8_t kMethodMask = 0x7f;

struct Named {
  uint16_t number = 0;
  const char* name = nullptr;
};

const char* NameIn(std::span<const Named> names, uint16_t number) {
  const auto found = std::ranges::find(names, number, &Named::number);
  return found == names.end() ? nullptr : found->name;
}

// InfiniBand Architecture Specification, volume 1, table 115 of section 13.4.4.
constexpr Named kClasses[] = {
    {kMadClassSubnetLid, "SMP"},           {kMadClassSubnetDirected, "SMP directed"},
    {kMadClassSubnetAdministration, "SA"}, {kMadClassPerformance, "performance"},
    {0x05, "baseboard management"},        {0x06, "device management"},
    {kMadClassCommunication, "CM"},        {0x08, "SNMP tunneling"},
    {0x10, "device administration"},       {0x11, "boot management"},
    {0x12, "booting information service"}, {0x21, "congestion control"},
};

constexpr Named kMethods[] = {
    {0x01, "Get"},  {0x02, "Set"},    {0x81, "GetResp"},    {0x03, "Send"},
    {0x05, "Trap"}, {0x06, "Report"}, {0x86, "ReportResp"}, {0x07, "TrapRepress"},
};

// Of subnet administration, beside those above; section 15.2.2.
constexpr Named kSubnetAdministrationMethods[] = {
    {0x12, "GetTable"},     {0x92, "GetTableResp"}, {0x13, "GetTraceTable"}, {0x14, "GetMulti"},
    {0x94, "GetMultiResp"}, {0x15, "Delete"},       {0x95, "DeleteResp"},
};

// Of every class; section 13.4.8.
constexpr Named kCommonAttributes[] = {
    {0x0001, "ClassPortInfo"}, {0x0002, "Notice"}, {0x0003, "InformInfo"}};

// Section 14.2.5.
constexpr Named kSubnetAttributes[] = {
    {0x0010, "NodeDescription"},
    {0x0011, "NodeInfo"},
    {0x0012, "SwitchInfo"},
    {0x0014, "GUIDInfo"},
    {0x0015, "PortInfo"},
    {0x0016, "P_KeyTable"},
    {0x0017, "SLtoVLMappingTable"},
    {0x0018, "VLArbitrationTable"},
    {0x0019, "LinearForwardingTable"},
    {0x001a, "RandomForwardingTable"},
    {0x001b, "MulticastForwardingTable"},
    {0x001c, "LinkSpeedWidthPairsTable"},
    {0x001d, "VendorSpecificMadsTable"},
    {0x0020, "SMInfo"},
    {0x0030, "VendorDiag"},
    {0x0031, "LedInfo"},
};

// Section 15.2.5.
constexpr Named kSubnetAdministrationAttributes[] = {
    {0x0011, "NodeRecord"},
    {0x0012, "PortInfoRecord"},
    {0x0013, "SLtoVLMappingTableRecord"},
    {0x0014, "SwitchInfoRecord"},
    {0x0015, "LinearForwardingTableRecord"},
    {0x0016, "RandomForwardingTableRecord"},
    {0x0017, "MulticastForwardingTableRecord"},
    {0x0018, "SMInfoRecord"},
    {0x0019, "LinkSpeedWidthPairsTableRecord"},
    {0x0020, "LinkRecord"},
    {0x0030, "GUIDInfoRecord"},
    {0x0031, "ServiceRecord"},
    {0x0033, "P_KeyTableRecord"},
    {0x0035, "PathRecord"},
    {0x0036, "VLArbitrationTableRecord"},
    {0x0038, "MCMemberRecord"},
    {0x0039, "TraceRecord"},
    {0x003a, "MultiPathRecord"},
    {0x003b, "ServiceAssociationRecord"},
    {0x00f3, "InformInfoRecord"},
};

// Section 16.1.3 and 16.1.4.
constexpr Named kPerformanceAttributes[] = {
    {0x0010, "PortSamplesControl"},     {0x0011, "PortSamplesResult"},
    {0x0012, "PortCounters"},           {0x0015, "PortRcvErrorDetails"},
    {0x0016, "PortXmitDiscardDetails"}, {0x001d, "PortCountersExtended"},
};

// Section 16.7.2.
constexpr Named kCommunicationAttributes[] = {
    {0x0010, "ConnectRequest"},
    {0x0011, "MsgRcptAck"},
    {0x0012, "ConnectReject"},
    {0x0013, "ConnectReply"},
    {0x0014, "ReadyToUse"},
    {0x0015, "DisconnectRequest"},
    {0x0016, "DisconnectReply"},
    {0x0017, "ServiceIDResReq"},
    {0x0018, "ServiceIDResReqResp"},
    {0x0019, "LoadAlternatePath"},
    {0x001a, "AlternatePathResponse"},
};

constexpr bool IsVendorClass(uint8_t mgmt_class) {
  return (mgmt_class >= 0x09 && mgmt_class <= 0x0f) || (mgmt_class >= 0x30 && mgmt_class <= 0x4f);
}

std::span<const Named> AttributesOf(uint8_t mgmt_class) {
  switch (mgmt_class) {
    case kMadClassSubnetLid:
    case kMadClassSubnetDirected:
      return kSubnetAttributes;
    case kMadClassSubnetAdministration:
      return kSubnetAdministrationAttributes;
    case kMadClassPerformance:
      return kPerformanceAttributes;
    case kMadClassCommunication:
      return kCommunicationAttributes;
    default:
      return {};
  }
}

}  // namespace

MadHeader ReadMadHeader(ByteReader& reader) {
  MadHeader header;
  header.base_version = reader.U8();
  header.mgmt_class = reader.U8();
  header.class_version = reader.U8();
  const uint8_t method = reader.U8();
  header.is_response = (method & kResponseBit) != 0;
  header.method = method & kMethodMask;
  header.status = reader.U16();
  header.class_specific = reader.U16();
  header.transaction_id = reader.U64();
  header.attribute_id = reader.U16();
  reader.U16();
  header.attribute_modifier = reader.U32();
  return header;
}

std::optional<MadHeader> ParseMadHeader(std::span<const std::byte> bytes) {
  ByteReader reader(bytes);
  const MadHeader header = ReadMadHeader(reader);
  if (!reader.ok()) return std::nullopt;
  return header;
}

void WriteMadHeader(const MadHeader& header, ByteWriter& writer) {
  writer.U8(header.base_version);
  writer.U8(header.mgmt_class);
  writer.U8(header.class_version);
  writer.U8(static_cast<uint8_t>((header.is_response ? kResponseBit : 0) |
                                 (header.method & kMethodMask)));
  writer.U16(header.status);
  writer.U16(header.class_specific);
  writer.U64(header.transaction_id);
  writer.U16(header.attribute_id);
  writer.U16(0);
  writer.U32(header.attribute_modifier);
}

const char* MadClassName(uint8_t mgmt_class) {
  if (IsVendorClass(mgmt_class)) return "vendor";
  return NameIn(kClasses, mgmt_class);
}

const char* MadMethodName(const MadHeader& header) {
  const auto method =
      static_cast<uint16_t>((header.is_response ? kResponseBit : 0) | header.method);
  if (header.mgmt_class == kMadClassSubnetAdministration) {
    const char* name = NameIn(kSubnetAdministrationMethods, method);
    if (name != nullptr) return name;
  }
  return NameIn(kMethods, method);
}

const char* MadAttributeName(const MadHeader& header) {
  const char* name = NameIn(AttributesOf(header.mgmt_class), header.attribute_id);
  return name != nullptr ? name : NameIn(kCommonAttributes, header.attribute_id);
}

}  // namespace weft::wire
