// SPDX-License-Identifier: Apache-2.0
#include "tests/analyzer/report/finding_situations.h"

namespace weft::analyzer {

using wire::NakCode;

const std::vector<Situation>& Losses() {
  static const std::vector<Situation> rows = {
      {"Loss", [](World& w) { Lossy(w.first()); }, {"packet-loss"}},
      {"GoBackN",
       [](World& w) {
         Lossy(w.first());
         w.data().retransmitted = Seen(640);
       },
       {"packet-loss", "go-back-n"}},
      {"SelectiveRepeat",
       [](World& w) {
         w.data().retransmitted = w.data().selective = Seen(5);
         w.naks(NakCode::kPsnSequenceError) = Seen(5);
       },
       {"packet-loss", "selective-repeat"}},
      {"SpuriousByInterval",
       [](World& w) {
         w.data().retransmitted = Seen(300);
         w.data().go_back_n = w.data().timeouts = Seen(30);
         w.data().retransmission_interval = {.count = 300, .median_ns = 10 * kMs};
         w.data().ack_rtt = {.count = 100, .min_ns = 30 * kMs, .median_ns = 30 * kMs};
       },
       {"spurious-retransmission"}},
      {"SpuriousByAck",
       [](World& w) { w.data().retransmitted = w.data().spurious = Seen(3); },
       {"spurious-retransmission"}},
      {"Reordering",
       [](World& w) { w.data().reordered = w.data().gaps = Seen(30); },
       {"reordering"}},
      {"ReorderingTakenForLoss",
       [](World& w) {
         Lossy(w.first());
         w.data().reordered = Seen(30);
       },
       {"reordering"}},
      {"OneLatePacket", [](World& w) { w.data().reordered = w.data().gaps = Seen(1); }, {}},
      {"Timeouts",
       [](World& w) {
         w.data().timeouts = w.data().go_back_n = Seen(2);
         w.data().retransmitted = Seen(6);
         w.data().retransmission_interval = {.count = 6, .median_ns = 5 * kMs};
       },
       {"ack-timeouts"}},
      {"RetryExceeded",
       [](World& w) {
         w.data().timeouts = w.data().go_back_n = Seen(7);
         w.data().retransmitted = Seen(7);
         w.data().retransmission_interval = {.count = 6, .median_ns = 5 * kMs};
         w.answers().last_ns = kStartNs + 50 * kMs;
       },
       {"ack-timeouts", "retry-exceeded"}},
      {"NotReady",
       [](World& w) {
         w.answers().rnr_naks = Seen(5);
         w.answers().rnr_timer_ns = 655'360'000;
         w.data().rnr_stall_ns = 5 * kMs;
         w.data().go_back_n = w.data().retransmitted = Seen(5);
       },
       {"receiver-not-ready"}},
      {"InvalidRequest",
       [](World& w) { w.naks(NakCode::kInvalidRequest) = Seen(1); },
       {"invalid-request"}},
      {"RemoteAccess",
       [](World& w) { w.naks(NakCode::kRemoteAccessError) = Seen(1); },
       {"remote-access-error"}},
      {"RemoteOperation",
       [](World& w) { w.naks(NakCode::kRemoteOperationalError) = Seen(1); },
       {"remote-operational-error"}},
  };
  return rows;
}

}  // namespace weft::analyzer
