// SPDX-License-Identifier: Apache-2.0
#include "analyzer/capture/capture_writer.h"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <bit>
#include <cerrno>
#include <cstring>
#include <unordered_map>
#include <vector>

#include "absl/strings/str_cat.h"
#include "analyzer/capture/open_capture.h"
#include "analyzer/capture/pcapng_format.h"

namespace weft::analyzer {
namespace {

static_assert(std::endian::native == std::endian::little, "numbers are appended as they lie");

constexpr size_t kBufferBytes = size_t{256} << 10;
constexpr uint8_t kNanoseconds = 9;  // if_tsresol

class PcapngWriter final : public CaptureWriter {
 public:
  PcapngWriter(std::string path, int descriptor) : path_(std::move(path)), descriptor_(descriptor) {
    buffer_.reserve(kBufferBytes);
    AppendSection();
  }
  ~PcapngWriter() override { [[maybe_unused]] const absl::Status status = Close(); }
  PcapngWriter(const PcapngWriter&) = delete;
  PcapngWriter& operator=(const PcapngWriter&) = delete;

  absl::Status Write(const CapturedPacket& packet) override {
    if (!status_.ok()) return status_;
    if (packet.bytes.size() > kMaxPacketBytes) {
      return absl::InvalidArgumentError(absl::StrCat(path_, ": packet of ", packet.bytes.size(),
                                                     " bytes, at most ", kMaxPacketBytes,
                                                     " expected"));
    }
    const uint32_t interface = InterfaceOf(static_cast<uint16_t>(packet.link_type));
    // Only the first interface can have packets without a time, and only whole ones.
    if (!packet.has_time && interface == 0 && packet.bytes.size() == packet.wire_bytes) {
      AppendSimple(packet);
    } else {
      AppendEnhanced(packet, interface);
    }
    return buffer_.size() < kBufferBytes ? absl::OkStatus() : Flush();
  }

  absl::Status Close() override {
    if (descriptor_ < 0) return status_;
    if (status_.ok()) Flush().IgnoreError();
    if (descriptor_ != STDOUT_FILENO && ::close(descriptor_) != 0 && status_.ok()) Fail();
    descriptor_ = -1;
    return status_;
  }

 private:
  template <typename T>
  void Append(T number) {
    std::array<std::byte, sizeof(T)> bytes;
    std::memcpy(bytes.data(), &number, sizeof number);
    buffer_.insert(buffer_.end(), bytes.begin(), bytes.end());
  }
  void AppendHeader(BlockType type, uint32_t size) {
    Append(static_cast<uint32_t>(type));
    Append(size);
  }
  void AppendPadded(std::span<const std::byte> bytes) {
    buffer_.insert(buffer_.end(), bytes.begin(), bytes.end());
    buffer_.resize(buffer_.size() + Padded(bytes) - bytes.size());
  }
  static size_t Padded(std::span<const std::byte> bytes) { return (bytes.size() + 3) / 4 * 4; }

  void AppendSection() {
    AppendHeader(BlockType::kSection, kSectionBlockBytes);
    Append(kByteOrderMagic);
    Append(kPcapngMajorVersion);
    Append(uint16_t{0});
    Append(~uint64_t{0});  // section length: not told
    Append(uint32_t{kSectionBlockBytes});
  }

  uint32_t InterfaceOf(uint16_t link) {
    const auto [at, is_new] = interfaces_.try_emplace(link, interfaces_.size());
    if (!is_new) return at->second;
    constexpr uint32_t kSize = kInterfaceBlockBytes + 8 + 4;  // if_tsresol, end of options
    AppendHeader(BlockType::kInterface, kSize);
    Append(link);
    Append(uint16_t{0});
    Append(uint32_t{0});  // snaplen: no limit
    Append(kIfTsresol);
    Append(uint16_t{1});
    Append(uint32_t{kNanoseconds});  // one byte and its padding
    Append(uint32_t{0});
    Append(kSize);
    return at->second;
  }

  void AppendEnhanced(const CapturedPacket& packet, uint32_t interface) {
    const uint32_t size = static_cast<uint32_t>(kPacketBlockBytes + Padded(packet.bytes));
    // Times before 1970 cannot be told; they count as none.
    const uint64_t time =
        packet.has_time && packet.time_ns > 0 ? static_cast<uint64_t>(packet.time_ns) : 0;
    AppendHeader(BlockType::kEnhancedPacket, size);
    Append(interface);
    Append(static_cast<uint32_t>(time >> 32));
    Append(static_cast<uint32_t>(time));
    Append(static_cast<uint32_t>(packet.bytes.size()));
    Append(packet.wire_bytes);
    AppendPadded(packet.bytes);
    Append(size);
  }

  void AppendSimple(const CapturedPacket& packet) {
    const uint32_t size = static_cast<uint32_t>(kSimplePacketBlockBytes + Padded(packet.bytes));
    AppendHeader(BlockType::kSimplePacket, size);
    Append(packet.wire_bytes);
    AppendPadded(packet.bytes);
    Append(size);
  }

  void Fail() { status_ = absl::ErrnoToStatus(errno, path_ + ": cannot be written"); }

  absl::Status Flush() {
    std::span<const std::byte> rest = buffer_;
    while (!rest.empty()) {
      const ssize_t written = ::write(descriptor_, rest.data(), rest.size());
      if (written >= 0) {
        rest = rest.subspan(static_cast<size_t>(written));
      } else if (errno != EINTR) {
        Fail();
        break;
      }
    }
    buffer_.clear();
    return status_;
  }

  std::string path_;
  int descriptor_;
  std::vector<std::byte> buffer_;
  std::unordered_map<uint16_t, uint32_t> interfaces_;  // by link type
  absl::Status status_;
};

}  // namespace

absl::StatusOr<std::unique_ptr<CaptureWriter>> CaptureWriter::Create(const std::string& path) {
  int descriptor = STDOUT_FILENO;
  if (path != "-") {
    do {
      descriptor = ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    } while (descriptor < 0 && errno == EINTR);
    if (descriptor < 0) return absl::ErrnoToStatus(errno, path + ": cannot be created");
  }
  return std::make_unique<PcapngWriter>(path, descriptor);
}

}  // namespace weft::analyzer
