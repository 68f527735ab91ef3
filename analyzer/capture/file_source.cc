// SPDX-License-Identifier: Apache-2.0
#include "analyzer/capture/file_source.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

namespace weft::analyzer {
namespace {

class FileSource final : public ByteSource {
 public:
  FileSource(std::string path, int descriptor, uint64_t bytes_total)
      : path_(std::move(path)), descriptor_(descriptor), bytes_total_(bytes_total) {}
  ~FileSource() override {
    if (descriptor_ != STDIN_FILENO) ::close(descriptor_);
  }
  FileSource(const FileSource&) = delete;
  FileSource& operator=(const FileSource&) = delete;

  size_t Read(std::span<std::byte> into) override {
    const ssize_t got = ::read(descriptor_, into.data(), into.size());
    if (got < 0) {
      // A pipe may stay silent for ever: whoever catches a signal wants what there is.
      status_ = errno == EINTR
                    ? absl::CancelledError(path_ + ": interrupted while waiting for more")
                    : absl::ErrnoToStatus(errno, path_ + ": cannot be read on");
      return 0;
    }
    bytes_read_ += static_cast<uint64_t>(got);
    return static_cast<size_t>(got);
  }
  absl::Status status() const override { return status_; }
  uint64_t bytes_read() const override { return bytes_read_; }
  uint64_t bytes_total() const override { return bytes_total_; }

 private:
  std::string path_;
  int descriptor_;
  uint64_t bytes_total_;
  uint64_t bytes_read_ = 0;
  absl::Status status_;
};

}  // namespace

absl::StatusOr<std::unique_ptr<ByteSource>> OpenFileSource(const std::string& path) {
  int descriptor = STDIN_FILENO;
  if (path != "-") {
    do {
      descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    } while (descriptor < 0 && errno == EINTR);
    if (descriptor < 0) return absl::ErrnoToStatus(errno, path);
  }
  uint64_t bytes_total = 0;
  struct stat about = {};
  if (::fstat(descriptor, &about) == 0) {
    if (S_ISDIR(about.st_mode)) {
      if (descriptor != STDIN_FILENO) ::close(descriptor);
      return absl::InvalidArgumentError(path + ": is a folder, a capture file expected");
    }
    if (S_ISREG(about.st_mode)) {
      bytes_total = static_cast<uint64_t>(about.st_size);
      ::posix_fadvise(descriptor, 0, 0, POSIX_FADV_SEQUENTIAL);  // only a hint
    }
  }
  return std::make_unique<FileSource>(path, descriptor, bytes_total);
}

}  // namespace weft::analyzer
