// SPDX-License-Identifier: Apache-2.0
#include "topology/route/table_fit.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <utility>

#include "absl/strings/str_cat.h"

namespace weft::topology {
namespace {

constexpr uint16_t kRocePort = 4791;
constexpr size_t kHoldOut = 4;  // every fourth sample is kept for the check

std::optional<NodeIndex> NodeOf(const Fabric& fabric, const Hop& hop) {
  if (!hop.node.empty()) {
    if (const auto node = fabric.FindNode(hop.node)) return node;
  }
  return hop.address.empty() ? std::nullopt : fabric.FindAddress(hop.address);
}

// The member that leads to `next`, whose answer came from `address`.
std::optional<Direction> MemberTo(const Fabric& fabric, std::span<const Direction> group,
                                  NodeIndex next, const wire::IpAddress& address) {
  std::vector<Direction> candidates;
  for (Direction member : group) {
    if (fabric.To(member) == next) candidates.push_back(member);
  }
  if (candidates.size() == 1 && !fabric.link(candidates.front().link).one_or_more) {
    return candidates.front();
  }
  const auto owner = address.empty() ? std::nullopt : fabric.FindAddressInterface(address);
  if (!owner || owner->node != next) return std::nullopt;
  const std::string& interface = fabric.node(next).interfaces[owner->interface].name;
  for (Direction member : candidates) {
    if (fabric.Describe(member).to.interface == interface) return member;
  }
  return std::nullopt;
}

// Collects what tables show; groups by node and members.
class Collector {
 public:
  explicit Collector(const Router& router) : router_(router), fabric_(router.fabric()) {}

  void Add(const PathTable& table) {
    const auto host = fabric_.FindAddress(table.destination_address);
    if (!host || !table.void_reason.empty() || !table.hidden_reason.empty()) return;
    for (const Path& path : table.paths) {
      for (size_t i = 0; i < path.hops.size(); ++i) AddHop(table, path, i, *host);
    }
  }

  std::vector<GroupSamples> Take() && {
    std::vector<GroupSamples> all;
    for (auto& [key, group] : groups_) all.push_back(std::move(group));
    return all;
  }

 private:
  void AddHop(const PathTable& table, const Path& path, size_t i, NodeIndex host) {
    const auto node = NodeOf(fabric_, path.hops[i]);
    if (!node) return;
    const std::span<const Direction> members = router_.NextHops(*node, host);
    if (members.size() < 2) return;
    const Key key = {*node, {members.begin(), members.end()}};
    GroupSamples& group = groups_[key];
    group.node = *node;
    group.members = key.second;
    for (const HopBehaviour& behaviour : table.hop_behaviours) {
      if (behaviour.hop_index == path.hops[i].hop_index &&
          (behaviour.address.empty() || behaviour.address == path.hops[i].address) &&
          behaviour.mode != HopMode::kUnknown &&
          (group.mode == HopMode::kUnknown || group.mode == HopMode::kHashed)) {
        group.mode = behaviour.mode;  // one hop that does not hash is enough
      }
    }
    std::optional<Direction> member;
    if (i + 1 < path.hops.size()) {
      const auto next = NodeOf(fabric_, path.hops[i + 1]);
      if (next) member = MemberTo(fabric_, members, *next, path.hops[i + 1].address);
    } else if (path.reaches_destination) {
      member = MemberTo(fabric_, members, host, table.destination_address);
    }
    if (!member) {
      group.untold += static_cast<uint32_t>(path.udp_src_ports.size());
      return;
    }
    const std::string name = MemberName(fabric_, members, *member);
    for (uint16_t port : path.udp_src_ports) {
      const HashedHeaders headers = HeadersOf(table, port);
      const SeenKey seen = {headers.source, headers.destination, port, headers.dest_qpn,
                            headers.flow_label};
      if (seen_[key].insert(seen).second) group.samples.push_back({headers, name});
    }
  }

  using Key = std::pair<NodeIndex, std::vector<Direction>>;
  using SeenKey = std::tuple<wire::IpAddress, wire::IpAddress, uint16_t, uint32_t, uint32_t>;

