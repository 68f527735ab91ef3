// SPDX-License-Identifier: Apache-2.0
#include "topology/records/fabric_records.h"

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

namespace {

records::Node NodeToRecord(const Node& node) {
  records::Node record;
  record.set_name(node.name);
  record.set_kind(static_cast<records::Node::Kind>(node.kind));
  if (node.tier) record.set_tier(*node.tier);
  for (const Interface& interface : node.interfaces) {
    records::Interface* out = record.add_interfaces();
    out->set_name(interface.name);
    out->set_address(interface.address.ToString());
  }
  for (const wire::IpAddress& address : node.addresses) record.add_addresses(address.ToString());
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
    Interface interface {
      from.name(), {}
    };
    WEFT_RECORD_CHECK(ParseAddress(from.address(), "node.interfaces.address", &interface.address));
    node->interfaces.push_back(std::move(interface));
  }
  for (const std::string& from : record.addresses()) {
    WEFT_RECORD_CHECK(ParseAddress(from, "node.addresses", &node->addresses.emplace_back()));
    if (node->addresses.back().empty()) {
      return absl::InvalidArgumentError("node.addresses \"\": expected an address");
    }
  }
  return absl::OkStatus();
}

}  // namespace

records::FabricRecord ToRecord(const FabricRecord& fabric_record) {
  records::FabricRecord record;
  if (const Node* node = std::get_if<Node>(&fabric_record)) {
    *record.mutable_node() = NodeToRecord(*node);
    return record;
  }
  const Link& link = std::get<Link>(fabric_record);
  *record.mutable_link()->mutable_a() = ToRecord(link.a);
  *record.mutable_link()->mutable_b() = ToRecord(link.b);
  if (link.capacity_bps) record.mutable_link()->set_capacity_bps(*link.capacity_bps);
  record.mutable_link()->set_one_or_more(link.one_or_more);
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
  Link link{FromRecord(record.link().a()), FromRecord(record.link().b()), std::nullopt};
  link.one_or_more = record.link().one_or_more();
  if (record.link().has_capacity_bps()) {
    double capacity = 0;
    WEFT_RECORD_CHECK(
        ParseNonNegative(record.link().capacity_bps(), "link.capacity_bps", &capacity));
    link.capacity_bps = capacity;
  }
  *out = std::move(link);
  return absl::OkStatus();
}

template <>
struct MessageOf<FabricRecord> {
  using type = records::FabricRecord;
};
template struct RecordCodec<FabricRecord>;

}  // namespace weft::topology
