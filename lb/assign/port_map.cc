// SPDX-License-Identifier: Apache-2.0
#include "lb/assign/port_map.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

namespace weft::lb {

std::string PortMapText(std::span<const topology::Flow> flows) {
  std::vector<const topology::Flow*> planned;
  for (const topology::Flow& flow : flows) {
    if (!flow.path.empty()) planned.push_back(&flow);
  }
  std::sort(planned.begin(), planned.end(),
            [](const auto* a, const auto* b) { return a->id < b->id; });
  std::map<std::pair<wire::IpAddress, wire::IpAddress>, std::vector<uint16_t>> ports;
  for (const topology::Flow* flow : planned) {
    ports[{flow->source_address, flow->destination_address}].push_back(flow->udp_src_port);
  }
  std::string text;
  for (const auto& [pair, list] : ports) {
    absl::StrAppend(&text, pair.first.ToString(), ",", pair.second.ToString(), "=",
                    absl::StrJoin(list, ","), "\n");
  }
  return text;
}

}  // namespace weft::lb
