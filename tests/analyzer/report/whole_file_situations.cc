// SPDX-License-Identifier: Apache-2.0
#include "tests/analyzer/report/finding_situations.h"

namespace weft::analyzer {

const std::vector<Situation>& WholeFile() {
  static const std::vector<Situation> rows = {
      {"Healthy", [](World&) {}, {}},
      {"NoRoce",
       [](World& w) {
         w.analysis.connections.clear();
         w.analysis.host_pairs.clear();
         w.analysis.totals.roce_packets = 0;
         w.analysis.traffic.by_class = {};
         w.analysis.traffic.by_class[static_cast<size_t>(wire::FrameClass::kIwarp)] = 22'000;
       },
       {"no-roce"}},
      {"Cut", [](World& w) { w.analysis.traffic.cut_packets = 20'000; }, {"capture-cut"}},
      {"DroppedBySystem", [](World& w) { w.interfaces[0].dropped = 12; }, {"capture-lost-packets"}},
      {"DroppedNone", [](World& w) { w.interfaces[0].dropped = 0; }, {}},
      {"AckedButNeverSeen",
       [](World& w) {
         w.data().capture_lost = Seen(1, 20);
         w.data().gaps = Seen(1, 20);
         w.data().missing_psns = 1;
       },
       {"capture-lost-packets"}},
      {"OtherPathsMissing",
       [](World& w) {
         w.data().capture_lost = Seen(4'000);
         w.data().missing_psns = 4'000;
         w.first().vantage = Vantage::kSomePaths;
         w.first().vantage_reason = "4000 of 14000 PSNs acknowledged and not seen";
       },
       {"some-paths-only"}},
      {"HoleWithoutNak",
       [](World& w) {
         w.data().missing_psns = 1;
         w.data().gaps = Seen(1);
       },
       {"unexplained-holes"}},
      {"TimesStepBack",
       [](World& w) { w.analysis.traffic.backward_steps = 3; },
       {"times-step-back"}},
      {"NoTimes",
       [](World& w) { w.analysis.traffic.has_times = false; },
       {"capture-without-times"}},
      {"TooManyFlows", [](World& w) { w.analysis.overflowed_packets = 5; }, {"too-many-flows"}},
      {"OneWay",
       [](World& w) {
         w.first().backward.reset();
         w.first().pairing = Pairing::kOneWay;
       },
       {"one-way-capture"}},
      {"OneWayOfFewPackets",
       [](World& w) {
         w.first().backward.reset();
         w.first().pairing = Pairing::kOneWay;
         w.data().packets = 9;
       },
       {}},
      {"Ambiguous",
       [](World& w) {
         w.first().backward.reset();
         w.first().pairing = Pairing::kAmbiguous;
         w.first().candidates = 63;
       },
       {"ambiguous-pairing"}},
      {"TwoEndsWithOneQpn",
       [](World& w) { w.data().key.dest_qpn = w.answers().key.dest_qpn = 0x11; },
       {}},
  };
  return rows;
}

}  // namespace weft::analyzer
