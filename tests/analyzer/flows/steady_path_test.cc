// SPDX-License-Identifier: Apache-2.0
// What the short way counts is what the long way counts.
#include "analyzer/flows/steady_path.h"

#include <gtest/gtest.h>

#include <cstring>
#include <random>
#include <string>
#include <vector>

#include "analyzer/flows/capture_analysis.h"
#include "tests/analyzer/capture/stories/story.h"

namespace weft::analyzer {
namespace {

// Packets with bytes of their own.
struct Packets {
  std::vector<wire::Bytes> frames;
  std::vector<CapturedPacket> packets;
};

Packets Read(const wire::Bytes& pcap) {
  constexpr size_t kFileHeader = 24;
  constexpr size_t kRecordHeader = 16;
  const auto little = [&](size_t at) {
    uint32_t value = 0;
    std::memcpy(&value, pcap.data() + at, sizeof(value));
    return value;
  };
  Packets read;
  for (size_t at = kFileHeader; at + kRecordHeader <= pcap.size();) {
    const size_t captured = little(at + 8);
    if (captured > pcap.size() - at - kRecordHeader) break;  // a story of a torn file
    const auto begin = pcap.begin() + static_cast<std::ptrdiff_t>(at + kRecordHeader);
    read.frames.emplace_back(begin, begin + static_cast<std::ptrdiff_t>(captured));
    CapturedPacket& packet = read.packets.emplace_back();
    packet.number = read.packets.size();
    packet.has_time = true;
    packet.time_ns = int64_t{little(at)} * 1'000'000'000 + little(at + 4);
    packet.wire_bytes = little(at + 12);
    at += kRecordHeader + captured;
  }
  for (size_t i = 0; i < read.packets.size(); ++i) read.packets[i].bytes = read.frames[i];
  return read;
}

struct Outcome {
  CaptureAnalysis analysis;
  uint64_t steady = 0;
};

Outcome Analyse(const Packets& input, AnalysisOptions options, bool is_steady, bool expects) {
  options.uses_steady_path = is_steady;
  CaptureAnalyzer analyzer(options);
  const std::span<const CapturedPacket> packets = input.packets;
  for (size_t i = 0; i < packets.size(); ++i) {
    if (expects && i % CaptureAnalyzer::kMaxExpected == 0) analyzer.Expect(packets.subspan(i));
    analyzer.Add(packets[i]);
  }
  const uint64_t steady = analyzer.steady_packets();
  return {.analysis = analyzer.Finish(), .steady = steady};
}

void ExpectSame(const CaptureAnalysis& a, const CaptureAnalysis& b) {
  EXPECT_EQ(a.totals, b.totals);
  EXPECT_EQ(a.connections, b.connections);
  EXPECT_EQ(a.host_pairs, b.host_pairs);
  EXPECT_EQ(a.traffic.by_class, b.traffic.by_class);
  EXPECT_EQ(a.traffic.bytes, b.traffic.bytes);
  EXPECT_EQ(a.traffic.cut_packets, b.traffic.cut_packets);
  EXPECT_EQ(a.traffic.first_ns, b.traffic.first_ns);
  EXPECT_EQ(a.traffic.last_ns, b.traffic.last_ns);
  EXPECT_EQ(a.traffic.backward_steps, b.traffic.backward_steps);
  EXPECT_EQ(a.traffic.seconds, b.traffic.seconds);
  EXPECT_EQ(a.traffic.bursts, b.traffic.bursts);
  EXPECT_EQ(a.traffic.receivers, b.traffic.receivers);
  EXPECT_EQ(a.traffic.pauses, b.traffic.pauses);
}

// Connections whose packets come mixed, with all that happens to them: losses, repetitions, marks,
// ports that change, waits, times that step back, tags.
wire::Bytes Tale(uint64_t seed, uint32_t snaplen) {
  std::mt19937_64 random(seed);
  const auto one_in = [&](uint64_t n) { return random() % n == 0; };
  Story story;
  std::vector<Pair> pairs;
  for (uint32_t n = 0; n < 6; ++n) {
    pairs.push_back(PairOf(static_cast<uint8_t>(1 + n % 3), static_cast<uint8_t>(9 + n % 2), n));
  }
  const bool is_tagged = one_in(3);
  story.Dress([&random, is_tagged](wire::Bytes frame) {
    // Now and then one packet comes from another port, in the middle of its message.
    constexpr size_t kLowByteOfPort = 14 + 20 + 1;
    if (random() % 50 == 0) frame[kLowByteOfPort] ^= std::byte{4};
    return is_tagged ? wire::InVlan(0x8100, 0x6064, frame) : frame;
  });
  for (int turn = 0; turn < 300; ++turn) {
    Pair& pair = pairs[random() % pairs.size()];
    story.After(static_cast<int64_t>(random() % 30'000));
    if (one_in(20)) story.After(static_cast<int64_t>(random() % 3'000'000));
    if (one_in(60)) story.After(-static_cast<int64_t>(random() % 50'000));
    if (one_in(200)) story.After(1'000'000'000);
    story.Mark(one_in(10));
    if (one_in(25)) pair.forward.udp_src_port ^= 1;
    if (one_in(40)) --pair.forward.ttl;
    const auto packets = static_cast<uint32_t>(1 + random() % 12);
    const uint32_t before = pair.psn;
    if (one_in(12)) {
      story.Write(pair, packets, {static_cast<uint32_t>(random() % packets)});
      if (one_in(2)) story.Answer(pair, before, 0x60);  // PSN sequence error
      story.WriteFrom(pair, before, packets);
    } else if (one_in(10)) {
      story.Send(pair, static_cast<uint32_t>(4 + random() % 1000));
    } else {
      story.Write(pair, packets);
    }
    if (one_in(30)) story.Answer(pair, before, 0x2a);  // RNR
    if (one_in(15)) story.Cnp(pair.backward);
    if (!one_in(4)) story.Ack(pair);
  }
  return story.Pcap(snaplen);
}

class SteadyPathOf : public ::testing::TestWithParam<uint64_t> {};

TEST_P(SteadyPathOf, ATaleCountsTheSameAsTheLongWay) {
  uint64_t steady = 0;
  for (const uint32_t snaplen : {128u, 96u, 64u, 0u}) {
    const Packets packets = Read(Tale(GetParam(), snaplen));
    for (const bool checks_icrc : {true, false}) {
      AnalysisOptions options;
      options.check_icrc = checks_icrc;
      options.bin_ns = 100'000;
      const Outcome expected = Analyse(packets, options, false, false);
      EXPECT_EQ(expected.steady, 0u);
      for (const bool expects : {false, true}) {
        const Outcome outcome = Analyse(packets, options, true, expects);
        ExpectSame(outcome.analysis, expected.analysis);
        steady += outcome.steady;
        if (HasFailure()) FAIL() << "snaplen " << snaplen << ", expects " << expects;
      }
    }
  }
  EXPECT_GT(steady, 1'000u);
}
INSTANTIATE_TEST_SUITE_P(Seeds, SteadyPathOf, ::testing::Range<uint64_t>(1, 21));

TEST(SteadyPath, EveryStoryCountsTheSame) {
  for (const NamedCapture& story : AllStories()) {
    if (!story.file.ends_with(".pcap")) continue;
    SCOPED_TRACE(story.file);
    const Packets packets = Read(story.bytes);
    const AnalysisOptions options;
    ExpectSame(Analyse(packets, options, true, true).analysis,
               Analyse(packets, options, false, false).analysis);
  }
}

TEST(SteadyPath, TakesMostPacketsOfAnElephant) {
  Story story;
  Pair pair = PairOf(1, 2, 0);
  for (int i = 0; i < 100; ++i) {
    story.Write(pair, 16);
    story.Ack(pair);
  }
  const Packets packets = Read(story.Pcap(128));
  const Outcome outcome = Analyse(packets, {}, true, true);
  EXPECT_GT(outcome.steady * 10, packets.packets.size() * 8);
}

TEST(SteadyPath, WhatWasExpectedMayNotCome) {
  const Packets packets = Read(Tale(7, 128));
  CaptureAnalyzer analyzer({});
  AnalysisOptions long_way;
  long_way.uses_steady_path = false;
  CaptureAnalyzer other(long_way);
  for (size_t i = 0; i < packets.packets.size(); ++i) {
    if (i % 7 == 0) analyzer.Expect(std::span(packets.packets).subspan(i));
    if (i % 5 == 3) continue;
    analyzer.Add(packets.packets[i]);
    other.Add(packets.packets[i]);
  }
  ExpectSame(analyzer.Finish(), other.Finish());
}

}  // namespace
}  // namespace weft::analyzer
