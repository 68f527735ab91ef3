// SPDX-License-Identifier: Apache-2.0
// Our own payloads: probes and elephants.
#include <gtest/gtest.h>

#include "tests/wire/hex.h"
#include "tests/wire/random.h"
#include "wire/probe.h"
#include "wire/traffic.h"

namespace weft::wire {
namespace {

struct ProbeRow {
  const char* name;
  const char* hex;
  ProbePayload probe;
};

const ProbeRow kProbeRows[] = {
    {"Question",
     "57465450 0101 0000 0a0b0c0d 00000007 c123 c456 00 00 0000 0000000000000000 0000000000000000",
     {.type = ProbeType::kQuestion,
      .session = 0x0a0b0c0d,
      .sequence = 7,
      .reply_udp_src_port = 0xc123,
      .reply_udp_dst_port = 0xc456}},
    {"Answer",
     "57465450 0102 0000 0a0b0c0d 00000007 c123 c456 3d 6a 0000 000000000000cafe 0000000000000000",
     {.type = ProbeType::kAnswer,
      .session = 0x0a0b0c0d,
      .sequence = 7,
      .reply_udp_src_port = 0xc123,
      .reply_udp_dst_port = 0xc456,
      .received_ttl = 61,
      .received_traffic_class = 0x6a,
      .responder_delay_ns = 0xcafe}},
    {"AnswerFromAnotherPort",
     "57465450 0102 0001 00000001 ffffffff ffff 12b7 01 00 0000 0102030405060708 0000000000000000",
     {.type = ProbeType::kAnswer,
      .reply_port_was_busy = true,
      .session = 1,
      .sequence = 0xffffffff,
      .reply_udp_src_port = 0xffff,
      .reply_udp_dst_port = 4791,
      .received_ttl = 1,
      .responder_delay_ns = 0x0102030405060708}},
};

Bytes Written(const ProbePayload& probe) {
  Bytes bytes(kProbePayloadBytes);
  EXPECT_TRUE(WriteProbePayload(probe, bytes));
  return bytes;
}

TEST(ProbePayload, BothDirections) {
  for (const ProbeRow& row : kProbeRows) {
    SCOPED_TRACE(row.name);
    const Bytes bytes = FromHex(row.hex);
    EXPECT_EQ(bytes.size(), kProbePayloadBytes);
    EXPECT_EQ(ParseProbePayload(bytes), row.probe);
    EXPECT_EQ(ToHex(Written(row.probe)), ToHex(bytes));
  }
}

TEST(ProbePayload, RejectsEveryTruncationAndAllowsFilling) {
  for (const ProbeRow& row : kProbeRows) {
    Bytes bytes = FromHex(row.hex);
    for (size_t size = 0; size < bytes.size(); ++size) {
      EXPECT_FALSE(ParseProbePayload(First(bytes, size)).has_value());
      Bytes small(size);
      EXPECT_FALSE(WriteProbePayload(row.probe, small));
    }
    bytes.resize(1024, std::byte{0xff});
    EXPECT_EQ(ParseProbePayload(bytes), row.probe);
  }
}

// Bits: of the byte that is changed, those to flip.
struct ChangedByte {
  const char* name;
  size_t offset;
  uint8_t bits;
};

TEST(ProbePayload, RejectsAnotherMagicVersionOrType) {
  const ChangedByte rows[] = {
      {"Magic", 0, 1},        {"MagicOfTraffic", 3, 'P' ^ 'E'},
      {"Version2", 4, 1 ^ 2}, {"Version0", 4, 1},
      {"Type0", 5, 1},        {"Type3", 5, 1 ^ 3},
      {"Type255", 5, 0xfe},
  };
  for (const ChangedByte& row : rows) {
    Bytes bytes = FromHex(kProbeRows[0].hex);
    bytes[row.offset] ^= static_cast<std::byte>(row.bits);
    EXPECT_FALSE(ParseProbePayload(bytes).has_value()) << row.name;
  }
}

TEST(ProbePayload, IgnoresReservedBits) {
  Bytes bytes = FromHex(kProbeRows[1].hex);
  bytes[6] = std::byte{0xff};
  bytes[7] = std::byte{0xfe};
  for (const size_t offset : {22u, 23u, 32u, 33u, 34u, 35u, 36u, 37u, 38u, 39u})
    bytes[offset] = std::byte{0xff};
  EXPECT_EQ(ParseProbePayload(bytes), kProbeRows[1].probe);
}

TEST(ProbePayload, ParsesWhatItSerializes) {
  Random random(99);
  for (int i = 0; i < 10'000; ++i) {
    const ProbePayload probe{.type = random.Bit() ? ProbeType::kQuestion : ProbeType::kAnswer,
                             .reply_port_was_busy = random.Bit(),
                             .session = random.U32(),
                             .sequence = random.U32(),
                             .reply_udp_src_port = random.U16(),
                             .reply_udp_dst_port = random.U16(),
                             .received_ttl = random.U8(),
                             .received_traffic_class = random.U8(),
                             .responder_delay_ns = random.U64()};
    ASSERT_EQ(ParseProbePayload(Written(probe)), probe);
  }
}

struct TrafficRow {
  const char* name;
  const char* hex;
  TrafficType type;
  TrafficMessage message;
};

void PrintTo(const TrafficRow& row, std::ostream* out) { *out << row.name; }

class Traffic : public testing::TestWithParam<TrafficRow> {};

INSTANTIATE_TEST_SUITE_P(
    Rows, Traffic,
    testing::Values(
        TrafficRow{"Offer",
                   "57465445 0101 0000 1122334455667788 0000000000f42400 00002710 00000400 000007d0"
                   "00001f40 00fffffe c456 c123",
                   TrafficType::kOffer,
                   {0x1122334455667788, TrafficOffer{.rate_bps = 16'000'000,
                                                     .duration_ms = 10'000,
                                                     .packet_payload_bytes = 1024,
                                                     .window_start_ms = 2'000,
                                                     .window_end_ms = 8'000,
                                                     .first_psn = 0xfffffe,
                                                     .reply_udp_dst_port = 0xc456,
                                                     .reply_udp_src_port = 0xc123}}},
        TrafficRow{"Accept",
                   "57465445 0102 0000 1122334455667788 00000123",
                   TrafficType::kAccept,
                   {0x1122334455667788, TrafficAccept{.dest_qpn = 0x123}}},
        TrafficRow{"Refuse",
                   "57465445 0103 0000 1122334455667788 02 00000000000000 0000000005f5e100",
                   TrafficType::kRefuse,
                   {0x1122334455667788,
                    TrafficRefuse{.reason = TrafficRefusal::kRateTooHigh, .limit = 100'000'000}}},
        TrafficRow{"Data",
                   "57465445 0104 0000 1122334455667788 000000000007a120",
                   TrafficType::kData,
                   {0x1122334455667788, TrafficData{.sent_ns = 500'000}}},
        TrafficRow{"Heartbeat",
                   "57465445 0105 0000 1122334455667788 00000000000000ff",
                   TrafficType::kHeartbeat,
                   {0x1122334455667788, TrafficHeartbeat{.received_packets = 255}}},
        TrafficRow{"Done",
                   "57465445 0106 0000 1122334455667788 0000000000004e20 c456 c123",
                   TrafficType::kDone,
                   {0x1122334455667788, TrafficDone{.sent_packets = 20'000,
                                                    .reply_udp_dst_port = 0xc456,
                                                    .reply_udp_src_port = 0xc123}}},
        TrafficRow{"Report",
                   "57465445 0107 0000 1122334455667788 0000000000000001 0000000000000002"
                   "0000000000000003 0000000000000004 0000000000000005 0000000000000006"
                   "0000000000000007",
                   TrafficType::kReport,
                   {0x1122334455667788, TrafficReport{.received_packets = 1,
                                                      .received_bytes = 2,
                                                      .window_packets = 3,
                                                      .window_bytes = 4,
                                                      .lost_packets = 5,
                                                      .reordered_packets = 6,
                                                      .duplicate_packets = 7}}}),
    [](const auto& row) { return row.param.name; });

TEST_P(Traffic, BothDirections) {
  const Bytes bytes = FromHex(GetParam().hex);
  EXPECT_EQ(TypeOf(GetParam().message), GetParam().type);
  EXPECT_EQ(TrafficMessageBytes(GetParam().type), bytes.size());
  EXPECT_EQ(ParseTrafficMessage(bytes), GetParam().message);
  Bytes built(256);
  built.resize(WriteTrafficMessage(GetParam().message, built));
  EXPECT_EQ(ToHex(built), ToHex(bytes));
}

TEST_P(Traffic, RejectsEveryTruncationAndAllowsFilling) {
  Bytes bytes = FromHex(GetParam().hex);
  for (size_t size = 0; size < bytes.size(); ++size) {
    EXPECT_FALSE(ParseTrafficMessage(First(bytes, size)).has_value()) << size << " bytes";
    Bytes small(size);
    EXPECT_EQ(WriteTrafficMessage(GetParam().message, small), 0u) << size << " bytes";
  }
  bytes.resize(1024, std::byte{0xff});
  EXPECT_EQ(ParseTrafficMessage(bytes), GetParam().message);
}

TEST_P(Traffic, RejectsAnotherMagicOrVersion) {
  for (const ChangedByte& row : {ChangedByte{"Magic", 0, 1}, ChangedByte{"Probe", 3, 'E' ^ 'P'},
                                 ChangedByte{"Version2", 4, 3}, ChangedByte{"Version0", 4, 1}}) {
    Bytes bytes = FromHex(GetParam().hex);
    bytes[row.offset] ^= static_cast<std::byte>(row.bits);
    EXPECT_FALSE(ParseTrafficMessage(bytes).has_value()) << row.name;
  }
}

TEST_P(Traffic, IgnoresReservedBytes) {
  Bytes bytes = FromHex(GetParam().hex);
  bytes[6] = bytes[7] = std::byte{0xff};
  if (GetParam().type == TrafficType::kRefuse) {
    std::fill(bytes.begin() + 17, bytes.begin() + 24, std::byte{0xff});
  }
  EXPECT_EQ(ParseTrafficMessage(bytes), GetParam().message);
}

TEST(TrafficMessage, KnowsItsTypesAndRefusalsOnly) {
  Bytes bytes(128);
  for (int type = 0; type < 256; ++type) {
    bytes.resize(WriteTrafficMessage({.token = 1, .body = TrafficReport{}}, bytes));
    bytes[5] = static_cast<std::byte>(type);
    bytes[16] = std::byte{1};  // a reason, where it is a refusal
    EXPECT_EQ(ParseTrafficMessage(bytes).has_value(), type >= 1 && type <= 7) << type;
  }
  for (int reason = 0; reason < 256; ++reason) {
    bytes[5] = static_cast<std::byte>(TrafficType::kRefuse);
    bytes[16] = static_cast<std::byte>(reason);
    EXPECT_EQ(ParseTrafficMessage(bytes).has_value(), reason >= 1 && reason <= 4) << reason;
  }
}

TEST(TrafficMessage, SerializesWhatItParses) {
  Random random(5);
  for (int i = 0; i < 10'000; ++i) {
    Bytes bytes(TrafficMessageBytes(TrafficType::kReport));
    bytes.resize(WriteTrafficMessage({.token = random.U64(), .body = TrafficReport{}}, bytes));
    for (size_t at = kTrafficHeaderBytes; at < bytes.size(); ++at) {
      bytes[at] = static_cast<std::byte>(random.U8());
    }
    const auto type = static_cast<TrafficType>(1 + random.Below(7));
    bytes[5] = static_cast<std::byte>(type);
    if (type == TrafficType::kRefuse) {
      bytes[16] = std::byte{3};
      std::fill(bytes.begin() + 17, bytes.begin() + 24, std::byte{0});
    }
    bytes.resize(TrafficMessageBytes(type));
    const std::optional<TrafficMessage> message = ParseTrafficMessage(bytes);
    ASSERT_TRUE(message.has_value());
    Bytes again(256);
    again.resize(WriteTrafficMessage(*message, again));
    ASSERT_EQ(ToHex(again), ToHex(bytes));
  }
}

}  // namespace
}  // namespace weft::wire