  const Router& router_;
  const Fabric& fabric_;
  std::map<Key, GroupSamples> groups_;
  std::map<Key, std::set<SeenKey>> seen_;
};

}  // namespace

std::string MemberName(const Fabric& fabric, std::span<const Direction> group, Direction member) {
  const DirectedLink link = fabric.Describe(member);
  const auto there = std::ranges::count_if(
      group, [&](Direction other) { return fabric.To(other) == fabric.To(member); });
  return there > 1 ? absl::StrCat(link.to.node, " by ", link.from.interface) : link.to.node;
}

HashedHeaders HeadersOf(const PathTable& table, uint16_t udp_src_port) {
  HashedHeaders headers;
  headers.source = table.source_address;
  headers.destination = table.destination_address;
  headers.udp_src_port = udp_src_port;
  headers.udp_dst_port = table.headers.udp_dst_port == 0 ? kRocePort : table.headers.udp_dst_port;
  headers.flow_label = table.headers.flow_label;
  headers.traffic_class = table.headers.traffic_class;
  headers.dest_qpn = table.headers.dest_qpn;
  headers.bth_opcode = table.headers.bth_opcode;
  return headers;
}

std::vector<GroupSamples> SamplesOf(const Router& router, std::span<const PathTable> tables) {
  Collector collector(router);
  for (const PathTable& table : tables) collector.Add(table);
  return std::move(collector).Take();
}

GroupFit FitGroup(const GroupSamples& group, FitOptions options) {
  GroupFit result;
  if (group.mode != HopMode::kUnknown && group.mode != HopMode::kHashed) {
    result.reason = absl::StrCat("it does not hash: ", ToString(group.mode));
    return result;
  }
  options.members = static_cast<uint32_t>(group.members.size());
  // Evenly from all of them: a table's ports stand together, and headers that vary tell more.
  const size_t stride = group.samples.size() / kMaxFitted + 1;
  std::vector<HashSample> fitted;
  std::vector<const HashSample*> held_out;
  for (size_t i = 0; i < group.samples.size(); ++i) {
    if (i % kHoldOut == kHoldOut - 1 || i / kHoldOut % stride != 0) {
      held_out.push_back(&group.samples[i]);
    } else {
      fitted.push_back(group.samples[i]);
    }
  }
  result.fitted = static_cast<uint32_t>(fitted.size());
  result.hash = FitHash(fitted, options);
  if (result.hash.kind() == FittedHash::Kind::kNone) {
    result.reason = result.hash.reason();
    if (group.untold > 0) {
      absl::StrAppend(&result.reason, "; of ", group.untold, " ports the next hop is not known");
    }
    return result;
  }
  for (const HashSample* sample : held_out) {
    const std::string predicted = result.hash.Predict(sample->headers);
    if (predicted.empty()) continue;
    ++result.checked;
    if (predicted == sample->next_hop) ++result.right;
  }
  if (result.checked == 0) {
    result.reason = "no port was left to verify the fitted model on";
  } else if (result.right < result.checked) {
    result.reason = absl::StrCat("the fitted model (", ModelText(result.hash), ") is wrong for ",
                                 result.checked - result.right, " of ", result.checked,
                                 " ports that it was verified on");
  }
  return result;
}

std::string ModelText(const FittedHash& hash) {
  if (hash.kind() == FittedHash::Kind::kNone) return "unknown";
  if (hash.kind() == FittedHash::Kind::kAffine) {
    return "a linear map of the header bits that varied";
  }
  const HashModel& model = hash.model();
  const bool mixed = model.function == HashModel::Function::kMixed;
  std::string fields;
  for (HashedField field : {HashedField::kUdpSrcPort, HashedField::kSourceAddress,
                            HashedField::kDestinationAddress, HashedField::kDestQpn,
                            HashedField::kBthOpcode, HashedField::kFlowLabel, HashedField::kDscp}) {
    if (model.fields.Has(field))
      absl::StrAppend(&fields, fields.empty() ? "" : ", ", ToString(field));
  }
  return absl::StrCat(mixed ? "mixed crc32, seed " : "crc32 of ",
                      mixed ? absl::StrCat(model.seed, ", of ") : "", fields, "; ",
                      model.choice == HashModel::Choice::kScaled ? "the high bits choose"
                                                                 : "the remainder chooses");
}

}  // namespace weft::topology
