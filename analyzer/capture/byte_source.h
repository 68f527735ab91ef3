// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

// Bytes in order, from a file, a pipe, a decompressor or (in tests) from memory.
namespace weft::analyzer {

// Not thread-safe.
class ByteSource {
 public:
  virtual ~ByteSource() = default;

  // Writes at least one byte to the front of `into` (which is not empty) and returns how many. 0:
  // the end, or an error, which status() then tells (Cancelled: a signal came that the process
  // catches). Bytes before an error are all given out.
  virtual size_t Read(std::span<std::byte> into) = 0;
  virtual absl::Status status() const = 0;

  virtual uint64_t bytes_read() const = 0;   // as they lie on disk: compressed ones
  virtual uint64_t bytes_total() const = 0;  // 0: unknown (a pipe)
};

// The file, or standard input for "-"; gzip (of several members too) and zstd (of several frames)
// are told by their first bytes and decompressed, files by a thread of their own. Errors name the
// path: NotFound, PermissionDenied, InvalidArgument for a folder or for a compression that is not
// read here.
absl::StatusOr<std::unique_ptr<ByteSource>> OpenByteSource(const std::string& path);

// The same over any source.
absl::StatusOr<std::unique_ptr<ByteSource>> Decompressed(std::unique_ptr<ByteSource> source,
                                                         const std::string& name);

// `compressed` begins with gzip's, respectively zstd's, first bytes.
std::unique_ptr<ByteSource> GzipSource(std::unique_ptr<ByteSource> compressed);
std::unique_ptr<ByteSource> ZstdSource(std::unique_ptr<ByteSource> compressed);

// The same bytes, read up to 1 MiB ahead by a thread of its own, which ends with it. Not for what
// may stay silent for ever: destroying it waits for the Read() that goes on.
std::unique_ptr<ByteSource> ReadAheadOf(std::unique_ptr<ByteSource> source);

}  // namespace weft::analyzer
