// SPDX-License-Identifier: Apache-2.0
// Any bytes as what other tools traced, or as what lldpctl printed: read without harm; the records
// hold what their schema says, the tables come back from a record, and neighbours make a fabric.
#include <string>
#include <vector>

#include "tests/fuzz/expect.h"
#include "topology/fabric/fabric.h"
#include "topology/import/import.h"
#include "topology/import/lldp.h"

namespace weft::topology {
namespace {

void ExpectFindings(const std::vector<Finding>& findings) {
  for (const Finding& finding : findings) {
    fuzz::Expect(!finding.code.empty() && !finding.evidence.empty(), "no finding without evidence");
  }
}

void ExpectPath(const Path& path, const PathTable& table) {
  fuzz::Expect(path.hops.size() <= 255, "a path has at most 255 hops");
  for (size_t i = 0; i < path.hops.size(); ++i) {
    fuzz::Expect(path.hops[i].hop_index == i + 1, "hops have no gaps");
    fuzz::Expect(!path.reaches_destination || path.hops[i].address != table.destination_address,
                 "the destination ends a path");
  }
  for (size_t i = 1; i < path.udp_src_ports.size(); ++i) {
    fuzz::Expect(path.udp_src_ports[i - 1] < path.udp_src_ports[i], "ports in order, none twice");
  }
}

void FuzzImport(TraceFormat format, std::string_view text) {
  const auto result = ImportTraces(format, text, "fuzz");
  if (!result.ok()) {
    fuzz::Expect(result.status().message().substr(0, 4) == "fuzz", "an error names the file");
    return;
  }
  ExpectFindings(result->findings);
  for (const PathTable& table : result->tables) {
    fuzz::Expect(!table.destination_address.empty(), "a table has a destination");
    fuzz::Expect(table.paths.size() <= kMaxPathsOfGraph || format == TraceFormat::kScamper,
                 "a graph's paths are bounded");
    ExpectFindings(table.findings);
    for (const Path& path : table.paths) ExpectPath(path, table);
    const auto again = RecordCodec<PathTable>::FromJson(RecordCodec<PathTable>::ToJson(table));
    fuzz::Expect(again.ok() && *again == table, "a table comes back from its record");
  }
}

// As one file, and as the files of two nodes that may be each other's neighbours.
void FuzzLldp(std::string_view text) {
  const size_t half = text.size() / 2;
  const std::vector<std::vector<LldpFile>> cases = {
      {{"fuzz", text, "leaf1"}},
      {{"fuzz a", text, "leaf1"}, {"fuzz b", text, "spine1"}},
      {{"fuzz a", text.substr(0, half), "leaf1"}, {"fuzz b", text.substr(half), "spine1"}}};
  for (const std::vector<LldpFile>& files : cases) {
    const auto result = ImportLldp(files);
    if (!result.ok()) {
      fuzz::Expect(result.status().message().substr(0, 4) == "fuzz", "an error names the file");
      continue;
    }
    ExpectFindings(result->findings);
    fuzz::Expect(Fabric::FromRecords(result->records).ok(), "neighbours make a fabric");
  }
}

}  // namespace
}  // namespace weft::topology

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  weft::topology::FuzzImport(weft::topology::TraceFormat::kScamper, text);
  weft::topology::FuzzImport(weft::topology::TraceFormat::kDublinTraceroute, text);
  weft::topology::FuzzLldp(text);
  return 0;
}
