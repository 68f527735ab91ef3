// SPDX-License-Identifier: Apache-2.0
#include "probe/hashing/flow_variants.h"

#include <algorithm>

namespace weft::probe {
namespace {

using topology::HashedField;

constexpr uint32_t kDscpShift = 2;  // in the traffic class, above the ECN bits
constexpr uint8_t kEcnMask = 0x3;
constexpr size_t kBaseCount = 4;

void SetDscp(HopFlow& flow, uint32_t dscp) {
  flow.traffic_class = static_cast<uint8_t>((flow.traffic_class & kEcnMask) | (dscp << kDscpShift));
}

// `flow` with a value as FieldValues() gives it.
HopFlow With(HopFlow flow, HashedField field, uint32_t value) {
  switch (field) {
    case HashedField::kDestQpn:
      flow.target.dest_qpn = value;
      flow.wears_live_header = true;
      break;
    case HashedField::kBthOpcode:
      flow.bth_opcode = static_cast<uint8_t>(value);
      flow.wears_live_header = true;
      break;
    case HashedField::kFlowLabel:
      flow.flow_label = value;
      break;
    case HashedField::kDscp:
      SetDscp(flow, value);
      break;
    default:
      break;
  }
  return flow;
}

// The same headers to another host. There the QP may be anybody's.
HopFlow To(HopFlow flow, const wire::IpAddress& destination) {
  flow.target.address = destination;
  flow.wears_live_header = true;
  return flow;
}

std::vector<uint16_t> PortsOf(const HopsInput& input, const HopsOptions& options) {
  std::vector<uint16_t> ports = options.avoid_ports;
  for (const topology::Path& path : input.table.paths) {
    ports.insert(ports.end(), path.udp_src_ports.begin(), path.udp_src_ports.end());
  }
  return ports;
}

}  // namespace

FlowVariants::FlowVariants(const HopsInput& input, const HopsOptions& options)
    : input_(input),
      options_(options),
      ports_(options.seed, PortsOf(input, options)),
      seed_(options.seed) {}

HopFlow FlowVariants::Plain(uint16_t udp_src_port) const {
  const topology::ProbeHeaders& headers = input_.table.headers;
  return {.source = {},
          .target = input_.target,
          .udp_src_port = udp_src_port,
          .traffic_class = headers.traffic_class,
          .flow_label = headers.flow_label};
}

FieldBits FlowVariants::ValueOf(HashedField field, const HopFlow& flow) const {
  switch (field) {
    case HashedField::kUdpSrcPort:
      return BitsOf(flow.udp_src_port);
    case HashedField::kSourceAddress:
      return BitsOf(flow.source.empty() ? input_.table.source_address : flow.source);
    case HashedField::kDestinationAddress:
      return BitsOf(flow.target.address);
    case HashedField::kDestQpn:
      return BitsOf(flow.target.dest_qpn);
    case HashedField::kBthOpcode:
      return BitsOf(flow.bth_opcode);
    case HashedField::kFlowLabel:
      return BitsOf(flow.flow_label);
    case HashedField::kDscp:
      return BitsOf(flow.traffic_class >> kDscpShift);
    case HashedField::kNone:
      break;
  }
  return {};
}

std::vector<HopFlow> FlowVariants::FlowsThrough(const HopVertex& vertex, size_t count) {
  std::vector<HopFlow> flows;
  for (const uint16_t port : vertex.PortsInTurn()) {
    if (flows.size() < count) flows.push_back(Plain(port));
  }
  if (!vertex.all_pass() || flows.size() >= count) return flows;
  const std::vector<HopFlow> more = Fresh(count - flows.size());
  flows.insert(flows.end(), more.begin(), more.end());
  return flows;
}

std::vector<HopFlow> FlowVariants::Fresh(size_t count) {
  std::vector<HopFlow> flows;
  while (flows.size() < count) {
    const std::optional<uint16_t> port = ports_.Next();
    if (!port) break;
    flows.push_back(Plain(*port));
  }
  return flows;
}

std::vector<HopFlow> FlowVariants::AllChanged(size_t count, bool may_wear_live) {
  std::vector<HopFlow> flows = Fresh(count);
  const auto vary = [&](HashedField field) {
    const std::vector<uint32_t> values = FieldValues(field, 0, flows.size(), NextSeed());
    for (size_t i = 0; i < flows.size() && !values.empty(); ++i) {
      flows[i] = With(flows[i], field, values[i % values.size()]);
    }
  };
  for (size_t i = 0; i < flows.size(); ++i) {
    const size_t which = may_wear_live ? i % (input_.others.size() + 1) : 0;
    if (which > 0) flows[i] = To(flows[i], input_.others[which - 1]);
    if (!options_.sources.empty()) flows[i].source = options_.sources[i % options_.sources.size()];
  }
  vary(HashedField::kDscp);
  if (input_.target.address.IsV6()) vary(HashedField::kFlowLabel);
  if (may_wear_live) vary(HashedField::kDestQpn);
  if (may_wear_live) vary(HashedField::kBthOpcode);
  return flows;
}

std::vector<HashedField> FlowVariants::Fields() const {
  std::vector<HashedField> fields = {HashedField::kUdpSrcPort};
  if (!input_.others.empty()) fields.push_back(HashedField::kDestinationAddress);
  if (!options_.sources.empty()) fields.push_back(HashedField::kSourceAddress);
  fields.push_back(HashedField::kDestQpn);
  fields.push_back(HashedField::kBthOpcode);
  if (input_.target.address.IsV6()) fields.push_back(HashedField::kFlowLabel);
  fields.push_back(HashedField::kDscp);
  return fields;
}

bool FlowVariants::WearsLive(HashedField field) {
  return field == HashedField::kDestQpn || field == HashedField::kBthOpcode ||
         field == HashedField::kDestinationAddress;
}

bool FlowVariants::MayWearLive(const HopVertex& vertex, uint32_t ttl) {
  return ttl <= vertex.farthest_switch_ttl && ttl < kLiveHeaderTtl;
}

FieldTrial FlowVariants::TrialOf(HashedField field, const HopVertex& vertex, size_t count) {
  FieldTrial trial;
  trial.field = field;
  trial.width = FieldWidth(field);
  for (const HopFlow& base : FlowsThrough(vertex, kBaseCount)) {
    std::vector<FieldVariant> variants;
    AddVariants(field, vertex, base, count, variants);
    if (variants.empty()) continue;
    trial.bases.push_back(
        {.flow = {.flow = base, .value = ValueOf(field, base)}, .variants = std::move(variants)});
  }
  return trial;
}

void FlowVariants::AddVariants(HashedField field, const HopVertex& vertex, const HopFlow& base,
                               size_t count, std::vector<FieldVariant>& variants) {
  const auto add = [&](const HopFlow& flow) {
    const bool is_base = ValueOf(field, flow) == ValueOf(field, base);
    if (is_base || variants.size() >= count) return;
    variants.push_back({.flow = flow, .value = ValueOf(field, flow)});
  };
  const auto with_source = [&](const wire::IpAddress& source) {
    HopFlow flow = base;
    flow.source = source;
    return flow;
  };
  switch (field) {
    case HashedField::kUdpSrcPort:
      // A few that are known to pass, on different next hops; then new ones.
      for (const HopFlow& flow : FlowsThrough(vertex, kBaseCount)) add(flow);
      for (const HopFlow& flow : Fresh(count - std::min(count, variants.size()))) add(flow);
      break;
    case HashedField::kDestinationAddress:
      for (const wire::IpAddress& other : input_.others) add(To(base, other));
      break;
    case HashedField::kSourceAddress:
      for (const wire::IpAddress& source : options_.sources) add(with_source(source));
      break;
    case HashedField::kDestQpn:
      for (const uint32_t qpn : options_.live_qpns) add(With(base, field, qpn));
      [[fallthrough]];
    default:
      for (const uint32_t value :
           FieldValues(field, static_cast<uint32_t>(ValueOf(field, base)[0]), count, NextSeed())) {
        add(With(base, field, value));
      }
  }
}

}  // namespace weft::probe
