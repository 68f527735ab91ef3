// SPDX-License-Identifier: Apache-2.0
#include "topology/export/names.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "tests/topology/export/fabrics.h"
#include "topology/export/slurm_machines.h"

namespace weft::topology {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::Pair;

TEST(NaturalLess, CountsAsPeopleDo) {
  std::vector<std::string> names = {"leaf10", "leaf2",  "Ethernet12/1", "leaf2", "Ethernet4/2",
                                    "leaf",   "leaf02", "a1b10",        "a1b9",  ""};
  std::sort(names.begin(), names.end(), NaturalLess);
  EXPECT_THAT(names, ElementsAre("", "Ethernet4/2", "Ethernet12/1", "a1b9", "a1b10", "leaf",
                                 "leaf02", "leaf2", "leaf2", "leaf10"));
}

TEST(HostList, WritesRangesInTheWidthOfTheirNumbers) {
  const struct {
    const char* name;
    std::vector<std::string> names;
    const char* list;
  } rows[] = {
      {"nothing", {}, ""},
      {"one", {"node1"}, "node1"},
      {"no number", {"login", "admin"}, "admin,login"},
      {"a range", {"node3", "node1", "node2"}, "node[1-3]"},
      {"with zeros", {"node001", "node002", "node032"}, "node[001-002,032]"},
      {"over a power of ten", {"n8", "n9", "n10", "n11"}, "n[8-11]"},
      {"zeros over a power of ten", {"n08", "n09", "n10"}, "n[08-10]"},
      {"two widths of one number", {"n1", "n01", "n2", "n02"}, "n[1,01,2,02]"},
      {"gap in width", {"n099", "n100", "n0101"}, "n[099-100,0101]"},
      {"several prefixes", {"b2", "a1", "a2", "b1"}, "a[1-2],b[1-2]"},
      {"number inside", {"r1-n2", "r1-n1", "r2-n1"}, "r1-n[1-2],r2-n1"},
      {"twice", {"n1", "n1"}, "n1"},
      {"too long for a number", {"n12345678901", "n12345678902"}, "n12345678901,n12345678902"},
      {"digits alone", {"7", "8"}, "[7-8]"},
  };
  for (const auto& row : rows) EXPECT_EQ(HostList(row.names), row.list) << row.name;
}

TEST(NameTable, NeverMakesTwoNamesOne) {
  const std::vector<std::string> names = {"a b", "a_b", "a;b", "ok", "\xc3\xa4", ""};
  const NameTable table(names, IsSlurmNameCharacter, 63);
  EXPECT_EQ(table.Of("ok"), "ok");
  EXPECT_EQ(table.Of("a_b"), "a_b") << "a name that is allowed keeps its own";
  EXPECT_THAT(table.replaced(), ElementsAre(Pair("a b", "a_b_2"), Pair("a;b", "a_b_3"),
                                            Pair("\xc3\xa4", "_"), Pair("", "__2")));
}

TEST(NameTable, ShortensWhatIsTooLong) {
  const std::string longest(63, 'x');
  const std::vector<std::string> names = {longest, longest + "1", longest + "2"};
  const NameTable table(names, IsSlurmNameCharacter, 63);
  std::set<std::string> distinct;
  for (const std::string& name : names) {
    EXPECT_LE(table.Of(name).size(), 63U);
    distinct.insert(table.Of(name));
  }
  EXPECT_EQ(distinct.size(), 3U);
}

TEST(NameTable, InventsWhatIsNotTaken) {
  const std::vector<std::string> names = {"top-1"};
  NameTable table(names, IsSlurmNameCharacter, 63);
  EXPECT_EQ(table.Invent("top-1"), "top-1_2");
  EXPECT_EQ(table.Invent("top-1"), "top-1_3");
  EXPECT_THAT(table.replaced(), IsEmpty());
}

TEST(CsvText, QuotesWhatRfc4180Asks) {
  EXPECT_EQ(CsvText("plain"), "plain");
  EXPECT_EQ(CsvText("a,b"), "\"a,b\"");
  EXPECT_EQ(CsvText("a\"b"), "\"a\"\"b\"");
  EXPECT_EQ(CsvText("a\nb"), "\"a\nb\"");
  EXPECT_EQ(CsvText("#a"), "\"#a\"");
  EXPECT_EQ(CsvText("a "), "\"a \"");
  EXPECT_EQ(CsvText(""), "");
}

TEST(Visible, ShowsWhatCannotBePrinted) {
  EXPECT_EQ(Visible("a\nb\tc"), "a\\nb\\tc");
  EXPECT_EQ(Visible("\x1b[31m"), "\\x1b[31m");
  EXPECT_EQ(Visible("\xc3\xa4 \xe2\x82\xac \xf0\x9f\x98\x80"),
            "\xc3\xa4 \xe2\x82\xac \xf0\x9f\x98\x80");
  EXPECT_EQ(Visible("\xff\xc3"), "\\xff\\xc3") << "not UTF-8";
  EXPECT_EQ(Visible("\xc0\xaf"), "\\xc0\\xaf") << "longer than it needs to be";
  EXPECT_EQ(Visible("\xe2\x80\xae"), "\\xe2\\x80\\xae") << "turns the direction of writing";
  EXPECT_EQ(Visible("\xc2\x85"), "\\xc2\\x85") << "a control character of Latin-1";
}

TEST(ShortRate, HasAUnit) {
  EXPECT_EQ(ShortRate(400e9), "400G");
  EXPECT_EQ(ShortRate(54.54544e9), "54.55G");
  EXPECT_EQ(ShortRate(1.6e12), "1.6T");
  EXPECT_EQ(ShortRate(25e6), "25M");
  EXPECT_EQ(ShortRate(10), "10 bit/s");
}

}  // namespace
}  // namespace weft::topology
