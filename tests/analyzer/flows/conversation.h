// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "analyzer/flows/flow_table.h"
#include "wire/frame.h"

// Packets of RDMA connections told one by one, straight into a FlowTable: no bytes are built.
namespace weft::analyzer {

inline constexpr int64_t kUs = 1000;
inline constexpr int64_t kMs = 1'000'000;

// Opcodes of RC (transport 0); `+ 0x20` is UC, `+ 0xa0` XRC.
namespace op {
inline constexpr uint8_t kSendOnly = 0x04;
inline constexpr uint8_t kWriteFirst = 0x06;
inline constexpr uint8_t kWriteMiddle = 0x07;
inline constexpr uint8_t kWriteLast = 0x08;
inline constexpr uint8_t kWriteOnly = 0x0a;
inline constexpr uint8_t kReadRequest = 0x0c;
inline constexpr uint8_t kReadFirst = 0x0d;
inline constexpr uint8_t kReadMiddle = 0x0e;
inline constexpr uint8_t kReadLast = 0x0f;
inline constexpr uint8_t kReadOnly = 0x10;
inline constexpr uint8_t kAck = 0x11;
inline constexpr uint8_t kAtomicAck = 0x12;
inline constexpr uint8_t kFetchAdd = 0x14;
}  // namespace op

inline constexpr uint8_t kAckSyndrome = 0x1f;  // without credits
inline constexpr uint8_t kSequenceNak = 0x60;
inline constexpr uint8_t kRnrNak = 0x20;  // + timer code

// One end of a connection: where its packets come from, and which QPN they go to.
struct End {
  uint32_t address = 0;       // IPv4
  uint32_t peer_address = 0;  // IPv4
  uint32_t peer_qpn = 0;
  uint16_t port = 0xc000;
  uint8_t dscp = 26;
  uint8_t ttl = 64;
};

class Conversation {
 public:
  static constexpr uint32_t kMtu = 1024;
  static constexpr int64_t kStartNs = 1'800'000'000'000'000'000;

  explicit Conversation(FlowObserver* observer = nullptr)
      : table_({.observer = observer}), now_ns_(kStartNs) {}

  End client{.address = 0x0a000001, .peer_address = 0x0a000002, .peer_qpn = 0x22};
  End server{.address = 0x0a000002, .peer_address = 0x0a000001, .peer_qpn = 0x11, .port = 0xd000};

  // Lets time pass before the next packet.
  Conversation& After(int64_t ns);
  // One packet; `length`: RETH's, `bytes`: payload's (both by opcode where -1).
  Conversation& Packet(const End& from, uint8_t opcode, uint32_t psn, int64_t bytes = -1,
                       uint32_t length = 0, uint8_t syndrome = kAckSyndrome);
  // Of a WRITE of `count` packets that begins at `psn`: the one with index `i`.
  Conversation& WritePacket(uint32_t psn, uint32_t count, uint32_t i);
  // All of them, but those with an index in `lost`; 1 us apart.
  Conversation& Write(uint32_t psn, uint32_t count, const std::vector<uint32_t>& lost = {});
  // Those from index `first` on.
  Conversation& WriteFrom(uint32_t psn, uint32_t count, uint32_t first);
  Conversation& Ack(uint32_t psn) { return Packet(server, op::kAck, psn); }
  Conversation& Nak(uint32_t psn, uint8_t syndrome = kSequenceNak) {
    return Packet(server, op::kAck, psn, -1, 0, syndrome);
  }
  // Three messages with their ACKs, so that the two directions are known for a pair. Ends with the
  // PSN before `psn`.
  Conversation& Acquaint(uint32_t psn);

  wire::FrameView& view() { return view_; }  // for fields that Packet() leaves as they are
  FlowTable& table() { return table_; }
  uint64_t packets() const { return number_; }
  void WithoutTimes() { has_time_ = false; }
  std::vector<Connection> Finish() { return table_.Finish(); }
  Connection FinishOne();  // the only connection, of a client that asks and a server that answers

 private:
  FlowTable table_;
  wire::FrameView view_;
  int64_t now_ns_;
  uint64_t number_ = 0;
  bool has_time_ = true;
};

// What a healthy flow shows of loss, repetition and waiting: nothing.
void ExpectNoTrouble(const FlowStats& stats);

}  // namespace weft::analyzer
