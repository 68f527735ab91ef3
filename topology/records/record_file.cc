// SPDX-License-Identifier: Apache-2.0
#include "topology/records/record_file.h"

#include <cerrno>
#include <cstring>

#include "absl/strings/str_cat.h"
#include "topology/records/message_codec.h"

namespace weft::topology {
namespace {

constexpr std::string_view kBinaryMagic = "WFT1";
constexpr std::string_view kBlank = " \t\r";
constexpr size_t kChunkBytes = size_t{1} << 16;

bool NamesBinary(const std::string& path) { return path.ends_with(".binpb"); }

std::string HeaderJson(const RecordKind& kind) {
  return absl::StrCat("{\"kind\":\"", kind.name, "\",\"version\":", kind.version, "}");
}

// Whether every brace of a JSON object is closed; false for each shorter front part of one.
bool IsWholeObject(std::string_view json) {
  int depth = 0;
  bool in_string = false;
  for (size_t i = 0; i < json.size(); ++i) {
    if (in_string) {
      if (json[i] == '\\') {
        ++i;  // what it escapes
      } else if (json[i] == '"') {
        in_string = false;
      }
      continue;
    }
    if (json[i] == '"') in_string = true;
    if (json[i] == '{') ++depth;
    if (json[i] == '}' && --depth == 0) return true;
  }
  return false;
}

absl::Status FileError(const std::string& name, std::string_view what) {
  return absl::NotFoundError(absl::StrCat(name, ": ", std::string(what), ": ", strerror(errno)));
}

}  // namespace

absl::StatusOr<std::unique_ptr<RecordReader>> RecordReader::Open(const std::string& path,
                                                                 const RecordKind& kind) {
  auto reader = std::unique_ptr<RecordReader>(new RecordReader());
  reader->name_ = path == "-" ? "stdin" : path;
  reader->owns_file_ = path != "-";
  reader->file_ = path == "-" ? stdin : std::fopen(path.c_str(), "rb");
  if (reader->file_ == nullptr) return FileError(path, "cannot open");
  absl::Status status = reader->ReadHeader(kind);
  if (!status.ok()) return status;
  return reader;
}

absl::StatusOr<std::unique_ptr<RecordReader>> RecordReader::OpenBytes(std::string bytes,
                                                                      std::string name,
                                                                      const RecordKind& kind) {
  auto reader = std::unique_ptr<RecordReader>(new RecordReader());
  reader->name_ = std::move(name);
  reader->buffer_ = std::move(bytes);
  reader->at_end_ = true;
  absl::Status status = reader->ReadHeader(kind);
  if (!status.ok()) return status;
  return reader;
}

RecordReader::~RecordReader() {
  if (owns_file_ && file_ != nullptr) std::fclose(file_);
}

std::string RecordReader::Where() const {
  // A text file's header is its line 1, so record n stands on line n + 1.
  if (binary_) return absl::StrCat(name_, ": record ", record_number_);
  return absl::StrCat(name_, ":", record_number_ + 1);
}

bool RecordReader::Fill() {
  if (at_end_) return false;
  buffer_.erase(0, offset_);
  offset_ = 0;
  const size_t old_size = buffer_.size();
  buffer_.resize(old_size + kChunkBytes);
  const size_t got = std::fread(buffer_.data() + old_size, 1, kChunkBytes, file_);
  buffer_.resize(old_size + got);
  if (got == 0) at_end_ = true;
  if (std::ferror(file_) != 0) read_status_ = FileError(name_, "cannot read");
  return got > 0;
}

absl::StatusOr<bool> RecordReader::NextLine(std::string_view* line) {
  size_t searched = 0;
  while (true) {
    const size_t end = buffer_.find('\n', offset_ + searched);
    if (end != std::string::npos) {
      *line = std::string_view(buffer_).substr(offset_, end - offset_);
      offset_ = end + 1;
      return true;
    }
    searched = buffer_.size() - offset_;
    if (searched > kMaxRecordBytes) {
      return absl::InvalidArgumentError(
          absl::StrCat(name_, ": a line of more than ", kMaxRecordBytes, " bytes"));
    }
    if (!Fill()) break;
  }
  if (!read_status_.ok()) return read_status_;
  *line = std::string_view(buffer_).substr(offset_);
  offset_ = buffer_.size();
  if (line->find_first_not_of(kBlank) == std::string_view::npos) return false;
  // The writer ends every line, so a last line without an end may be the front part of a record.
  cut_ = (*line)[line->find_first_not_of(kBlank)] == '{' && !IsWholeObject(*line);
  return !cut_;
}

absl::StatusOr<bool> RecordReader::NextMessage(std::string_view* message) {
  uint64_t size = 0;
  for (int shift = 0;; shift += 7) {
    if (offset_ == buffer_.size() && !Fill()) {
      if (!read_status_.ok()) return read_status_;
      cut_ = shift > 0;
      return false;
    }
    if (shift > 28) {
      return absl::InvalidArgumentError(Where() + ": length does not end");
    }
    const auto byte = static_cast<uint8_t>(buffer_[offset_++]);
    size |= static_cast<uint64_t>(byte & 0x7f) << shift;
    if ((byte & 0x80) == 0) break;
  }
  if (size > kMaxRecordBytes) {
    return absl::InvalidArgumentError(
        absl::StrCat(Where(), ": length ", size, ": expected at most ", kMaxRecordBytes));
  }
  while (buffer_.size() - offset_ < size) {
    if (!Fill()) {
      if (!read_status_.ok()) return read_status_;
      cut_ = true;
      return false;
    }
  }
  *message = std::string_view(buffer_).substr(offset_, size);
  offset_ += size;
  return true;
}

absl::StatusOr<bool> RecordReader::Next(std::string_view* bytes) {
  ++record_number_;
  if (binary_) return NextMessage(bytes);
  while (true) {
    absl::StatusOr<bool> more = NextLine(bytes);
    if (!more.ok() || !*more) return more;
    if (bytes->find_first_not_of(kBlank) != std::string_view::npos) return true;
    ++record_number_;  // an empty line
  }
}

absl::Status RecordReader::ReadHeader(const RecordKind& kind) {
  while (buffer_.size() < kBinaryMagic.size() && Fill()) {
  }
  if (!read_status_.ok()) return read_status_;
  if (buffer_.empty()) {
    return absl::InvalidArgumentError(
        absl::StrCat(name_, ": empty: expected a record file of kind \"", kind.name, "\""));
  }
  records::Header header;
  std::string_view bytes;
  if (std::string_view(buffer_).starts_with(kBinaryMagic)) {
    binary_ = true;
    offset_ = kBinaryMagic.size();
    absl::StatusOr<bool> more = NextMessage(&bytes);
    if (!more.ok() || !*more ||
        !header.ParseFromArray(bytes.data(), static_cast<int>(bytes.size()))) {
      return absl::InvalidArgumentError(name_ + ": no header after \"WFT1\"");
    }
  } else {
    absl::StatusOr<bool> more = NextLine(&bytes);
    if (!more.ok()) return more.status();
    const bool parsed =
        *more && google::protobuf::util::JsonStringToMessage(
                     google::protobuf::StringPiece(bytes.data(), bytes.size()), &header)
                     .ok();
    if (!parsed || header.kind().empty()) {
      return absl::InvalidArgumentError(
          absl::StrCat(name_, ":1: not a record file: expected ", HeaderJson(kind)));
    }
  }
  if (header.kind() != kind.name) {
    return absl::InvalidArgumentError(absl::StrCat(name_, ": records of kind \"", header.kind(),
                                                   "\": expected kind \"", kind.name, "\""));
  }
  if (header.version() > kind.version || header.version() == 0) {
    return absl::InvalidArgumentError(
        absl::StrCat(name_, ": version ", header.version(), " of kind \"", kind.name,
                     "\": this program reads versions up to ", kind.version));
  }
  return absl::OkStatus();
}

absl::StatusOr<std::unique_ptr<RecordWriter>> RecordWriter::Open(const std::string& path,
                                                                 const RecordKind& kind) {
  auto writer = std::unique_ptr<RecordWriter>(new RecordWriter());
  writer->name_ = path == "-" ? "stdout" : path;
  writer->binary_ = NamesBinary(path);
  writer->file_ = path == "-" ? stdout : std::fopen(path.c_str(), "wb");
  if (writer->file_ == nullptr) return FileError(path, "cannot write");
  if (writer->binary_) {
    records::Header header;
    header.set_kind(kind.name);
    header.set_version(kind.version);
    std::fwrite(kBinaryMagic.data(), 1, kBinaryMagic.size(), writer->file_);
    absl::Status status = writer->WriteBytes(header.SerializeAsString());
    if (!status.ok()) return status;
  } else {
    absl::Status status = writer->WriteBytes(HeaderJson(kind));
    if (!status.ok()) return status;
  }
  return writer;
}

RecordWriter::~RecordWriter() {
  if (file_ != nullptr && file_ != stdout) std::fclose(file_);
}

absl::Status RecordWriter::WriteBytes(std::string_view record) {
  if (binary_) {
    for (size_t left = record.size();; left >>= 7) {
      const bool last = left < 0x80;
      std::fputc(static_cast<int>((left & 0x7f) | (last ? 0 : 0x80)), file_);
      if (last) break;
    }
  }
  std::fwrite(record.data(), 1, record.size(), file_);
  if (!binary_) std::fputc('\n', file_);
  if (std::ferror(file_) != 0) return FileError(name_, "cannot write");
  return absl::OkStatus();
}

absl::Status RecordWriter::Flush() {
  if (std::fflush(file_) != 0) return FileError(name_, "cannot write");
  return absl::OkStatus();
}

absl::Status RecordWriter::Close() {
  std::FILE* file = std::exchange(file_, nullptr);
  if (file == stdout) {
    if (std::fflush(stdout) != 0) return FileError(name_, "cannot write");
    return absl::OkStatus();
  }
  if (std::fclose(file) != 0) return FileError(name_, "cannot write");
  return absl::OkStatus();
}

}  // namespace weft::topology
