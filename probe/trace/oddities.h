// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>

#include "probe/trace/icmp_budget.h"
#include "probe/trace/pair_trace.h"
#include "probe/trace/tracer.h"
#include "topology/records/path_table.h"

namespace weft::probe {

// What the oddities of a pair depend on beside the pair.
struct OdditiesInput {
  const TraceOptions* options = nullptr;
  std::optional<OwnTunnel> own_tunnel{};
  bool tells_unseen_quotes = false;
  int64_t begin_ns = 0;  // when the run began, on the endpoint's clock
};

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
//   overlay            the host's own route leads into a tunnel, or no path shows what the
//                      blueprint has between the two leaves
//   hidden-hop         some paths lack what the blueprint has between two hops
//   quotes-unseen      this process sees no quotes of IPv4 errors (once a run)
void TellOddities(const PairTrace& pair, const IcmpBudget& budget, const OdditiesInput& input,
                  topology::PathTable& table);

}  // namespace weft::probe
