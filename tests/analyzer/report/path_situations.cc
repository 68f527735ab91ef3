// SPDX-License-Identifier: Apache-2.0
#include "tests/analyzer/report/finding_situations.h"

namespace weft::analyzer {

const std::vector<Situation>& Paths() {
  static const std::vector<Situation> rows = {
      {"OneSourcePort",
       [](World& w) {
         w.analysis.host_pairs = {{kLeft, kRight, 8, 1, 65'472, 8, 1'000}};
       },
       {"one-source-port"}},
      {"OneQpHasOnePort",
       [](World& w) {
         w.analysis.host_pairs = {{kLeft, kRight, 1, 1, 65'472, 1, 1'000}};
       },
       {}},
      {"FewSourcePorts",
       [](World& w) {
         w.analysis.host_pairs = {{kLeft, kRight, 32, 4, 50'000, 9, 1'000}};
       },
       {"few-source-ports"}},
      {"ManyPorts",
       [](World& w) {
         w.analysis.host_pairs = {{kLeft, kRight, 32, 31, 50'000, 2, 1'000}};
       },
       {}},
      {"OddPort",
       [](World& w) { w.data().ports[0].udp_src_port = 69; },
       {"nonstandard-source-port"}},
      {"CnpsFromPort0",
       [](World& w) {
         w.answers().cnps = Seen(2);
         w.answers().ports.push_back({0, 2, 50});
         w.answers().port_changes = 4;
       },
       {}},
      {"PortChange",
       [](World& w) {
         w.data().ports.push_back({0xd000, 500, 600});
         w.data().port_changes = 1;
       },
       {"path-change"}},
      {"TtlChange",
       [](World& w) {
         w.data().ttl_changes = Seen(1);
         w.data().min_ttl = 62;
       },
       {"path-change"}},
      {"AsymmetricClass", [](World& w) { w.answers().classes[0].dscp = 0; }, {"asymmetric-class"}},
      {"TwoClassesOneWay",
       [](World& w) {
         w.data().classes = {{26, 9'000, 1}, {46, 1'000, 1}};
       },
       {}},
      {"CnpsHaveTheirOwnClass",
       [](World& w) {
         w.answers().cnps = Seen(1);
         w.answers().classes = {{26, 999, 1}, {48, 1, 1}};
       },
       {}},
      {"AsymmetricMtu", [](World& w) { w.answers().path_mtu = 4'096; }, {"asymmetric-mtu"}},
      {"MtuBelowAgreed",
       [](World& w) { w.first().cm = CmParameters{.path_mtu_bytes = 4'096, .request_packet = 1}; },
       {"mtu-below-agreed"}},
      {"MtuAsAgreed",
       [](World& w) { w.first().cm = CmParameters{.path_mtu_bytes = 1'024, .request_packet = 1}; },
       {}},
      {"Rejected",
       [](World& w) { w.first().cm = CmParameters{.request_packet = 1, .rejected = "no service"}; },
       {"connection-rejected"}},
  };
  return rows;
}

}  // namespace weft::analyzer
