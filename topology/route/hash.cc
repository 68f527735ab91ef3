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

// What is hashed, in network byte order.
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
  std::array<uint8_t, 4 + 16 + 16 + 1 + 2 + 2 + 4 + 1 + 4 + 1> bytes_{};
  size_t size_ = 0;
};

// The finaliser of MurmurHash3 (Appleby): every bit of the result depends on all of the input.
uint32_t Mix(uint32_t hash) {
  hash ^= hash >> 16;
  hash *= 0x85ebca6b;
  hash ^= hash >> 13;
  hash *= 0xc2b2ae35;
  hash ^= hash >> 16;
  return hash;
}

}  // namespace

uint32_t Hash(const HashModel& model, const HashedHeaders& headers) {
  const HashedFields fields = model.fields;
  HashInput input;
  input.U32(model.seed);
  if (fields.Has(HashedField::kSourceAddress)) input.Address(headers.source);
  if (fields.Has(HashedField::kDestinationAddress)) input.Address(headers.destination);
  input.U8(headers.protocol);
  if (fields.Has(HashedField::kUdpSrcPort)) input.U16(headers.udp_src_port);
  input.U16(headers.udp_dst_port);
  if (fields.Has(HashedField::kDestQpn)) input.U32(headers.dest_qpn);
  if (fields.Has(HashedField::kBthOpcode)) input.U8(headers.bth_opcode);
  if (fields.Has(HashedField::kFlowLabel)) input.U32(headers.flow_label);
  if (fields.Has(HashedField::kDscp)) input.U8(headers.traffic_class >> 2);
  const uint32_t crc = input.Crc32();
  return model.function == HashModel::Function::kMixed ? Mix(crc) : crc;
}

uint32_t Bucket(uint32_t hash, uint32_t count) {
  assert(count > 0);
  return static_cast<uint32_t>((uint64_t{hash} * count) >> 32);
}

uint32_t ChooseMember(const HashModel& model, const HashedHeaders& headers, uint32_t count) {
  assert(count > 0);
  const uint32_t hash = Hash(model, headers);
  return model.choice == HashModel::Choice::kModulo ? hash % count : Bucket(hash, count);
}

}  // namespace weft::topology
