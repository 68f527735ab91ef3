// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cassert>
#include <cctype>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "wire/byte_writer.h"

// Packets in tests are text in hex, blanks ignored.
namespace weft::wire {

using Bytes = std::vector<std::byte>;

inline Bytes FromHex(std::string_view text) {
  std::string digits;
  for (const char c : text) {
    if (std::isxdigit(static_cast<unsigned char>(c)) != 0) digits += c;
  }
  assert(digits.size() % 2 == 0);
  Bytes bytes;
  for (size_t i = 0; i < digits.size(); i += 2) {
    bytes.push_back(static_cast<std::byte>(std::stoi(digits.substr(i, 2), nullptr, 16)));
  }
  return bytes;
}

inline std::string ToHex(std::span<const std::byte> bytes) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string text;
  for (const std::byte byte : bytes) {
    text += kDigits[static_cast<uint8_t>(byte) >> 4];
    text += kDigits[static_cast<uint8_t>(byte) & 0xf];
  }
  return text;
}

inline std::span<const std::byte> First(const Bytes& bytes, size_t size) {
  return std::span<const std::byte>(bytes).first(size);
}

// What `write(header, writer)` writes.
template <typename Header, typename Write>
Bytes Written(const Header& header, Write write) {
  Bytes bytes(128);
  ByteWriter writer(bytes);
  write(header, writer);
  assert(writer.ok());
  bytes.resize(writer.written());
  return bytes;
}

}  // namespace weft::wire
