// SPDX-License-Identifier: Apache-2.0
// Any bytes as a record file of every kind: read without harm, and what was read is written and
// read back as the same.
#include <string>
#include <string_view>

#include "tests/fuzz/expect.h"
#include "topology/records/assignment.h"
#include "topology/records/fabric_records.h"
#include "topology/records/finding.h"
#include "topology/records/flow.h"
#include "topology/records/path_table.h"
#include "topology/records/probe_record.h"
#include "topology/records/record_file.h"
#include "topology/records/target.h"

namespace weft::topology {
namespace {

template <typename T>
void FuzzKind(std::string_view bytes) {
  const auto file = ParseRecords<T>(std::string(bytes), "fuzz");
  if (!file.ok()) {
    fuzz::Expect(file.status().message().substr(0, 4) == "fuzz", "an error names the file");
    return;
  }
  for (const T& record : file->records) {
    const std::string json = RecordCodec<T>::ToJson(record);
    fuzz::Expect(json.find('\n') == std::string::npos, "a record is one line");
    const auto from_json = RecordCodec<T>::FromJson(json);
    fuzz::Expect(from_json.ok() && *from_json == record, "JSON comes back");
    const auto from_binary = RecordCodec<T>::FromBinary(RecordCodec<T>::ToBinary(record));
    fuzz::Expect(from_binary.ok() && *from_binary == record, "binary comes back");
  }
}

template <typename... Ts>
void FuzzKinds(std::string_view bytes) {
  (FuzzKind<Ts>(bytes), ...);
}

}  // namespace
}  // namespace weft::topology

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  weft::topology::FuzzKinds<weft::topology::FabricRecord, weft::topology::PathTable,
                            weft::topology::Target, weft::topology::ProbeRecord,
                            weft::topology::Demand, weft::topology::Flow,
                            weft::topology::FlowReport, weft::topology::LinkLoad,
                            weft::topology::Assignment, weft::topology::Finding>(
      std::string_view(reinterpret_cast<const char*>(data), size));
  return 0;
}
