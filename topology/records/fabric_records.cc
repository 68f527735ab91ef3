// SPDX-License-Identifier: Apache-2.0
#include "topology/records/fabric_records.h"

#include <array>
#include <charconv>

#include "absl/strings/str_cat.h"
#include "topology/records/message_codec.h"
#include "topology/records/shared_codec.h"

namespace weft::topology {

std::string ToString(const PortRef& port) { return port.node + ":" + port.interface; }

std::string ToString(const DirectedLink& link) { return link.from.node + " -> " + link.to.node; }

records::PortRef ToRecord(const PortRef& port) {
  records::PortRef record;
  record.set_node(port.node);
  record.set_interface(port.interface);
  return record;
}

PortRef FromRecord(const records::PortRef& record) { return {record.node(), record.interface()}; }

records::DirectedLink ToRecord(const DirectedLink& link) {
  records::DirectedLink record;
  *record.mutable_from() = ToRecord(link.from);
  *record.mutable_to() = ToRecord(link.to);
  return record;
}

DirectedLink FromRecord(const records::DirectedLink& record) {
  return {FromRecord(record.from()), FromRecord(record.to())};
}

std::string GuidText(Guid guid) {
  return guid == kNoGuid ? std::string() : absl::StrCat("0x", absl::Hex(guid, absl::kZeroPad16));
}

std::optional<Guid> ParseGuid(std::string_view text) {
  if (text.starts_with("0x") || text.starts_with("0X")) text.remove_prefix(2);
  if (text.empty() || text.size() > 16) return std::nullopt;
  Guid guid = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), guid, 16);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return guid;
}

std::optional<double> LaneRate(std::string_view speed) {
  // InfiniBand 1.7, section 5.6: signalling rates less the line code (8b/10b up to QDR).
  struct Rate {
    std::string_view speed;
    double bps;
  };
  static constexpr std::array kRates = {
      Rate{"SDR", 2e9},    Rate{"DDR", 4e9},        Rate{"QDR", 8e9},
      Rate{"FDR10", 10e9}, Rate{"FDR", 13.63636e9}, Rate{"EDR", 25e9},
      Rate{"HDR", 50e9},   Rate{"NDR", 100e9},      Rate{"XDR", 200e9}};
  for (const Rate& rate : kRates) {
    if (rate.speed == speed) return rate.bps;
  }
  return std::nullopt;
}

