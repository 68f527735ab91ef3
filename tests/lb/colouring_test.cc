// SPDX-License-Identifier: Apache-2.0
#include "lb/assign/colouring.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <random>
#include <set>
#include <vector>

namespace weft::lb {
namespace {

using Edge = EdgeColouring::Edge;

std::vector<Edge> RandomEdges(uint32_t left, uint32_t right, uint32_t count,
                              std::mt19937_64& random) {
  std::vector<Edge> edges;
  for (uint32_t i = 0; i < count; ++i) {
    edges.push_back(
        {static_cast<uint32_t>(random() % left), static_cast<uint32_t>(random() % right)});
  }
  return edges;
}

uint32_t LargestDegree(const std::vector<Edge>& edges, uint32_t left, uint32_t right) {
  std::vector<uint32_t> at_left(left, 0);
  std::vector<uint32_t> at_right(right, 0);
  uint32_t largest = 0;
  for (const Edge& edge : edges) {
    largest = std::max({largest, ++at_left[edge.left], ++at_right[edge.right]});
  }
  return largest;
}

// No two edges at one vertex share a colour, and every colour is one of those allowed.
void ExpectProper(const std::vector<Edge>& edges, const EdgeColouring& colouring,
                  uint32_t colours) {
  std::set<std::pair<uint32_t, uint32_t>> left;
  std::set<std::pair<uint32_t, uint32_t>> right;
  for (uint32_t edge = 0; edge < edges.size(); ++edge) {
    ASSERT_LT(colouring.colour(edge), colours);
    EXPECT_TRUE(left.emplace(edges[edge].left, colouring.colour(edge)).second);
    EXPECT_TRUE(right.emplace(edges[edge].right, colouring.colour(edge)).second);
  }
}

TEST(EdgeColouring, NeedsNoMoreColoursThanTheLargestDegree) {
  std::mt19937_64 random(1);
  for (int round = 0; round < 300; ++round) {
    const auto left = static_cast<uint32_t>(1 + random() % 12);
    const auto right = static_cast<uint32_t>(1 + random() % 12);
    const auto edges = RandomEdges(left, right, static_cast<uint32_t>(1 + random() % 200), random);
    const uint32_t colours = LargestDegree(edges, left, right);
    EdgeColouring colouring(edges, left, right, colours);
    for (uint32_t edge = 0; edge < edges.size(); ++edge) colouring.Colour(edge);
    ExpectProper(edges, colouring, colours);
  }
}

TEST(EdgeColouring, WorksAcrossTheWordsOfItsBitSets) {
  for (uint32_t degree : {63U, 64U, 65U, 128U, 130U}) {
    std::vector<Edge> edges;
    for (uint32_t i = 0; i < degree; ++i) {
      edges.push_back({0, i % 2});
      edges.push_back({1, (i + 1) % 2});
    }
    EdgeColouring colouring(edges, 2, 2, degree);
    for (uint32_t edge = 0; edge < edges.size(); ++edge) colouring.Colour(edge);
    ExpectProper(edges, colouring, degree);
  }
}

TEST(EdgeColouring, AWantedColourIsGivenWhileBothEndsHaveRoomForIt) {
  const std::vector<Edge> edges = {{0, 0}, {0, 1}, {1, 0}, {0, 0}};
  EdgeColouring colouring(edges, 2, 2, 3);
  const std::array<uint32_t, 1> wanted = {2};
  EXPECT_TRUE(colouring.TryColour(0, wanted));
  EXPECT_EQ(colouring.colour(0), 2U);
  EXPECT_FALSE(colouring.TryColour(1, wanted)) << "vertex 0 on the left has colour 2 already";
  EXPECT_FALSE(colouring.TryColour(2, wanted)) << "vertex 0 on the right has colour 2 already";
  EXPECT_EQ(colouring.colour(1), EdgeColouring::kNone);
}

// A spine owns several colours. Flows keep the spine as long as both leaves have any of its colours
// left, whichever these are.
TEST(EdgeColouring, RoomOnASpineCountsWhicheverOfItsColoursIsFree) {
  std::mt19937_64 random(2);
  const std::vector<uint32_t> spine = {0, 1, 2};
  for (int round = 0; round < 300; ++round) {
    const auto edges = RandomEdges(4, 4, 40, random);
    EdgeColouring colouring(edges, 4, 4, 3);
    std::array<uint32_t, 4> left{};
    std::array<uint32_t, 4> right{};
    for (uint32_t edge = 0; edge < edges.size(); ++edge) {
      const bool room = left[edges[edge].left] < 3 && right[edges[edge].right] < 3;
      EXPECT_EQ(colouring.TryColour(edge, spine), room);
      if (!room) continue;
      ++left[edges[edge].left];
      ++right[edges[edge].right];
    }
  }
}

}  // namespace
}  // namespace weft::lb
