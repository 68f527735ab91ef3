// SPDX-License-Identifier: Apache-2.0
#include "wire/byte_reader.h"

#include <gtest/gtest.h>

#include "tests/wire/hex.h"
#include "wire/byte_writer.h"

namespace weft::wire {
namespace {

TEST(ByteReader, ReadsBigEndianFieldsInOrder) {
  const Bytes bytes = FromHex("01 0203 040506 0708090a 0b0c0d0e0f101112");
  ByteReader reader(bytes);
  EXPECT_EQ(reader.U8(), 0x01);
  EXPECT_EQ(reader.U16(), 0x0203);
  EXPECT_EQ(reader.U24(), 0x040506u);
  EXPECT_EQ(reader.U32(), 0x0708090au);
  EXPECT_EQ(reader.U64(), 0x0b0c0d0e0f101112u);
  EXPECT_EQ(reader.remaining(), 0u);
  EXPECT_TRUE(reader.ok());
}

TEST(ByteReader, StaysFailedAfterReadingPastTheEnd) {
  const Bytes bytes = FromHex("010203");
  ByteReader reader(bytes);
  EXPECT_EQ(reader.U32(), 0u);
  EXPECT_FALSE(reader.ok());
  EXPECT_EQ(reader.U8(), 0);
  EXPECT_TRUE(reader.Rest().empty());
  EXPECT_FALSE(reader.ok());
}

TEST(ByteReader, TakesNothingWhereALengthIsTooLarge) {
  const Bytes bytes = FromHex("010203");
  ByteReader reader(bytes);
  EXPECT_EQ(ToHex(reader.Take(2)), "0102");
  EXPECT_TRUE(reader.Take(2).empty());
  EXPECT_FALSE(reader.ok());
}

TEST(ByteReader, FailsWhenAParserSaysSo) {
  const Bytes bytes = FromHex("0102");
  ByteReader reader(bytes);
  reader.Fail();
  EXPECT_FALSE(reader.ok());
  EXPECT_EQ(reader.U8(), 0);
}

TEST(ByteWriter, WritesWhatTheReaderReads) {
  Bytes bytes(19);
  ByteWriter writer(bytes);
  writer.U8(0x01);
  writer.U16(0x0203);
  writer.U24(0x040506);
  writer.U32(0x0708090a);
  writer.U64(0x0b0c0d0e0f101112);
  writer.Zeroes(1);
  EXPECT_TRUE(writer.ok());
  EXPECT_EQ(ToHex(bytes), "0102030405060708090a0b0c0d0e0f10111200");
}

TEST(ByteWriter, WritesNothingPastTheEndAndStaysFailed) {
  Bytes bytes(3);
  ByteWriter writer(bytes);
  writer.U16(0x0102);
  writer.U16(0xffff);
  EXPECT_FALSE(writer.ok());
  writer.U8(0xff);  // would fit, but a field before it is missing
  EXPECT_FALSE(writer.ok());
  EXPECT_EQ(ToHex(bytes), "010200");
  EXPECT_EQ(writer.written(), 2u);
}

}  // namespace
}  // namespace weft::wire