namespace {

constexpr uint32_t kMaxWidth = 12;
constexpr uint32_t kMaxLmc = 7;
constexpr uint32_t kMaxRail = 4095;

absl::Status GuidFromRecord(const std::string& text, std::string_view field, Guid* guid) {
  const auto parsed = ParseGuid(text);
  if (!parsed) {
    return absl::InvalidArgumentError(
        absl::StrCat(std::string(field), " \"", text, "\": expected up to 16 hex digits"));
  }
  *guid = *parsed;
  return absl::OkStatus();
}

absl::Status OptionalUnsigned(uint32_t value, uint32_t max, std::string_view field,
                              std::optional<uint32_t>* out) {
  uint32_t number = 0;
  WEFT_RECORD_CHECK(ParseUnsigned(value, max, field, &number));
  *out = number;
  return absl::OkStatus();
}

records::Interface InterfaceToRecord(const Interface& interface) {
  records::Interface record;
  record.set_name(interface.name);
  record.set_address(interface.address.ToString());
  if (interface.guid != kNoGuid) record.set_guid(GuidText(interface.guid));
  if (interface.lid) record.set_lid(*interface.lid);
  if (interface.lmc) record.set_lmc(*interface.lmc);
  if (interface.rail) record.set_rail(*interface.rail);
  if (!interface.mac.empty()) record.set_mac(interface.mac);
  if (!interface.description.empty()) record.set_description(interface.description);
  if (!interface.pcie_link.empty()) record.set_pcie_link(interface.pcie_link);
  return record;
}

absl::Status InterfaceFromRecord(const records::Interface& record, Interface* interface) {
  interface->name = record.name();
  WEFT_RECORD_CHECK(ParseAddress(record.address(), "node.interfaces.address", &interface->address));
  if (record.has_guid()) {
    WEFT_RECORD_CHECK(GuidFromRecord(record.guid(), "node.interfaces.guid", &interface->guid));
  }
  if (record.has_lid()) {
    WEFT_RECORD_CHECK(
        OptionalUnsigned(record.lid(), kMaxLid, "node.interfaces.lid", &interface->lid));
  }
  if (record.has_lmc()) {
    WEFT_RECORD_CHECK(
        OptionalUnsigned(record.lmc(), kMaxLmc, "node.interfaces.lmc", &interface->lmc));
  }
  if (record.has_rail()) {
    WEFT_RECORD_CHECK(
        OptionalUnsigned(record.rail(), kMaxRail, "node.interfaces.rail", &interface->rail));
  }
  interface->mac = record.mac();
  interface->description = record.description();
  interface->pcie_link = record.pcie_link();
  return absl::OkStatus();
}

// What a node is known by beside its name.
void IdentityToRecord(const Node& node, records::Node& record) {
  if (node.guid != kNoGuid) record.set_guid(GuidText(node.guid));
  if (node.system_guid != kNoGuid) record.set_system_guid(GuidText(node.system_guid));
  if (node.vendor_id) record.set_vendor_id(*node.vendor_id);
  if (node.device_id) record.set_device_id(*node.device_id);
  if (!node.chassis_id.empty()) record.set_chassis_id(node.chassis_id);
  if (!node.description.empty()) record.set_description(node.description);
  if (!node.machine.empty()) record.set_machine(node.machine);
  if (node.rail) record.set_rail(*node.rail);
  if (node.plane) record.set_plane(*node.plane);
}

absl::Status IdentityFromRecord(const records::Node& record, Node* node) {
  if (record.has_guid()) WEFT_RECORD_CHECK(GuidFromRecord(record.guid(), "node.guid", &node->guid));
  if (record.has_system_guid()) {
    WEFT_RECORD_CHECK(GuidFromRecord(record.system_guid(), "node.system_guid", &node->system_guid));
  }
  if (record.has_vendor_id()) node->vendor_id = record.vendor_id();
  if (record.has_device_id()) node->device_id = record.device_id();
  node->chassis_id = record.chassis_id();
  node->description = record.description();
  node->machine = record.machine();
  if (record.has_rail()) {
    WEFT_RECORD_CHECK(OptionalUnsigned(record.rail(), kMaxRail, "node.rail", &node->rail));
  }
  if (record.has_plane()) {
    WEFT_RECORD_CHECK(OptionalUnsigned(record.plane(), kMaxRail, "node.plane", &node->plane));
  }
  return absl::OkStatus();
}

records::Node NodeToRecord(const Node& node) {
  records::Node record;
  record.set_name(node.name);
  record.set_kind(static_cast<records::Node::Kind>(node.kind));
  if (node.tier) record.set_tier(*node.tier);
  for (const Interface& interface : node.interfaces) {
    *record.add_interfaces() = InterfaceToRecord(interface);
  }
  for (const wire::IpAddress& address : node.addresses) record.add_addresses(address.ToString());
  IdentityToRecord(node, record);
  return record;
}

absl::Status NodeFromRecord(const records::Node& record, Node* node) {
  node->name = record.name();
  if (node->name.empty()) {
    return absl::InvalidArgumentError("node.name \"\": expected a name");
  }
  WEFT_RECORD_CHECK(
      ParseUnsigned(static_cast<uint32_t>(record.kind()), 2, "node.kind", &node->kind));
  if (record.has_tier()) node->tier = record.tier();
  for (const records::Interface& from : record.interfaces()) {
    WEFT_RECORD_CHECK(InterfaceFromRecord(from, &node->interfaces.emplace_back()));
  }
  for (const std::string& from : record.addresses()) {
    WEFT_RECORD_CHECK(ParseAddress(from, "node.addresses", &node->addresses.emplace_back()));
    if (node->addresses.back().empty()) {
      return absl::InvalidArgumentError("node.addresses \"\": expected an address");
    }
  }
  return IdentityFromRecord(record, node);
}

records::Link LinkToRecord(const Link& link) {
  records::Link record;
  *record.mutable_a() = ToRecord(link.a);
  *record.mutable_b() = ToRecord(link.b);
  if (link.capacity_bps) record.set_capacity_bps(*link.capacity_bps);
  record.set_one_or_more(link.one_or_more);
  if (link.width) record.set_width(*link.width);
  if (!link.speed.empty()) record.set_speed(link.speed);
  if (!link.cable.empty()) record.set_cable(link.cable);
  return record;
}

absl::Status LinkFromRecord(const records::Link& record, Link* link) {
  link->a = FromRecord(record.a());
  link->b = FromRecord(record.b());
  link->one_or_more = record.one_or_more();
  if (record.has_capacity_bps()) {
    double capacity = 0;
    WEFT_RECORD_CHECK(ParseNonNegative(record.capacity_bps(), "link.capacity_bps", &capacity));
    link->capacity_bps = capacity;
  }
  if (record.has_width()) {
    WEFT_RECORD_CHECK(OptionalUnsigned(record.width(), kMaxWidth, "link.width", &link->width));
  }
  link->speed = record.speed();
  link->cable = record.cable();
  return absl::OkStatus();
}

}  // namespace

records::FabricRecord ToRecord(const FabricRecord& fabric_record) {
  records::FabricRecord record;
  if (const Node* node = std::get_if<Node>(&fabric_record)) {
    *record.mutable_node() = NodeToRecord(*node);
    return record;
  }
  *record.mutable_link() = LinkToRecord(std::get<Link>(fabric_record));
  return record;
}

absl::Status FromRecord(const records::FabricRecord& record, FabricRecord* out) {
  if (record.has_node()) {
    Node node;
    WEFT_RECORD_CHECK(NodeFromRecord(record.node(), &node));
    *out = std::move(node);
    return absl::OkStatus();
  }
  if (!record.has_link()) return absl::InvalidArgumentError("expected \"node\" or \"link\"");
  Link link;
  WEFT_RECORD_CHECK(LinkFromRecord(record.link(), &link));
  *out = std::move(link);
  return absl::OkStatus();
}

template <>
struct MessageOf<FabricRecord> {
  using type = records::FabricRecord;
};
template struct RecordCodec<FabricRecord>;

}  // namespace weft::topology
