// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "probe/trace/icmp_budget.h"
#include "probe/trace/pair_trace.h"
#include "probe/trace/tracer.h"
#include "topology/records/path_table.h"

namespace weft::probe {

// Enters what was odd on the way into `table`, whose paths are there already: findings, and, where
// they follow from these, void_reason and hidden_reason. Codes:
//   per-packet         one flow, asked again at once, was answered by several switches
//   flow-moves         a flow changes its way between one probe and the next, but not at once
//   route-changed      flows took another way from some moment on
//   repeated-address   one address at two TTLs in a row: a switch passes on what it should not
//   routing-loop       a flow comes back to where it was, and never arrives
//   dscp-changed       a quote, or the receiver, shows another DSCP than was sent
//   ecn-marked         the same of the ECN bits
//   silent-hop         a switch that passes on and never answers, not even when asked slowly
//   icmp-rate-limited  a switch that answers some of what it is asked, though nothing is lost
//                      behind it
//   overlay            no path shows what the blueprint has between the two leaves
//   hidden-hop         some paths lack what the blueprint has between two hops
// `begin_ns`: when the run began, on the endpoint's clock.
void TellOddities(const PairTrace& pair, const IcmpBudget& budget, const TraceOptions& options,
                  int64_t begin_ns, topology::PathTable& table);

}  // namespace weft::probe
