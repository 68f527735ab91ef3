// SPDX-License-Identifier: Apache-2.0
#include "wire/ip_address.h"

#include <gtest/gtest.h>

namespace weft::wire {
namespace {

TEST(IpAddress, TextBothDirections) {
  const struct {
    const char* text;
    IpAddress::Family family;
    uint32_t v4;
  } rows[] = {
      {"10.1.1.2", IpAddress::Family::kV4, 0x0a010102},
      {"0.0.0.0", IpAddress::Family::kV4, 0},
      {"255.255.255.255", IpAddress::Family::kV4, 0xffffffff},
      {"fd00::a", IpAddress::Family::kV6, 0},
      {"::ffff:10.1.1.2", IpAddress::Family::kV6, 0},
  };
  for (const auto& row : rows) {
    const std::optional<IpAddress> address = IpAddress::Parse(row.text);
    ASSERT_TRUE(address.has_value()) << row.text;
    EXPECT_EQ(address->family(), row.family) << row.text;
    EXPECT_EQ(address->v4(), row.v4) << row.text;
    EXPECT_EQ(address->ToString(), row.text);
  }
  EXPECT_EQ(IpAddress::V4(0x0a010102), IpAddress::Parse("10.1.1.2"));
}

TEST(IpAddress, RejectsWhatIsNotOne) {
  for (const char* text :
       {"", "10.1.1", "10.1.1.256", "10.1.1.2/24", " 10.1.1.2", "host", "fd00::g"}) {
    EXPECT_FALSE(IpAddress::Parse(text).has_value()) << text;
  }
}

TEST(IpAddress, NoneIsEmptyAndOrdersFirst) {
  EXPECT_TRUE(IpAddress().empty());
  EXPECT_EQ(IpAddress().ToString(), "");
  EXPECT_LT(IpAddress(), IpAddress::V4(0));
  EXPECT_LT(IpAddress::V4(0xffffffff), *IpAddress::Parse("::"));
  EXPECT_LT(IpAddress::V4(0x0a010102), IpAddress::V4(0x0a010103));
}

}  // namespace
}  // namespace weft::wire
