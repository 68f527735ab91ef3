// SPDX-License-Identifier: Apache-2.0
#include "tests/wire/capture_files.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>

namespace weft::wire {
namespace {

// Numbers in the byte order of the file.
class FileReader {
 public:
  explicit FileReader(std::span<const std::byte> bytes) : bytes_(bytes) {}

  std::span<const std::byte> Take(size_t size) {
    if (size > bytes_.size()) {
      ok_ = false;
      bytes_ = {};
      return {};
    }
    const auto taken = bytes_.first(size);
    bytes_ = bytes_.subspan(size);
    return taken;
  }
  uint32_t Number(size_t size) {
    uint32_t value = 0;
    const auto taken = Take(size);
    for (size_t i = 0; i < taken.size(); ++i) {
      const size_t at = is_big_ ? i : taken.size() - 1 - i;
      value = value << 8 | static_cast<uint8_t>(taken[at]);
    }
    return value;
  }
  void set_big(bool is_big) { is_big_ = is_big; }
  bool is_big() const { return is_big_; }
  size_t remaining() const { return bytes_.size(); }
  bool ok() const { return ok_; }

 private:
  std::span<const std::byte> bytes_;
  bool is_big_ = false;
  bool ok_ = true;
};

Bytes Copy(std::span<const std::byte> bytes) { return {bytes.begin(), bytes.end()}; }

std::vector<FilePacket> WalkPcap(FileReader reader, bool is_modified) {
  reader.Take(16);
  const auto link_type = static_cast<uint16_t>(reader.Number(4));
  std::vector<FilePacket> packets;
  while (reader.remaining() > 0) {
    reader.Take(8);
    const size_t captured = reader.Number(4);
    const size_t wire = reader.Number(4);
    if (is_modified) reader.Take(8);
    const auto bytes = reader.Take(captured);
    if (!reader.ok()) break;
    packets.push_back({link_type, std::max(wire, captured), Copy(bytes)});
  }
  return packets;
}

struct Interface {
  uint16_t link_type = 0;
  size_t snap_bytes = 0;  // 0: no limit
};

class PcapngWalk {
 public:
  std::vector<FilePacket> Walk(FileReader reader) {
    while (reader.remaining() >= 12) {
      FileReader body = reader;
      if (!Block(body, reader)) break;
    }
    return std::move(packets_);
  }

 private:
  bool Block(FileReader look, FileReader& reader) {
    constexpr uint32_t kSection = 0x0a0d0d0a;
    const uint32_t type = look.Number(4);
    if (type == kSection) {
      FileReader magic = look;
      magic.Take(4);
      magic.set_big(true);
      reader.set_big(magic.Number(4) == 0x1a2b3c4d);
      look.set_big(reader.is_big());
      interfaces_.clear();
    }
    const size_t length = look.Number(4);
    if (length < 12 || length % 4 != 0) return false;
    FileReader body(reader.Take(length));
    if (!reader.ok()) return false;
    body.set_big(reader.is_big());
    body.Take(8);
    if (type == 1) ReadInterface(body);
    if (type == 6) return EnhancedPacket(body);
    if (type == 3) return SimplePacket(body);
    return true;
  }
  void ReadInterface(FileReader body) {
    const auto link_type = static_cast<uint16_t>(body.Number(2));
    body.Take(2);
    interfaces_.push_back({link_type, body.Number(4)});
  }
  bool EnhancedPacket(FileReader body) {
    const size_t interface = body.Number(4);
    body.Take(8);
    const size_t captured = body.Number(4);
    const size_t wire = body.Number(4);
    const auto bytes = body.Take(captured);
    if (!body.ok() || interface >= interfaces_.size()) return false;
    packets_.push_back({interfaces_[interface].link_type, std::max(wire, captured), Copy(bytes)});
    return true;
  }
  bool SimplePacket(FileReader body) {
    if (interfaces_.empty()) return false;
    const size_t wire = body.Number(4);
    const size_t snap = interfaces_[0].snap_bytes;
    const auto bytes = body.Take(snap == 0 ? wire : std::min(snap, wire));
    if (!body.ok()) return false;
    packets_.push_back({interfaces_[0].link_type, wire, Copy(bytes)});
    return true;
  }

  std::vector<Interface> interfaces_;
  std::vector<FilePacket> packets_;
};

}  // namespace

std::string CaptureFolder() {
  const char* shared = std::getenv("WEFT_SHARED_DIR");
  const std::string folder =
      (shared != nullptr ? std::string(shared) : WEFT_SOURCE_DIR "/../shared") + "/data/captures";
  return std::filesystem::is_directory(folder) ? folder : "";
}

std::vector<std::string> CaptureFiles() {
  std::vector<std::string> files;
  const std::string folder = CaptureFolder();
  if (folder.empty()) return files;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
    if (!entry.is_regular_file() || entry.path().extension() == ".md") continue;
    files.push_back(std::filesystem::relative(entry.path(), folder).string());
  }
  std::ranges::sort(files);
  return files;
}

std::vector<FilePacket> ReadCapture(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  const std::vector<char> text((std::istreambuf_iterator<char>(file)), {});
  const auto bytes = std::as_bytes(std::span(text));
  for (const bool is_big : {false, true}) {
    FileReader reader(bytes);
    reader.set_big(is_big);
    const uint32_t magic = reader.Number(4);
    if (magic == 0xa1b2c3d4 || magic == 0xa1b23c4d) return WalkPcap(reader, false);
    if (magic == 0xa1b2cd34) return WalkPcap(reader, true);
    if (magic == 0x0a0d0d0a) return PcapngWalk().Walk(FileReader(bytes));
  }
  return {};
}

void WriteCapture(const std::string& path, const std::vector<FilePacket>& packets) {
  std::ofstream file(path, std::ios::binary);
  const auto number = [&file](uint64_t value, size_t size) {
    for (size_t i = 0; i < size; ++i) file.put(static_cast<char>(value >> (8 * i)));
  };
  number(0xa1b2c3d4, 4);
  number(2, 2);
  number(4, 2);
  number(0, 8);
  number(262144, 4);
  number(packets.empty() ? 1 : packets[0].link_type, 4);
  uint64_t second = 1700000000;
  for (const FilePacket& packet : packets) {
    number(second++, 4);
    number(0, 4);
    number(packet.bytes.size(), 4);
    number(packet.wire_bytes, 4);
    file.write(reinterpret_cast<const char*>(packet.bytes.data()),
               static_cast<std::streamsize>(packet.bytes.size()));
  }
}

}  // namespace weft::wire
