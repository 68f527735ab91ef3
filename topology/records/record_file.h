// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <cstdio>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "topology/records/record_codec.h"

// Record files (docs/records.md): a header {kind, version}, then records; one JSON object a line,
// or the bytes "WFT1" and length-delimited messages. A reader tells which by the first bytes; a
// writer by the name (".binpb" is binary). "-" is stdin or stdout.
namespace weft::topology {

inline constexpr size_t kMaxRecordBytes = size_t{64} << 20;

// Untyped reading and writing; the templates below are what one uses.
class RecordReader {
 public:
  // Refuses a file of another kind or of a newer version, by name.
  static absl::StatusOr<std::unique_ptr<RecordReader>> Open(const std::string& path,
                                                            const RecordKind& kind);
  // The same over bytes already in memory; `name` is what errors call them.
  static absl::StatusOr<std::unique_ptr<RecordReader>> OpenBytes(std::string bytes,
                                                                 std::string name,
                                                                 const RecordKind& kind);
  ~RecordReader();

  // The next record's bytes (valid until the next call). false: the end, or a cut-off tail.
  absl::StatusOr<bool> Next(std::string_view* bytes);
  bool is_binary() const { return binary_; }
  // The file ended inside a record; what came before it is whole.
  bool cut() const { return cut_; }
  // "flows.jsonl:7" or "flows.binpb: record 7", for messages about the record last read.
  std::string Where() const;

 private:
  RecordReader() = default;
  absl::Status ReadHeader(const RecordKind& kind);
  absl::StatusOr<bool> NextLine(std::string_view* line);
  absl::StatusOr<bool> NextMessage(std::string_view* message);
  bool Fill();

  std::string name_;
  std::FILE* file_ = nullptr;
  bool owns_file_ = false;
  std::string buffer_;
  size_t offset_ = 0;
  bool at_end_ = false;
  absl::Status read_status_;  // not ok: the file could not be read to its end
  bool binary_ = false;
  bool cut_ = false;
  uint64_t record_number_ = 0;
};

class RecordWriter {
 public:
  static absl::StatusOr<std::unique_ptr<RecordWriter>> Open(const std::string& path,
                                                            const RecordKind& kind);
  ~RecordWriter();
  absl::Status WriteBytes(std::string_view record);
  template <typename T>
  absl::Status Write(const T& record) {
    return WriteBytes(binary_ ? RecordCodec<T>::ToBinary(record) : RecordCodec<T>::ToJson(record));
  }
  absl::Status Flush();
  absl::Status Close();  // reports what could not be written (a full disk, a closed pipe)

 private:
  RecordWriter() = default;
  std::string name_;
  std::FILE* file_ = nullptr;
  bool binary_ = false;
};

template <typename T>
struct RecordFile {
  std::vector<T> records;
  bool cut = false;  // the file ends inside a record: records holds all before it (exit 4)
};

template <typename T>
absl::StatusOr<RecordFile<T>> ReadAll(RecordReader& reader) {
  RecordFile<T> file;
  std::string_view bytes;
  while (true) {
    absl::StatusOr<bool> more = reader.Next(&bytes);
    if (!more.ok()) return more.status();
    if (!*more) break;
    absl::StatusOr<T> record =
        reader.is_binary() ? RecordCodec<T>::FromBinary(bytes) : RecordCodec<T>::FromJson(bytes);
    if (!record.ok()) {
      return absl::InvalidArgumentError(reader.Where() + ": not a " + kRecordKind<T>.name +
                                        " record: " + std::string(record.status().message()));
    }
    file.records.push_back(*std::move(record));
  }
  file.cut = reader.cut();
  return file;
}

template <typename T>
absl::StatusOr<RecordFile<T>> ReadRecords(const std::string& path) {
  auto reader = RecordReader::Open(path, kRecordKind<T>);
  if (!reader.ok()) return reader.status();
  return ReadAll<T>(**reader);
}

template <typename T>
// NOLINTNEXTLINE(performance-unnecessary-value-param): both are moved
absl::StatusOr<RecordFile<T>> ParseRecords(std::string bytes, std::string name) {
  auto reader = RecordReader::OpenBytes(std::move(bytes), std::move(name), kRecordKind<T>);
  if (!reader.ok()) return reader.status();
  return ReadAll<T>(**reader);
}

template <typename T>
absl::Status WriteRecords(const std::string& path, std::span<const T> records) {
  auto writer = RecordWriter::Open(path, kRecordKind<T>);
  if (!writer.ok()) return writer.status();
  for (const T& record : records) {
    absl::Status status = (*writer)->Write(record);
    if (!status.ok()) return status;
  }
  return (*writer)->Close();
}

}  // namespace weft::topology
