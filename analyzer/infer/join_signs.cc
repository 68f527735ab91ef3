// SPDX-License-Identifier: Apache-2.0
#include "analyzer/infer/join_signs.h"

#include <map>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "analyzer/infer/ip_id.h"

namespace weft::analyzer {
namespace {

using topology::NodeIndex;
using wire::IpAddress;

using Groups = std::map<std::string, std::vector<IpAddress>>;  // by name

// The first of a group with every other.
void JoinGroups(const Groups& groups, JoinSign sign, const std::string& where,
                std::vector<InterfaceJoin>* joins) {
  for (const auto& [name, addresses] : groups) {
    for (size_t i = 1; i < addresses.size(); ++i) {
      InterfaceJoin join;
      join.seen = addresses.front();
      join.mate = addresses[i];
      join.sign = sign;
      join.reason = absl::StrCat(addresses.front().ToString(), " and ", addresses[i].ToString(),
                                 " are both of ", name, where);
      joins->push_back(std::move(join));
    }
  }
}

}  // namespace

std::vector<InterfaceJoin> ApplySigns(const Observations& observations, const JoinSigns& signs,
                                      InterfaceSets* sets) {
  Groups given;
  Groups named;
  Groups resolved_groups;
  for (const auto& [address, resolved] : observations.hops) {
    if (signs.known != nullptr) {
      if (const std::optional<NodeIndex> node = signs.known->FindAddress(address)) {
        const std::string& name = signs.known->node(*node).name;
        sets->SetName(address, InterfaceSets::Namer::kGiven, name);
        given[name].push_back(address);
      }
    }
    const auto name = signs.names.find(address);
    if (name != signs.names.end() && !name->second.empty()) {
      sets->SetName(address, InterfaceSets::Namer::kNames, name->second);
      named[name->second].push_back(address);
    }
    if (resolved.size() == 1) {  // two names say nothing
      sets->SetName(address, InterfaceSets::Namer::kResolved, *resolved.begin());
      resolved_groups[*resolved.begin()].push_back(address);
    }
  }
  std::vector<InterfaceJoin> joins;
  JoinGroups(given, JoinSign::kGiven, " in the given fabric", &joins);
  JoinGroups(named, JoinSign::kName, ", as they are named", &joins);
  JoinGroups(resolved_groups, JoinSign::kName, ", as the path tables resolve them", &joins);
  for (IpIdVerdict& verdict : CompareIpIds(signs.ip_ids)) {
    if (!observations.hops.contains(verdict.a) || !observations.hops.contains(verdict.b)) continue;
    if (!verdict.same) {
      sets->HoldApart(verdict.a, verdict.b, std::move(verdict.reason));
      continue;
    }
    InterfaceJoin join;
    join.seen = verdict.a;
    join.mate = verdict.b;
    join.sign = JoinSign::kIpId;
    join.reason = std::move(verdict.reason);
    joins.push_back(std::move(join));
  }
  return joins;
}

}  // namespace weft::analyzer
