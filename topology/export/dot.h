// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "topology/export/export.h"
#include "topology/export/picture.h"
#include "topology/fabric/fabric.h"

namespace weft::topology {

// The picture in Graphviz's language. Tiers are ranks, the highest on top; red is slower or
// narrower than most cables between the same tiers, orange a switch with fewer cables than most of
// its tier. Names stand in labels (any name is safe there); the tooltip of a line lists its cables.
Exported ExportDot(const Fabric& fabric, Detail detail);

}  // namespace weft::topology
