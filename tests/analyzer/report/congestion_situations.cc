// SPDX-License-Identifier: Apache-2.0
#include "tests/analyzer/report/finding_situations.h"

namespace weft::analyzer {

const std::vector<Situation>& Congestion() {
  static const std::vector<Situation> rows = {
      {"MarksWithoutCnp", [](World& w) { w.data().ce = Seen(7'000); }, {"ce-without-cnp"}},
      {"FewMarks", [](World& w) { w.data().ce = Seen(31); }, {}},
      {"MarksOfOneWayCapture",
       [](World& w) {
         w.data().ce = Seen(7'000);
         w.first().backward.reset();
         w.first().pairing = Pairing::kOneWay;
       },
       {"one-way-capture"}},
      {"Congestion",
       [](World& w) {
         w.data().ce = Seen(2'000);
         w.answers().cnps = Seen(50);
       },
       {"congestion"}},
      {"MarkedBeyondTheCapture", [](World& w) { w.answers().cnps = Seen(50); }, {"congestion"}},
      {"CnpWithoutCe",
       [](World& w) {
         w.answers().cnps = Seen(50);
         w.first().vantage = Vantage::kAtResponder;
       },
       {"cnp-without-ce"}},
      {"ManyToOneInHealth", [](World& w) { ManyToOne(w); }, {}},
      {"Incast",
       [](World& w) {
         ManyToOne(w);
         for (Connection& c : w.analysis.connections) Lossy(c);
       },
       {"incast", "packet-loss", "packet-loss"}},
      {"IncastCollapse",
       [](World& w) {
         ManyToOne(w);
         w.interfaces[0].speed_bps = 25'000'000'000;
         for (Connection& c : w.analysis.connections) Lossy(c);
       },
       {"incast-collapse", "packet-loss", "packet-loss"}},
      {"Microburst",
       [](World& w) {
         w.analysis.traffic.bursts = {{kRight, kStartNs, kMs, 900'000, 2'000, 3, 77}};
       },
       {"microburst"}},
      {"SteadyBins",
       [](World& w) {
         w.analysis.traffic.bursts = {{kRight, kStartNs, kMs, 900'000, 850'000, 3, 77}};
       },
       {}},
      {"Pause", [](World& w) { w.analysis.traffic.pauses = {Pause(5, kMs)}; }, {"pause-seen"}},
      {"OnlyXon",
       [](World& w) {
         w.analysis.traffic.pauses = {Pause(0, kMs)};
         w.analysis.traffic.pauses[0].xon[3] = Seen(50);
       },
       {}},
      {"PauseStorm",
       [](World& w) { w.analysis.traffic.pauses = {Pause(3'000, 1'000 * kMs)}; },
       {"pause-storm"}},
      {"ManyPausesAreNoStorm",
       [](World& w) {
         w.analysis.traffic.pauses = {Pause(3'000, 1'000 * kMs)};
         w.analysis.traffic.pauses[0].xon[3] = Seen(3'000);
         w.analysis.traffic.pauses[0].held_ns[3] = 10 * kMs;
       },
       {"pause-seen"}},
      {"HostPauses",
       [](World& w) {
         PauseLink link = Pause(50, 10 * kMs);
         link.hosts_behind = 1;
         link.host = kRight;
         link.host_ttl_is_fresh = true;
         w.analysis.traffic.pauses = {link};
       },
       {"host-sends-pause"}},
      {"PauseBeforeMark",
       [](World& w) {
         w.analysis.traffic.pauses = {Pause(5, kMs)};
         w.analysis.traffic.first_pause_ns = kStartNs;
         w.analysis.traffic.first_ce_ns = kStartNs + kMs;
       },
       {"pause-seen", "pause-before-ce"}},
      {"MarkBeforePause",
       [](World& w) {
         w.analysis.traffic.pauses = {Pause(5, kMs)};
         w.analysis.traffic.first_pause_ns = kStartNs + kMs;
         w.analysis.traffic.first_ce_ns = kStartNs;
       },
       {"pause-seen"}},
  };
  return rows;
}

}  // namespace weft::analyzer
