// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tests/wire/hex.h"

// Just enough of pcap and pcapng to walk over real files in tests of the dissector: whole packets
// up to the first thing that does not fit. The reader that users get is analyzer/capture's.
namespace weft::wire {

struct FilePacket {
  uint16_t link_type = 0;
  size_t wire_bytes = 0;
  Bytes bytes{};
};

// The folder of real captures; empty where this machine has none.
std::string CaptureFolder();
std::vector<std::string> CaptureFiles();  // below it, sorted, as "encap/vxlan.pcap"

std::vector<FilePacket> ReadCapture(const std::string& path);
// A pcap file (microseconds, little-endian) with these packets, all of one link type.
void WriteCapture(const std::string& path, const std::vector<FilePacket>& packets);

}  // namespace weft::wire
