// SPDX-License-Identifier: Apache-2.0
#include "topology/records/record_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>
#include <sstream>

#include "tests/topology/random_records.h"
#include "topology/records/finding.h"
#include "topology/records/flow.h"

namespace weft::topology {
namespace {

using ::testing::HasSubstr;
using ::testing::SizeIs;

constexpr const char* kHeader = "{\"kind\":\"demand\",\"version\":1}\n";

std::string ReadFile(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream bytes;
  bytes << file.rdbuf();
  return bytes.str();
}

// The bytes of a file of these records, as the writer makes it.
template <typename T>
std::string Bytes(const std::vector<T>& records, const char* extension) {
  const std::string path = ::testing::TempDir() + "/record_file_test" + extension;
  EXPECT_TRUE(WriteRecords<T>(path, records).ok());
  std::string bytes = ReadFile(path);
  std::remove(path.c_str());
  return bytes;
}

std::string Message(const std::string& bytes) {
  return std::string(ParseRecords<Demand>(bytes, "f").status().message());
}

TEST(RecordFile, HasTheDocumentedForm) {
  const std::vector<Demand> demands = {{"a", "b", 1.5, 2}};
  EXPECT_EQ(Bytes(demands, ".jsonl"),
            std::string(kHeader) +
                R"({"source":"a","destination":"b","rate_bps":1.5,"flow_count":2})"
                "\n");
  const std::string binary = Bytes(demands, ".binpb");
  EXPECT_TRUE(binary.starts_with("WFT1\x0a"));
  const auto back = ParseRecords<Demand>(binary, "f");
  ASSERT_TRUE(back.ok()) << back.status();
  EXPECT_EQ(back->records, demands);
}

TEST(RecordFile, MayHoldNoRecords) {
  for (const char* extension : {".jsonl", ".binpb"}) {
    const auto file = ParseRecords<Demand>(Bytes<Demand>({}, extension), "f");
    ASSERT_TRUE(file.ok()) << file.status();
    EXPECT_THAT(file->records, SizeIs(0));
    EXPECT_FALSE(file->cut);
  }
}

TEST(RecordFile, BlankLinesAndForeignLineEndsAreFine) {
  const auto file = ParseRecords<Demand>(
      "{\"kind\": \"demand\", \"version\": 1}\r\n\n  \n{\"source\": \"a\"}\r\n\n{\"source\":\"b\"}",
      "f");
  ASSERT_TRUE(file.ok()) << file.status();
  EXPECT_THAT(file->records, SizeIs(2));
  EXPECT_FALSE(file->cut) << "the last line is whole, only its end is missing";
}

// Whatever length a file is cut to: what stood whole before the cut is read, and the cut is told,
// except where the cut falls between two records.
TEST(RecordFile, ACutTailKeepsWhatIsBeforeIt) {
  RandomRecords random(1);
  std::vector<Finding> findings(3);
  for (Finding& finding : findings) random.Fill(finding);
  for (const char* extension : {".jsonl", ".binpb"}) {
    const std::string whole = Bytes(findings, extension);
    std::vector<size_t> ends;  // of the file with the first 0, 1, 2, 3 records
    for (size_t count = 0; count <= findings.size(); ++count) {
      ends.push_back(
          Bytes(std::vector(findings.begin(), findings.begin() + static_cast<long>(count)),
                extension)
              .size());
    }
    for (size_t size = ends[0]; size <= whole.size(); ++size) {
      const auto file = ParseRecords<Finding>(whole.substr(0, size), "f");
      ASSERT_TRUE(file.ok()) << file.status() << " at " << size << extension;
      size_t complete = 0;
      while (complete + 1 < ends.size() && ends[complete + 1] <= size) ++complete;
      bool between = ends[complete] == size;
      // A line that lacks nothing but its end is whole.
      if (whole[size] == '\n' && !between && std::string(extension) == ".jsonl") {
        ++complete;
        between = true;
      }
      ASSERT_EQ(file->records.size(), complete) << "at " << size << extension;
      ASSERT_EQ(file->cut, !between) << "at " << size << extension;
    }
  }
}

TEST(RecordFile, ACutHeaderIsNoRecordFile) {
  for (const char* extension : {".jsonl", ".binpb"}) {
    const std::string whole = Bytes<Demand>({}, extension);
    for (size_t size = 0; size + 1 < whole.size(); ++size) {
      ASSERT_FALSE(ParseRecords<Demand>(whole.substr(0, size), "f").ok()) << size << extension;
    }
  }
}

struct BadFile {
  const char* name;
  std::string bytes;
  const char* message;
};

class RefusedFile : public ::testing::TestWithParam<BadFile> {};

TEST_P(RefusedFile, SaysWhatIsWrongAndWhere) {
  EXPECT_THAT(Message(GetParam().bytes), ::testing::StartsWith(GetParam().message));
}

std::string Binary(const std::string& after_magic) { return "WFT1" + after_magic; }
// kind "demand" (field 1, text), version 1 (field 2, number)
const std::string kBinaryHeader =
    Binary(std::string("\x0a\x0a\x06"
                       "demand\x10\x01",
                       11));

INSTANTIATE_TEST_SUITE_P(
    All, RefusedFile,
    ::testing::Values(
        BadFile{"Empty", "", "f: empty: expected a record file of kind \"demand\""},
        BadFile{"NoHeader", "{\"source\":\"a\"}\n",
                "f:1: not a record file: expected {\"kind\":\"demand\",\"version\":1}"},
        BadFile{"NotJson", "source,destination\n", "f:1: not a record file"},
        BadFile{"OtherKind", "{\"kind\":\"flow\",\"version\":1}\n",
                "f: records of kind \"flow\": expected kind \"demand\""},
        BadFile{"NewerVersion", "{\"kind\":\"demand\",\"version\":2}\n",
                "f: version 2 of kind \"demand\": this program reads versions up to 1"},
        BadFile{"VersionZero", "{\"kind\":\"demand\",\"version\":0}\n",
                "f: version 0 of kind \"demand\""},
        BadFile{"MalformedLine", std::string(kHeader) + "{}\n\n{\"source\":}\n",
                "f:4: not a demand record: "},
        BadFile{"ValueOutOfRange", std::string(kHeader) + "{\"rate_bps\":-1}\n",
                "f:2: not a demand record: rate_bps -1: expected"},
        BadFile{"LastLineIsNoObject", std::string(kHeader) + "source", "f:2: not a demand record"},
        BadFile{"BinaryNoHeader", Binary(""), "f: no header after \"WFT1\""},
        BadFile{"BinaryOtherKind",
                Binary(std::string("\x08\x0a\x04"
                                   "flow\x10\x01",
                                   9)),
                "f: records of kind \"flow\": expected kind \"demand\""},
        BadFile{"BinaryNewerVersion",
                Binary(std::string("\x0a\x0a\x06"
                                   "demand\x10\x02",
                                   11)),
                "f: version 2 of kind \"demand\""},
        BadFile{"BinaryNotAMessage", kBinaryHeader + std::string("\x02\xff\xff", 3),
                "f: record 1: not a demand record: not a Demand message (2 bytes)"},
        BadFile{"BinaryNotUtf8", kBinaryHeader + std::string("\x03\x0a\x01\xff", 4),
                "f: record 1: not a demand record"},
        BadFile{"BinaryHugeLength", kBinaryHeader + std::string("\xff\xff\xff\xff\x0f", 5),
                "f: record 1: length 4294967295: expected at most 67108864"},
        BadFile{"BinaryEndlessLength", kBinaryHeader + std::string(11, '\xff'),
                "f: record 1: length does not end"}),
    [](const auto& row) { return std::string(row.param.name); });

TEST(RecordFile, TheRowsAboveStartFromAGoodHeader) {
  EXPECT_TRUE(ParseRecords<Demand>(kBinaryHeader, "f").ok());
  EXPECT_TRUE(ParseRecords<Demand>(kHeader, "f").ok());
}

TEST(RecordFile, NamesAFileThatCannotBeOpened) {
  const auto missing = ReadRecords<Demand>("/nonexistent/demands.jsonl");
  EXPECT_EQ(missing.status().message(),
            "/nonexistent/demands.jsonl: cannot open: No such file or directory");
  const auto folder = ReadRecords<Demand>(::testing::TempDir());
  EXPECT_THAT(std::string(folder.status().message()), HasSubstr("cannot read: Is a directory"));
  const absl::Status written = WriteRecords<Demand>("/nonexistent/demands.jsonl", {});
  EXPECT_THAT(std::string(written.message()), HasSubstr("cannot write: No such file"));
}

TEST(RecordFile, AFullDiskIsReported) {
  if (access("/dev/full", W_OK) != 0) GTEST_SKIP() << "there is no /dev/full";
  const std::vector<Demand> demands(10'000, Demand{"a", "b", 1, 1});
  const absl::Status status = WriteRecords<Demand>("/dev/full", demands);
  EXPECT_THAT(std::string(status.message()), HasSubstr("No space left on device"));
}

// Swaps the process's stdin or stdout for a file, and back.
class Redirected {
 public:
  Redirected(int descriptor, std::FILE* file) : descriptor_(descriptor), saved_(dup(descriptor)) {
    dup2(fileno(file), descriptor);
  }
  ~Redirected() {
    dup2(saved_, descriptor_);
    close(saved_);
  }

 private:
  int descriptor_;
  int saved_;
};

TEST(RecordFile, ADashIsStdoutAndStdin) {
  const std::vector<Demand> demands = {{"a", "b", 1.5, 2}, {"c", "d", 2.5, 3}};
  std::FILE* file = std::tmpfile();
  ASSERT_NE(file, nullptr);
  {
    const Redirected redirected(STDOUT_FILENO, file);
    ASSERT_TRUE(WriteRecords<Demand>("-", demands).ok());
  }
  std::rewind(file);
  const Redirected redirected(STDIN_FILENO, file);
  const auto back = ReadRecords<Demand>("-");
  ASSERT_TRUE(back.ok()) << back.status();
  EXPECT_EQ(back->records, demands);
  std::fclose(file);
}

}  // namespace
}  // namespace weft::topology
