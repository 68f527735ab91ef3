// SPDX-License-Identifier: Apache-2.0
// docs/records.md shows what the programs write: every example is parsed and written back.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <sstream>

#include "topology/records/assignment.h"
#include "topology/records/fabric_records.h"
#include "topology/records/finding.h"
#include "topology/records/flow.h"
#include "topology/records/forwarding_table.h"
#include "topology/records/path_table.h"
#include "topology/records/port_counters.h"
#include "topology/records/probe_record.h"
#include "topology/records/record_file.h"
#include "topology/records/target.h"

namespace weft::topology {
namespace {

// The fenced blocks of one language, each with its lines.
std::vector<std::string> Blocks(const std::string& language) {
  std::ifstream file(std::string(WEFT_SOURCE_DIR) + "/docs/records.md");
  EXPECT_TRUE(file.is_open());
  std::vector<std::string> blocks;
  bool inside = false;
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("```")) {
      inside = !inside && line == "```" + language;
      if (inside) blocks.emplace_back();
    } else if (inside) {
      blocks.back() += line + "\n";
    }
  }
  return blocks;
}

std::string ExampleOf(const std::string& kind) {
  for (const std::string& block : Blocks("json")) {
    if (block.starts_with("{\"kind\":\"" + kind + "\"")) return block;
  }
  ADD_FAILURE() << "docs/records.md has no example of kind " << kind;
  return "";
}

// Two digits a byte from the start of each line; words after three spaces explain.
std::string FromHex(const std::string& block) {
  std::string bytes;
  std::istringstream lines(block);
  for (std::string line; std::getline(lines, line);) {
    line.resize(std::min(line.size(), size_t{50}));
    std::istringstream words(line);
    for (std::string word; words >> word;) {
      EXPECT_EQ(word.size(), 2u) << line;
      bytes += static_cast<char>(std::stoi(word, nullptr, 16));
    }
  }
  return bytes;
}

template <typename T>
class DocumentedKind : public ::testing::Test {};

using AllKinds =
    ::testing::Types<FabricRecord, ForwardingTable, PortCounters, PathTable, Target, ProbeRecord,
                     Demand, Flow, FlowReport, LinkLoad, Assignment, Finding>;
TYPED_TEST_SUITE(DocumentedKind, AllKinds);

TYPED_TEST(DocumentedKind, HasAnExampleThatIsWhatTheWriterPrints) {
  const std::string example = ExampleOf(kRecordKind<TypeParam>.name);
  const auto file = ParseRecords<TypeParam>(example, "docs/records.md");
  ASSERT_TRUE(file.ok()) << file.status();
  ASSERT_FALSE(file->records.empty());
  EXPECT_FALSE(file->cut);
  std::string written = example.substr(0, example.find('\n') + 1);
  for (const TypeParam& record : file->records) {
    written += RecordCodec<TypeParam>::ToJson(record) + "\n";
  }
  EXPECT_EQ(written, example);
}

TEST(DocumentedBinaryFile, HoldsTheSameAsTheTextExample) {
  const std::vector<std::string> blocks = Blocks("hex");
  ASSERT_EQ(blocks.size(), 1u);
  const auto binary = ParseRecords<Demand>(FromHex(blocks[0]), "hex example");
  ASSERT_TRUE(binary.ok()) << binary.status();
  EXPECT_FALSE(binary->cut);
  EXPECT_EQ(binary->records, ParseRecords<Demand>(ExampleOf("demand"), "text example")->records);
}

}  // namespace
}  // namespace weft::topology
