// SPDX-License-Identifier: Apache-2.0
#include "programs/weft-topo/node_text.h"

namespace weft::topo {

std::string FirstAddress(const topology::Node& node) {
  const bool host = node.kind == topology::NodeKind::kHost;
  if (!host && !node.addresses.empty()) return node.addresses.front().ToString();
  for (const topology::Interface& interface : node.interfaces) {
    if (!interface.address.empty()) return interface.address.ToString();
  }
  return node.addresses.empty() ? "" : node.addresses.front().ToString();
}

const char* KindName(topology::NodeKind kind) {
  switch (kind) {
    case topology::NodeKind::kHost:
      return "host";
    case topology::NodeKind::kSwitch:
      return "switch";
    case topology::NodeKind::kUnknown:
      break;
  }
  return "unknown";
}

}  // namespace weft::topo
