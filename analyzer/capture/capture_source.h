// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "analyzer/capture/captured_packet.h"

// Where captured packets come from: files of every format that Weft reads, standard input, several
// of them in time order, or a live interface. Memory is bounded: a few MiB for each open file,
// whatever its size, snaplen or length fields say.
namespace weft::analyzer {

struct CaptureInterface {
  std::string file;        // as given; "-" for standard input, "eth0" for a live interface
  std::string name;        // if_name of pcapng; empty where there is none
  uint16_t link_type = 0;  // LINKTYPE_ number, known or not
  uint32_t snaplen = 0;    // 0: no limit said
  uint64_t speed_bps = 0;  // if_speed of pcapng; 0: unknown
  uint64_t packets = 0;
  uint64_t cut_packets = 0;              // captured with less than they had
  std::optional<uint64_t> dropped = {};  // by the capturing system, as it says itself
};

// What ended an input early or made part of it unreadable. What stood before was given out.
struct CaptureProblem {
  std::string file;
  uint64_t offset = 0;  // bytes from the start of the (decompressed) file
  std::string what;     // "record says 4294967295 bytes, at most 262144 expected", ...
};

struct CaptureProgress {
  uint64_t bytes_read = 0;   // of the files as they lie on disk
  uint64_t bytes_total = 0;  // 0: unknown (standard input, live)
};

// Not thread-safe. Read() is called from one thread.
class CaptureSource {
 public:
  virtual ~CaptureSource() = default;

  // Fills at most packets.size() packets and returns how many; 0: the end, or, of a live source,
  // nothing within its poll time (see finished()). The spans are valid until the next call. Never
  // fails: what cannot be read any more is in problems().
  virtual size_t Read(std::span<CapturedPacket> packets) = 0;
  virtual bool finished() const = 0;

  virtual const std::vector<CaptureInterface>& interfaces() const = 0;
  virtual const std::vector<CaptureProblem>& problems() const = 0;
  virtual CaptureProgress progress() const = 0;
};

// One file, or standard input for "-": pcap (microseconds, nanoseconds, both byte orders, the
// modified formats), pcapng, either also in gzip or zstd. NotFound, PermissionDenied or
// InvalidArgument for what is no capture from its first bytes on; the message names the file.
absl::StatusOr<std::unique_ptr<CaptureSource>> OpenCapture(const std::string& path);

// Several, merged in the order of their times (stable: of equal times the file named first). Each
// is taken to be in order itself; a packet that is earlier than one before it in its own file is
// given out as it comes.
absl::StatusOr<std::unique_ptr<CaptureSource>> OpenCaptures(const std::vector<std::string>& paths);

struct LiveOptions {
  std::string interface;
  uint32_t snaplen = 256;
  uint32_t buffer_bytes = 64u << 20;
  bool promiscuous = true;
  int poll_ms = 100;  // how long one Read() may wait
};
// Through libpcap. Unimplemented in a build without it.
absl::StatusOr<std::unique_ptr<CaptureSource>> OpenLive(const LiveOptions& options);

}  // namespace weft::analyzer
