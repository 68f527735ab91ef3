// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "topology/records/record_codec.h"
#include "wire/ip_address.h"

// Nodes and links as they stand in files. topology/fabric is the model that is built from them.
namespace weft::topology {

using Guid = uint64_t;  // EUI-64, most significant byte first; text: "0x" and 16 hex digits
inline constexpr Guid kNoGuid = 0;
inline constexpr uint32_t kMaxLid = 0xbfff;  // of unicast LIDs (InfiniBand 1.7, section 4.1.3)

enum class NodeKind : uint8_t { kUnknown, kHost, kSwitch };

// A port. On InfiniBand its name is the port's number, and a switch has the interface "0", its
// management port, to which its LID belongs.
struct Interface {
  std::string name;
  wire::IpAddress address;         // none: it has none, or it is not known
  Guid guid = kNoGuid;             // InfiniBand port GUID
  std::optional<uint32_t> lid{};   // the first of 2^lmc; 1 to kMaxLid
  std::optional<uint32_t> lmc{};   // 0 to 7
  std::optional<uint32_t> rail{};  // which NIC of its host it is, or is for, from 0
  std::string mac{};               // "02:00:00:00:00:01"
  std::string description{};       // alias or port description, as the device tells it
  std::string pcie_link{};         // interfaces of a node with the same text share a PCIe link
  bool operator==(const Interface&) const = default;
};

struct Node {
  std::string name;
  NodeKind kind = NodeKind::kUnknown;
  std::optional<uint32_t> tier;  // switches: leaf 0, spine 1, core 2; absent: not known, or a host
  std::vector<Interface> interfaces;
  // Of the node itself (loopbacks): what its interfaces without an address answer with.
  std::vector<wire::IpAddress> addresses{};
  Guid guid = kNoGuid;         // InfiniBand node GUID
  Guid system_guid = kNoGuid;  // of the chassis or card, which several nodes may share
  std::optional<uint32_t> vendor_id{};
  std::optional<uint32_t> device_id{};
  std::string chassis_id{};         // LLDP
  std::string description{};        // as the device tells it, where that is not the name
  std::string machine{};            // that a node which is one NIC of it is in
  std::optional<uint32_t> rail{};   // of a switch or NIC that serves one rail, from 0
  std::optional<uint32_t> plane{};  // of a switch or NIC in one plane, from 0
  bool operator==(const Node&) const = default;
};

// One end of a link: a node's interface (the switch or NIC socket a cable is plugged into).
struct PortRef {
  std::string node;
  std::string interface;
  auto operator<=>(const PortRef&) const = default;
};
std::string ToString(const PortRef& port);  // "leaf1:spine2"

// A cable, unordered. DirectedLink is one way along it.
struct Link {
  PortRef a;
  PortRef b;
  std::optional<double> capacity_bps;  // of one direction
  // At least one cable: traces cannot tell parallel links apart whose ends have no address.
  bool one_or_more = false;
  std::optional<uint32_t> width{};  // lanes in use, 1 to 12
  std::string speed{};              // of one lane, as InfiniBand says it: "SDR" to "XDR"
  std::string cable{};              // part and serial number, as the cable tells them
  bool operator==(const Link&) const = default;
};

struct DirectedLink {
  PortRef from;
  PortRef to;
  auto operator<=>(const DirectedLink&) const = default;
};
std::string ToString(const DirectedLink& link);  // "leaf1 -> spine2"

// "0x0002c90300000001"; empty for none.
std::string GuidText(Guid guid);
// 1 to 16 hex digits, with or without "0x". nullopt: anything else; kNoGuid for zero.
std::optional<Guid> ParseGuid(std::string_view text);

// Bits per second of one lane of that name, of data ("HDR": 50e9); nullopt: no such name.
// "FDR10" and "FDR" are two.
std::optional<double> LaneRate(std::string_view speed);

using FabricRecord = std::variant<Node, Link>;
template <>
inline constexpr RecordKind kRecordKind<FabricRecord> = {"fabric", 1};

}  // namespace weft::topology
