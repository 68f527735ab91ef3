// SPDX-License-Identifier: Apache-2.0
#include "wire/opcode.h"

#include <array>
#include <cstddef>

namespace weft::wire {
namespace {

using enum MessageKind;

constexpr size_t kOpcodes = 256;
constexpr size_t kTransports = 8;
constexpr size_t kOperations = 32;
constexpr uint8_t kCnpOpcode = 0x81;
constexpr uint8_t kFirstVendorOpcode = 0xc0;

constexpr uint8_t kStarts = 1;
constexpr uint8_t kEnds = 2;
constexpr uint8_t kCarries = 4;

struct Operation {
  const char* name = nullptr;  // nullptr: reserved
  MessageKind kind = kOther;
  uint16_t headers = 0;
  uint8_t flags = 0;
};

// By bits 4-0, as they are for RC.
constexpr std::array<Operation, kOperations> kTable = {{
    {"SEND First", kSend, 0, kStarts | kCarries},
    {"SEND Middle", kSend, 0, kCarries},
    {"SEND Last", kSend, 0, kEnds | kCarries},
    {"SEND Last with Immediate", kSend, header::kImmDt, kEnds | kCarries},
    {"SEND Only", kSend, 0, kStarts | kEnds | kCarries},
    {"SEND Only with Immediate", kSend, header::kImmDt, kStarts | kEnds | kCarries},
    {"WRITE First", kWrite, header::kReth, kStarts | kCarries},
    {"WRITE Middle", kWrite, 0, kCarries},
    {"WRITE Last", kWrite, 0, kEnds | kCarries},
    {"WRITE Last with Immediate", kWrite, header::kImmDt, kEnds | kCarries},
    {"WRITE Only", kWrite, header::kReth, kStarts | kEnds | kCarries},
    {"WRITE Only with Immediate", kWrite, header::kReth | header::kImmDt,
     kStarts | kEnds | kCarries},
    {"READ Request", kReadRequest, header::kReth, kStarts | kEnds},
    {"READ Response First", kReadResponse, header::kAeth, kStarts | kCarries},
    {"READ Response Middle", kReadResponse, 0, kCarries},
    {"READ Response Last", kReadResponse, header::kAeth, kEnds | kCarries},
    {"READ Response Only", kReadResponse, header::kAeth, kStarts | kEnds | kCarries},
    {"Acknowledge", kAck, header::kAeth, kStarts | kEnds},
    {"ATOMIC Acknowledge", kAtomicAck, header::kAeth | header::kAtomicAckEth, kStarts | kEnds},
    {"CmpSwap", kAtomicRequest, header::kAtomicEth, kStarts | kEnds},
    {"FetchAdd", kAtomicRequest, header::kAtomicEth, kStarts | kEnds},
    {"RESYNC", kResync, 0, kStarts | kEnds},
    {"SEND Last with Invalidate", kSend, header::kIeth, kEnds | kCarries},
    {"SEND Only with Invalidate", kSend, header::kIeth, kStarts | kEnds | kCarries},
}};

constexpr bool IsRequest(MessageKind kind) {
  return kind == kSend || kind == kWrite || kind == kReadRequest || kind == kAtomicRequest;
}

constexpr bool HasOperation(Transport transport, size_t operation) {
  constexpr size_t kResyncOperation = 0x15;
  constexpr size_t kSendLastInvalidate = 0x16;
  if (kTable[operation].name == nullptr) return false;
  switch (transport) {
    case Transport::kRc:
    case Transport::kXrc:
      return operation != kResyncOperation;
    case Transport::kUc:
      return kTable[operation].kind == kSend ? operation < kSendLastInvalidate
                                             : kTable[operation].kind == kWrite;
    case Transport::kRd:
      return operation < kSendLastInvalidate;
    case Transport::kUd:
      return operation == 0x04 || operation == 0x05;
    default:
      return false;
  }
}

// In front of the headers of the operation.
constexpr uint16_t TransportHeaders(Transport transport, MessageKind kind) {
  switch (transport) {
    case Transport::kUd:
      return header::kDeth;
    case Transport::kRd:
      return IsRequest(kind) || kind == kResync ? header::kRdeth | header::kDeth : header::kRdeth;
    case Transport::kXrc:
      return IsRequest(kind) ? header::kXrceth : uint16_t{0};
    default:
      return 0;
  }
}

constexpr uint8_t BytesOf(uint16_t headers) {
  constexpr std::array<uint8_t, 9> kBytes = {4, 8, 4, 16, 28, 4, 8, 4, 4};
  uint8_t sum = 0;
  for (size_t bit = 0; bit < kBytes.size(); ++bit) {
    if ((headers >> bit & 1) != 0) sum = static_cast<uint8_t>(sum + kBytes[bit]);
  }
  return sum;
}

constexpr std::array<Transport, kTransports> kTransportOf = {
    Transport::kRc,  Transport::kUc,  Transport::kRd,     Transport::kUd,
    Transport::kCnp, Transport::kXrc, Transport::kVendor, Transport::kVendor};

constexpr OpcodeInfo Describe(size_t opcode) {
  OpcodeInfo info;
  const Transport transport = kTransportOf[opcode >> 5];
  if (opcode >= kFirstVendorOpcode) {
    info.transport = Transport::kVendor;
    return info;
  }
  if (opcode == kCnpOpcode) {
    info.transport = Transport::kCnp;
    info.kind = kCnp;
    info.starts_message = info.ends_message = info.is_known = true;
    return info;
  }
  const size_t operation = opcode & 0x1f;
  if (!HasOperation(transport, operation)) return info;
  const Operation& row = kTable[operation];
  info.transport = transport;
  info.kind = row.kind;
  info.headers = static_cast<uint16_t>(row.headers | TransportHeaders(transport, row.kind));
  info.header_bytes = BytesOf(info.headers);
  info.starts_message = (row.flags & kStarts) != 0;
  info.ends_message = (row.flags & kEnds) != 0;
  info.has_payload = (row.flags & kCarries) != 0;
  info.is_known = true;
  return info;
}

// "RC SEND First", "vendor 0xc3", "reserved 0x1f", made once at compile time.
struct Name {
  std::array<char, 40> text{};
  size_t size = 0;
  constexpr void Add(const char* more) {
    for (; *more != '\0'; ++more) text[size++] = *more;
  }
};

constexpr const char* TransportName(Transport transport) {
  switch (transport) {
    case Transport::kRc:
      return "RC";
    case Transport::kUc:
      return "UC";
    case Transport::kRd:
      return "RD";
    case Transport::kUd:
      return "UD";
    case Transport::kCnp:
      return "CNP";
    case Transport::kXrc:
      return "XRC";
    case Transport::kVendor:
      return "vendor";
    case Transport::kUnknown:
      break;
  }
  return "reserved";
}

constexpr Name NameOf(size_t opcode) {
  const OpcodeInfo info = Describe(opcode);
  Name name;
  name.Add(TransportName(info.transport));
  if (info.transport == Transport::kCnp) return name;
  if (info.is_known) {
    name.Add(" ");
    name.Add(kTable[opcode & 0x1f].name);
    return name;
  }
  constexpr const char* kDigits = "0123456789abcdef";
  name.Add(" 0x");
  name.text[name.size++] = kDigits[opcode >> 4];
  name.text[name.size++] = kDigits[opcode & 15];
  return name;
}

constexpr std::array<Name, kOpcodes> kNames = [] {
  std::array<Name, kOpcodes> names;
  for (size_t opcode = 0; opcode < kOpcodes; ++opcode) names[opcode] = NameOf(opcode);
  return names;
}();

constexpr std::array<OpcodeInfo, kOpcodes> kInfos = [] {
  std::array<OpcodeInfo, kOpcodes> infos;
  for (size_t opcode = 0; opcode < kOpcodes; ++opcode) {
    infos[opcode] = Describe(opcode);
    infos[opcode].name = kNames[opcode].text.data();
  }
  return infos;
}();

static_assert(kInfos[0x64].header_bytes == 8);
static_assert(kInfos[0x0b].header_bytes == 20);

}  // namespace

const char* ToString(Transport transport) { return TransportName(transport); }

const char* ToString(MessageKind kind) {
  switch (kind) {
    case kSend:
      return "SEND";
    case kWrite:
      return "WRITE";
    case kReadRequest:
      return "READ request";
    case kReadResponse:
      return "READ response";
    case kAck:
      return "acknowledge";
    case kAtomicRequest:
      return "ATOMIC";
    case kAtomicAck:
      return "ATOMIC acknowledge";
    case kCnp:
      return "CNP";
    case kResync:
      return "RESYNC";
    case kOther:
      break;
  }
  return "other";
}

const OpcodeInfo& InfoOf(uint8_t opcode) { return kInfos[opcode]; }

}  // namespace weft::wire
