// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "topology/export/export.h"
#include "topology/fabric/fabric.h"

namespace weft::topology {

// The fabric as ibnetdiscover writes it (docs/export.md), which ibsim takes as its net file:
// switches first, then HCAs, then nodes of unknown kind as routers, each with its cables in order
// of port number.
//
// The format knows nodes by GUID and ports by number. A fabric that has neither (Ethernet, or a
// generated one) gets GUIDs that are made up (0x0200 in front: locally administered) and ports
// numbered in the order of the node's interfaces; both are findings.
Exported ExportIbnetdiscover(const Fabric& fabric);

}  // namespace weft::topology
