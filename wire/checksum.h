// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace weft::wire {

// Internet checksum (RFC 1071) as it is put into a header: the ones' complement of the ones'
// complement sum of the bytes as big-endian 16-bit words, an odd last byte filled with a zero. Over
// bytes that hold their own right checksum the result is 0.
uint16_t InternetChecksum(std::span<const std::byte> bytes);

}  // namespace weft::wire
