// SPDX-License-Identifier: Apache-2.0
// Internal to topology/records: parts that several records share.
#pragma once

#include "absl/status/status.h"
#include "topology/records/assignment.h"
#include "topology/records/fabric_records.h"
#include "topology/records/finding.h"
#include "topology/records/flow.h"
#include "topology/records/records.pb.h"

namespace weft::topology {

records::PortRef ToRecord(const PortRef& port);
PortRef FromRecord(const records::PortRef& record);
records::DirectedLink ToRecord(const DirectedLink& link);
DirectedLink FromRecord(const records::DirectedLink& record);
records::Flow ToRecord(const Flow& flow);
absl::Status FromRecord(const records::Flow& record, Flow* out);
records::Finding ToRecord(const Finding& finding);
absl::Status FromRecord(const records::Finding& record, Finding* out);

}  // namespace weft::topology
