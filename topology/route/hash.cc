// SPDX-License-Identifier: Apache-2.0
#include "topology/route/hash.h"

#include <array>
#include <cassert>
#include <cstddef>
#include <span>

#include "topology/route/route.h"
#include "wire/icrc.h"

namespace weft::topology {
namespace {

// What is hashed, in network byte order: seed, addresses, protocol, ports.
class HashInput {
 public:
  void U8(uint8_t value) { bytes_[size_++] = value; }
  void U16(uint16_t value) {
    U8(static_cast<uint8_t>(value >> 8));
    U8(static_cast<uint8_t>(value));
  }
  void U32(uint32_t value) {
    U16(static_cast<uint16_t>(value >> 16));
    U16(static_cast<uint16_t>(value));
  }
  void Address(const wire::IpAddress& address) {
    const size_t size = address.IsV4() ? 4 : address.IsV6() ? 16 : 0;
    for (size_t i = 0; i < size; ++i) U8(address.bytes()[i]);
  }
  uint32_t Crc32() const {
    wire::Crc32 crc;
    crc.Update(std::as_bytes(std::span(bytes_).first(size_)));
    return crc.value();
  }

 private:
  std::array<uint8_t, 4 + 16 + 16 + 1 + 2 + 2> bytes_{};
  size_t size_ = 0;
};

}  // namespace

uint32_t Hash(const HashModel& model, const HashedHeaders& headers) {
  assert(model.function == HashModel::Function::kCrc32);
  HashInput input;
  input.U32(model.seed);
  input.Address(headers.source);
  input.Address(headers.destination);
  input.U8(headers.protocol);
  input.U16(headers.udp_src_port);
  input.U16(headers.udp_dst_port);
  return input.Crc32();
}

uint32_t Bucket(uint32_t hash, uint32_t count) {
  assert(count > 0);
  return static_cast<uint32_t>((uint64_t{hash} * count) >> 32);
}

}  // namespace weft::topology
