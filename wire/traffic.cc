// SPDX-License-Identifier: Apache-2.0
#include "wire/traffic.h"

#include <type_traits>

#include "wire/byte_reader.h"
#include "wire/byte_writer.h"

namespace weft::wire {
namespace {

constexpr uint32_t kMagic = 0x57465445;  // "WFTE"
constexpr uint8_t kVersion = 1;
constexpr size_t kHeaderReserved = 2;
constexpr size_t kRefuseReserved = 7;  // brings the limit to a multiple of eight

// The order of TrafficBody's alternatives is the order of the types, counted from 1.
template <TrafficType type>
using BodyOf = std::variant_alternative_t<static_cast<size_t>(type) - 1, TrafficBody>;
static_assert(std::is_same_v<BodyOf<TrafficType::kOffer>, TrafficOffer>);
static_assert(std::is_same_v<BodyOf<TrafficType::kAccept>, TrafficAccept>);
static_assert(std::is_same_v<BodyOf<TrafficType::kRefuse>, TrafficRefuse>);
static_assert(std::is_same_v<BodyOf<TrafficType::kData>, TrafficData>);
static_assert(std::is_same_v<BodyOf<TrafficType::kHeartbeat>, TrafficHeartbeat>);
static_assert(std::is_same_v<BodyOf<TrafficType::kDone>, TrafficDone>);
static_assert(std::is_same_v<BodyOf<TrafficType::kReport>, TrafficReport>);

TrafficOffer ReadOffer(ByteReader& reader) {
  TrafficOffer offer;
  offer.rate_bps = reader.U64();
  offer.duration_ms = reader.U32();
  offer.packet_payload_bytes = reader.U32();
  offer.window_start_ms = reader.U32();
  offer.window_end_ms = reader.U32();
  offer.first_psn = reader.U32();
  offer.reply_udp_dst_port = reader.U16();
  offer.reply_udp_src_port = reader.U16();
  return offer;
}

void WriteBody(const TrafficOffer& offer, ByteWriter& writer) {
  writer.U64(offer.rate_bps);
  writer.U32(offer.duration_ms);
  writer.U32(offer.packet_payload_bytes);
  writer.U32(offer.window_start_ms);
  writer.U32(offer.window_end_ms);
  writer.U32(offer.first_psn);
  writer.U16(offer.reply_udp_dst_port);
  writer.U16(offer.reply_udp_src_port);
}

TrafficAccept ReadAccept(ByteReader& reader) { return {.dest_qpn = reader.U32()}; }

void WriteBody(const TrafficAccept& accept, ByteWriter& writer) { writer.U32(accept.dest_qpn); }

TrafficRefuse ReadRefuse(ByteReader& reader) {
  TrafficRefuse refuse;
  refuse.reason = static_cast<TrafficRefusal>(reader.U8());
  reader.Take(kRefuseReserved);
  refuse.limit = reader.U64();
  return refuse;
}

void WriteBody(const TrafficRefuse& refuse, ByteWriter& writer) {
  writer.U8(static_cast<uint8_t>(refuse.reason));
  writer.Zeroes(kRefuseReserved);
  writer.U64(refuse.limit);
}

bool IsKnown(TrafficRefusal reason) {
  return reason >= TrafficRefusal::kTooManyFlows && reason <= TrafficRefusal::kPacketTooLarge;
}

void WriteBody(const TrafficData& data, ByteWriter& writer) { writer.U64(data.sent_ns); }

void WriteBody(const TrafficHeartbeat& heartbeat, ByteWriter& writer) {
  writer.U64(heartbeat.received_packets);
}

TrafficDone ReadDone(ByteReader& reader) {
  TrafficDone done;
  done.sent_packets = reader.U64();
  done.reply_udp_dst_port = reader.U16();
  done.reply_udp_src_port = reader.U16();
  return done;
}

void WriteBody(const TrafficDone& done, ByteWriter& writer) {
  writer.U64(done.sent_packets);
  writer.U16(done.reply_udp_dst_port);
  writer.U16(done.reply_udp_src_port);
}

TrafficReport ReadReport(ByteReader& reader) {
  TrafficReport report;
  report.received_packets = reader.U64();
  report.received_bytes = reader.U64();
  report.window_packets = reader.U64();
  report.window_bytes = reader.U64();
  report.lost_packets = reader.U64();
  report.reordered_packets = reader.U64();
  report.duplicate_packets = reader.U64();
  return report;
}

void WriteBody(const TrafficReport& report, ByteWriter& writer) {
  writer.U64(report.received_packets);
  writer.U64(report.received_bytes);
  writer.U64(report.window_packets);
  writer.U64(report.window_bytes);
  writer.U64(report.lost_packets);
  writer.U64(report.reordered_packets);
  writer.U64(report.duplicate_packets);
}

std::optional<TrafficBody> ReadBody(TrafficType type, ByteReader& reader) {
  switch (type) {
    case TrafficType::kOffer:
      return ReadOffer(reader);
    case TrafficType::kAccept:
      return ReadAccept(reader);
    case TrafficType::kRefuse: {
      const TrafficRefuse refuse = ReadRefuse(reader);
      if (!IsKnown(refuse.reason)) return std::nullopt;
      return refuse;
    }
    case TrafficType::kData:
      return TrafficData{.sent_ns = reader.U64()};
    case TrafficType::kHeartbeat:
      return TrafficHeartbeat{.received_packets = reader.U64()};
    case TrafficType::kDone:
      return ReadDone(reader);
    case TrafficType::kReport:
      return ReadReport(reader);
  }
  return std::nullopt;
}

size_t BodyBytes(TrafficType type) {
  switch (type) {
    case TrafficType::kOffer:
      return 32;
    case TrafficType::kAccept:
      return 4;
    case TrafficType::kRefuse:
      return 16;
    case TrafficType::kData:
    case TrafficType::kHeartbeat:
      return 8;
    case TrafficType::kDone:
      return 12;
    case TrafficType::kReport:
      return 56;
  }
  return 0;
}

}  // namespace

TrafficType TypeOf(const TrafficMessage& message) {
  return static_cast<TrafficType>(message.body.index() + 1);
}

size_t TrafficMessageBytes(TrafficType type) { return kTrafficHeaderBytes + BodyBytes(type); }

std::optional<TrafficMessage> ParseTrafficMessage(std::span<const std::byte> payload) {
  ByteReader reader(payload);
  const uint32_t magic = reader.U32();
  const uint8_t version = reader.U8();
  const auto type = static_cast<TrafficType>(reader.U8());
  reader.Take(kHeaderReserved);
  const uint64_t token = reader.U64();
  if (!reader.ok() || magic != kMagic || version != kVersion) return std::nullopt;
  const std::optional<TrafficBody> body = ReadBody(type, reader);
  if (!reader.ok() || !body.has_value()) return std::nullopt;
  return TrafficMessage{.token = token, .body = *body};
}

size_t WriteTrafficMessage(const TrafficMessage& message, std::span<std::byte> out) {
  const TrafficType type = TypeOf(message);
  const size_t message_bytes = TrafficMessageBytes(type);
  if (out.size() < message_bytes) return 0;
  ByteWriter writer(out.first(message_bytes));
  writer.U32(kMagic);
  writer.U8(kVersion);
  writer.U8(static_cast<uint8_t>(type));
  writer.Zeroes(kHeaderReserved);
  writer.U64(message.token);
  std::visit([&writer](const auto& body) { WriteBody(body, writer); }, message.body);
  return writer.ok() ? writer.written() : 0;
}

}  // namespace weft::wire
