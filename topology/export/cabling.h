// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "topology/export/export.h"
#include "topology/fabric/fabric.h"

namespace weft::topology {

enum class CablingColumns : uint8_t {
  kSonic,  // StartDevice,StartPort,EndDevice,EndPort,BandWidth, as SONiC's lab files have them
  kAll,    // these, then Width,Speed,Cable,StartRole,EndRole,Rail,Plane
};

// A CSV line per cable, for the people who plug them in: from the leaf's port to the host's or
// spine's, leaf by leaf and port by port, each tier's switches in the order in which one counts.
// BandWidth is in Mbit/s, of one direction. What is not known is left empty.
Exported ExportCabling(const Fabric& fabric, CablingColumns columns);

// The devices of a cabling list, in the same order, as SONiC's lab files have them:
//   Hostname,ManagementIp,HwSku,Type
// Type is Server, LeafSwitch, SpineSwitch, CoreSwitch, Switch or Unknown; HwSku is how the device
// describes itself, ManagementIp its first address of its own.
Exported ExportDevices(const Fabric& fabric);

}  // namespace weft::topology
