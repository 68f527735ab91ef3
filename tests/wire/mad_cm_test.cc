// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "tests/wire/hex.h"
#include "wire/cm.h"
#include "wire/mad.h"

namespace weft::wire {
namespace {

TEST(Mad, HeaderBothDirections) {
  const Bytes bytes = FromHex("01810192 801c0002 1122334455667788 0011 0000 00000003");
  const MadHeader header{.mgmt_class = kMadClassSubnetDirected,
                         .class_version = 1,
                         .is_response = true,
                         .method = 0x12,
                         .status = 0x801c,
                         .class_specific = 2,
                         .transaction_id = 0x1122334455667788,
                         .attribute_id = 0x11,
                         .attribute_modifier = 3};
  EXPECT_EQ(ParseMadHeader(bytes), header);
  EXPECT_EQ(ToHex(Written(header, WriteMadHeader)), ToHex(bytes));
  for (size_t size = 0; size < bytes.size(); ++size) {
    EXPECT_FALSE(ParseMadHeader(First(bytes, size)).has_value());
  }
}

TEST(Mad, NamesOfClassMethodAndAttribute) {
  const struct {
    uint8_t mgmt_class;
    bool is_response;
    uint8_t method;
    uint16_t attribute;
    const char* class_name;
    const char* method_name;
    const char* attribute_name;
  } rows[] = {
      {0x81, false, 0x01, 0x0011, "SMP directed", "Get", "NodeInfo"},
      {0x01, true, 0x01, 0x0015, "SMP", "GetResp", "PortInfo"},
      {0x01, false, 0x02, 0x0019, "SMP", "Set", "LinearForwardingTable"},
      {0x01, false, 0x05, 0x0002, "SMP", "Trap", "Notice"},
      {0x03, false, 0x12, 0x0035, "SA", "GetTable", "PathRecord"},
      {0x03, true, 0x12, 0x0011, "SA", "GetTableResp", "NodeRecord"},
      {0x03, true, 0x15, 0x0038, "SA", "DeleteResp", "MCMemberRecord"},
      {0x03, false, 0x02, 0x0003, "SA", "Set", "InformInfo"},
      {0x04, false, 0x01, 0x0012, "performance", "Get", "PortCounters"},
      {0x07, false, 0x03, 0x0010, "CM", "Send", "ConnectRequest"},
  };
  for (const auto& row : rows) {
    SCOPED_TRACE(row.attribute_name);
    const MadHeader header{.mgmt_class = row.mgmt_class,
                           .is_response = row.is_response,
                           .method = row.method,
                           .attribute_id = row.attribute};
    EXPECT_STREQ(MadClassName(row.mgmt_class), row.class_name);
    EXPECT_STREQ(MadMethodName(header), row.method_name);
    EXPECT_STREQ(MadAttributeName(header), row.attribute_name);
  }
}

TEST(Mad, WhatHasNoNameHasNone) {
  EXPECT_EQ(MadClassName(0x2a), nullptr);
  EXPECT_STREQ(MadClassName(0x09), "vendor");
  EXPECT_STREQ(MadClassName(0x4f), "vendor");
  EXPECT_EQ(MadMethodName({.mgmt_class = 0x01, .method = 0x12}), nullptr);  // of SA alone
  EXPECT_EQ(MadAttributeName({.mgmt_class = 0x01, .attribute_id = 0x35}), nullptr);
}

// A REQ whose fields all differ, with byte numbers by table 106. tshark 4.0.17 reads the same
// values from it, but for flow label and packet rate, whose masks it has wrong (they are 20 and 6
// bits, with 6 reserved ones between).
const CmMessage kRequest = {.kind = CmKind::kReq,
                            .local_comm_id = 0x01020304,
                            .service_id = 0x0000000001061b39,
                            .qpn = 0xabcdef,
                            .starting_psn = 0xfedcba,
                            .path_mtu_code = 5,
                            .retry_count = 6,
                            .rnr_retry_count = 7,
                            .ack_timeout_code = 18,
                            .responder_resources = 16,
                            .initiator_depth = 15,
                            .primary_local = NetworkAddress::Gid(0, 0xffff0a010102),
                            .primary_remote = NetworkAddress::Gid(0, 0xffff0a020202),
                            .has_flow_control = true,
                            .q_key = 0x11223344,
                            .p_key = 0xffff,
                            .primary_local_lid = 0x1234,
                            .primary_remote_lid = 0x5678,
                            .flow_label = 0x54321,
                            .packet_rate = 18,
                            .traffic_class = 0x6a,
                            .hop_limit = 63,
                            .service_level = 3,
                            .is_subnet_local = true,
                            .local_response_timeout_code = 20,
                            .remote_response_timeout_code = 21,
                            .max_cm_retries = 9};

TEST(Cm, FieldsOfARequestStandWhereTheSpecificationPutsThem) {
  Bytes mad(kMadBytes);
  ASSERT_EQ(BuildCm(kRequest, 0x99, mad), kMadBytes);
  const auto at = [&mad](size_t offset, size_t size) {
    return ToHex(std::span(mad).subspan(kMadHeaderBytes + offset, size));
  };
  EXPECT_EQ(ToHex(First(mad, kMadHeaderBytes)), "010702030000000000000000000000990010000000000000");
  EXPECT_EQ(at(0, 4), "01020304");
  EXPECT_EQ(at(8, 8), "0000000001061b39");
  EXPECT_EQ(at(28, 4), "11223344");
  EXPECT_EQ(at(32, 4), "abcdef10");  // QPN, responder resources
  EXPECT_EQ(at(36, 4), "0000000f");  // EE context, initiator depth
  EXPECT_EQ(at(43, 1), "a9");        // 21, RC, flow control
  EXPECT_EQ(at(44, 4), "fedcbaa6");  // PSN, 20, retries 6
  EXPECT_EQ(at(48, 4), "ffff5790");  // P_Key, MTU 5 and RNR retries 7, CM retries 9
  EXPECT_EQ(at(52, 4), "12345678");
  EXPECT_EQ(at(56, 16), "00000000000000000000ffff0a010102");
  EXPECT_EQ(at(72, 16), "00000000000000000000ffff0a020202");
  EXPECT_EQ(at(88, 8), "543210126a3f3890");
}

TEST(Cm, EveryKindReadsAsItWasBuilt) {
  const CmMessage messages[] = {
      kRequest,
      {.kind = CmKind::kRep,
       .local_comm_id = 1,
       .remote_comm_id = 2,
       .qpn = 0x123456,
       .starting_psn = 0x654321,
       .rnr_retry_count = 5,
       .responder_resources = 4,
       .initiator_depth = 3,
       .has_flow_control = true,
       .q_key = 9,
       .target_ack_delay_code = 15},
      {.kind = CmKind::kRtu, .local_comm_id = 1, .remote_comm_id = 2},
      {.kind = CmKind::kRej,
       .local_comm_id = 1,
       .remote_comm_id = 2,
       .reject_reason = 28,
       .answered = 1},
      {.kind = CmKind::kMra,
       .local_comm_id = 1,
       .remote_comm_id = 2,
       .service_timeout_code = 19,
       .answered = 2},
      {.kind = CmKind::kDreq, .local_comm_id = 1, .remote_comm_id = 2, .qpn = 0x777},
      {.kind = CmKind::kDrep, .local_comm_id = 1, .remote_comm_id = 2},
      {.kind = CmKind::kSidrReq, .local_comm_id = 7, .service_id = 0x106, .p_key = 0x8001},
      {.kind = CmKind::kSidrRep,
       .local_comm_id = 7,
       .service_id = 0x106,
       .qpn = 0x99,
       .q_key = 0x11111111,
       .answer_status = 1},
      {.kind = CmKind::kLap,
       .local_comm_id = 1,
       .remote_comm_id = 2,
       .qpn = 0x777,
       .remote_response_timeout_code = 12},
      {.kind = CmKind::kApr, .local_comm_id = 1, .remote_comm_id = 2, .answer_status = 3},
  };
  // Bytes behind the MAD header that hold the fields.
  const size_t field_bytes[] = {96, 28, 8, 12, 10, 11, 8, 16, 24, 16, 10};
  for (size_t i = 0; i < std::size(messages); ++i) {
    SCOPED_TRACE(ToString(messages[i].kind));
    Bytes mad(kMadBytes);
    ASSERT_EQ(BuildCm(messages[i], 5, mad), kMadBytes);
    EXPECT_EQ(ParseCm(mad), messages[i]);
    for (size_t size = 0; size <= kMadBytes; ++size) {
      EXPECT_EQ(ParseCm(First(mad, size)).has_value(), size >= kMadHeaderBytes + field_bytes[i])
          << size << " bytes";
    }
  }
}

TEST(Cm, OtherClassesVersionsAndKindsAreNone) {
  Bytes mad(kMadBytes);
  BuildCm(kRequest, 5, mad);
  const struct {
    size_t offset;
    uint8_t value;
  } rows[] = {{1, 0x03}, {2, 1}, {16, 1}, {17, 0x0f}, {17, 0x1b}};
  for (const auto& row : rows) {
    Bytes other = mad;
    other[row.offset] = std::byte{row.value};
    EXPECT_FALSE(ParseCm(other).has_value()) << "byte " << row.offset;
  }
  Bytes small(kMadBytes - 1);
  EXPECT_EQ(BuildCm(kRequest, 5, small), 0u);
}

TEST(Cm, CodesMeanBytesAndReasons) {
  EXPECT_EQ(PathMtuBytes(1), 256u);
  EXPECT_EQ(PathMtuBytes(5), 4096u);
  EXPECT_EQ(PathMtuBytes(0), 0u);
  EXPECT_EQ(PathMtuBytes(6), 0u);
  EXPECT_STREQ(RejectReasonText(4), "timeout");
  EXPECT_STREQ(RejectReasonText(8), "invalid service ID");
  EXPECT_STREQ(RejectReasonText(10), "stale connection");
  EXPECT_STREQ(RejectReasonText(28), "consumer reject");
  EXPECT_STREQ(RejectReasonText(35), "vendor option not supported");
  EXPECT_STREQ(RejectReasonText(34), "reason");
  EXPECT_STREQ(RejectReasonText(0), "reason");
  EXPECT_STREQ(RejectReasonText(36), "reason");
}

}  // namespace
}  // namespace weft::wire
