// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

// As little of rtnetlink (linux/rtnetlink.h) as it takes to ask one question and read the answer.
// Numbers are in this machine's byte order, attributes padded to four bytes.
namespace weft::probe {

// A message to the kernel: a header, the fixed part of its type, attributes.
class NetlinkRequest {
 public:
  // `fixed` is the fixed part as bytes.
  NetlinkRequest(uint16_t type, std::span<const std::byte> fixed);
  void Add(uint16_t type, std::span<const std::byte> value);

  // Sends it and waits for the one answer, of which it returns the part after the fixed one, of
  // `fixed_bytes`. 0 in *error: ok; otherwise the errno, and the result is empty.
  std::vector<std::byte> Ask(size_t fixed_bytes, int* error);

 private:
  std::vector<std::byte> bytes_;
};

// The value of the first attribute of this type; nullopt: there is none before the first that is
// cut.
std::optional<std::span<const std::byte>> FindAttribute(std::span<const std::byte> attributes,
                                                        uint16_t type);
// The same as a number of this machine's, or as text up to its zero byte.
std::optional<uint32_t> FindNumber(std::span<const std::byte> attributes, uint16_t type);
std::string FindText(std::span<const std::byte> attributes, uint16_t type);

}  // namespace weft::probe
