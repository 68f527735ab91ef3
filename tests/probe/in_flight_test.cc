// SPDX-License-Identifier: Apache-2.0
#include "probe/endpoint/in_flight.h"

#include <map>
#include <random>
#include <set>

#include "gtest/gtest.h"

namespace weft::probe {
namespace {

const wire::IpAddress kNear = wire::IpAddress::V4(0x0a000001);
const wire::IpAddress kFar = wire::IpAddress::V4(0x0a000002);

Probe Make(uint64_t id, const wire::IpAddress& destination, uint16_t port, uint8_t ttl,
           int64_t timeout_ns = 1000) {
  Probe probe;
  probe.id = id;
  probe.destination = destination;
  probe.udp_src_port = port;
  probe.ttl = ttl;
  probe.timeout_ns = timeout_ns;
  return probe;
}

TEST(InFlight, FindsAProbeByItsSequenceUntilItIsRemoved) {
  InFlight table(4);
  InFlight::Entry* entry = table.Add(Make(7, kNear, 1, 64), 0);
  const uint32_t sequence = entry->sequence;
  EXPECT_EQ(table.FindAnswered(sequence)->probe.id, 7u);
  table.Remove(entry);
  EXPECT_EQ(table.late_count(), 0u);
  EXPECT_EQ(table.FindAnswered(sequence), nullptr);
  EXPECT_EQ(table.late_count(), 1u);
}

TEST(InFlight, ASlotsNextProbeHasAnotherSequence) {
  InFlight table(1);
  std::set<uint32_t> sequences;
  for (uint64_t id = 0; id < 1000; ++id) {
    InFlight::Entry* entry = table.Add(Make(id, kNear, 1, 64), 0);
    EXPECT_TRUE(sequences.insert(entry->sequence).second);
    table.Remove(entry);
  }
}

TEST(InFlight, TakesNoMoreThanItsCapacity) {
  InFlight table(4);
  for (uint64_t id = 0; id < 4; ++id) ASSERT_NE(table.Add(Make(id, kNear, 1, 64), 0), nullptr);
  EXPECT_EQ(table.Add(Make(4, kNear, 1, 64), 0), nullptr);
  table.Remove(table.Expired(1000));
  EXPECT_NE(table.Add(Make(4, kNear, 1, 64), 0), nullptr);
}

struct QuoteCase {
  const char* name;
  wire::IpAddress destination;
  uint16_t port;
  std::optional<uint8_t> ttl;
  std::optional<uint64_t> found;
};

// In flight: 1 to kNear with TTL 2, 2 there with TTL 64, 3 to kFar with TTL 3, all from port 9.
const QuoteCase kQuoteCases[] = {
    {"TtlPicksTheProbe", kNear, 9, 2, 1},
    {"TtlModulo64", kNear, 9, 0, 2},
    {"AnotherTtlIsALateQuote", kNear, 9, 1, std::nullopt},
    {"WithoutTtlTheLimitedProbe", kNear, 9, std::nullopt, 1},
    {"OtherDestination", kFar, 9, std::nullopt, 3},
    {"OtherPort", kNear, 8, std::nullopt, std::nullopt},
};

class InFlightQuote : public testing::TestWithParam<QuoteCase> {};

TEST_P(InFlightQuote, NamesTheProbe) {
  InFlight table(8);
  table.Add(Make(1, kNear, 9, 2), 0);
  table.Add(Make(2, kNear, 9, 64), 0);
  table.Add(Make(3, kFar, 9, 3), 0);
  const InFlight::Entry* found =
      table.FindQuoted(GetParam().destination, GetParam().port, GetParam().ttl);
  ASSERT_EQ(found != nullptr, GetParam().found.has_value());
  if (found != nullptr) {
    EXPECT_EQ(found->probe.id, *GetParam().found);
  }
  EXPECT_EQ(table.late_count(), found == nullptr ? 1u : 0u);
}

INSTANTIATE_TEST_SUITE_P(All, InFlightQuote, testing::ValuesIn(kQuoteCases),
                         [](const auto& row) { return row.param.name; });

TEST(InFlight, AQuoteTellsProbesOfDifferentSourcesApart) {
  const wire::IpAddress one = wire::IpAddress::V4(0x0a000101);
  const wire::IpAddress other = wire::IpAddress::V4(0x0a000102);
  InFlight table(8);
  Probe probe = Make(1, kNear, 9, 2);
  probe.source = one;
  table.Add(probe, 0);
  probe.id = 2;
  probe.source = other;
  table.Add(probe, 0);
  EXPECT_EQ(table.FindQuoted(kNear, 9, 2, one)->probe.id, 1u);
  EXPECT_EQ(table.FindQuoted(kNear, 9, 2, other)->probe.id, 2u);
  EXPECT_NE(table.FindQuoted(kNear, 9, 2), nullptr);  // who asks without one takes any
  EXPECT_EQ(table.FindQuoted(kNear, 9, 2, wire::IpAddress::V4(0x0a000103)), nullptr);
  table.Add(Make(3, kFar, 9, 2), 0);  // sent from the usual source, whichever that is
  EXPECT_EQ(table.FindQuoted(kFar, 9, 2, one)->probe.id, 3u);
}

TEST(InFlight, ExpiresInTheOrderOfDeadlines) {
  InFlight table(8);
  for (const int64_t timeout : {50, 10, 40, 20, 30}) {
    table.Add(Make(static_cast<uint64_t>(timeout), kNear, 1, 64, timeout), 0);
  }
  EXPECT_EQ(table.NextDeadline(), 10);
  EXPECT_EQ(table.Expired(9), nullptr);
  for (const uint64_t id : {10u, 20u, 30u, 40u, 50u}) {
    InFlight::Entry* entry = table.Expired(100);
    ASSERT_NE(entry, nullptr);
    EXPECT_EQ(entry->probe.id, id);
    table.Remove(entry);
  }
  EXPECT_EQ(table.NextDeadline(), std::nullopt);
}

// Against a plain map: whatever is added, answered, quoted and expired, in any order.
TEST(InFlight, AgreesWithAPlainMapOverRandomUse) {
  InFlight table(64);
  std::map<uint32_t, Probe> model;  // by sequence
  std::map<uint64_t, int64_t> deadline_by_id;
  std::mt19937 random(1);
  for (uint64_t step = 0; step < 50'000; ++step) {
    const auto now = static_cast<int64_t>(step);
    if (random() % 2 == 0) {
      const Probe probe =
          Make(step, random() % 2 == 0 ? kNear : kFar, static_cast<uint16_t>(random() % 8),
               static_cast<uint8_t>(random() % 4), 1 + static_cast<int64_t>(random() % 200));
      InFlight::Entry* entry = table.Add(probe, now);
      ASSERT_EQ(entry == nullptr, model.size() == table.capacity());
      if (entry != nullptr) {
        model[entry->sequence] = probe;
        deadline_by_id[step] = entry->deadline_ns;
      }
    } else if (!model.empty() && random() % 2 == 0) {
      auto any = std::next(model.begin(), static_cast<long>(random() % model.size()));
      InFlight::Entry* entry = table.Find(any->first);
      ASSERT_NE(entry, nullptr);
      ASSERT_EQ(entry->probe.id, any->second.id);
      ASSERT_NE(table.FindQuoted(entry->probe.destination, entry->probe.udp_src_port, {}), nullptr);
      deadline_by_id.erase(any->second.id);
      table.Remove(entry);
      model.erase(any);
    }
    while (InFlight::Entry* expired = table.Expired(now)) {
      ASSERT_LE(deadline_by_id.at(expired->probe.id), now);
      deadline_by_id.erase(expired->probe.id);
      model.erase(expired->sequence);
      table.Remove(expired);
    }
    for (const auto& [id, deadline] : deadline_by_id) ASSERT_GT(deadline, now);
    ASSERT_EQ(table.size(), model.size());
  }
}

}  // namespace
}  // namespace weft::probe
