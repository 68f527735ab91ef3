// SPDX-License-Identifier: Apache-2.0
#include "tests/analyzer/report/finding_situations.h"

namespace weft::analyzer {

const std::vector<Situation>& Pace() {
  static const auto idle = [](World& w) {
    w.data().write = {.messages = 1'000, .bytes = 1'000 * 131'072};
    w.data().sender_idle = {.count = 999,
                            .min_ns = 9'000,
                            .median_ns = 10'000,
                            .p99_ns = 12'000,
                            .max_ns = 13'000,
                            .total_ns = 50 * kMs};
  };
  static const auto stalls = [](World& w) {
    w.data().write = {.messages = 25, .bytes = 25 * 131'072};
    w.data().unanswered = {
        .count = 24, .median_ns = 40 * kMs, .max_ns = 44 * kMs, .total_ns = 960 * kMs};
    w.data().last_ns = kStartNs + 1'000 * kMs;
  };
  static const std::vector<Situation> rows = {
      {"SenderLimited", idle, {"sender-limited"}},
      {"IdleButSmallMessages",
       [](World& w) {
         idle(w);
         w.data().write.bytes = 64'000;
       },
       {}},
      {"SlowBecauseOfCongestion",
       [](World& w) {
         idle(w);
         w.answers().cnps = Seen(50);
       },
       {"congestion"}},
      {"RegularStalls", stalls, {"regular-stalls"}},
      {"StallsOfLoss",
       [](World& w) {
         stalls(w);
         Lossy(w.first());
       },
       {"packet-loss"}},
      {"ReceiverLimited",
       [](World& w) {
         w.data().unanswered = {
             .count = 50, .median_ns = kMs, .max_ns = 3 * kMs, .total_ns = 60 * kMs};
       },
       {"receiver-limited"}},
      {"BadIcrc", [](World& w) { w.data().bad_icrc = Seen(3); }, {"bad-icrc"}},
      {"VendorOpcodes", [](World& w) { w.answers().vendor = Seen(9); }, {"vendor-opcodes"}},
      {"ReservedOpcodes", [](World& w) { w.data().reserved = Seen(1); }, {"reserved-opcodes"}},
      {"Duplicates", [](World& w) { w.data().duplicates = Seen(5'000); }, {"capture-duplicates"}},
  };
  return rows;
}

}  // namespace weft::analyzer
