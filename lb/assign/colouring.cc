// SPDX-License-Identifier: Apache-2.0
#include "lb/assign/colouring.h"

#include <bit>
#include <cassert>

namespace weft::lb {

EdgeColouring::EdgeColouring(std::span<const Edge> edges, uint32_t left_count, uint32_t right_count,
                             uint32_t colours)
    : edges_(edges),
      left_count_(left_count),
      colour_count_(colours),
      words_((colours + 63) / 64),
      free_((left_count + right_count) * words_, ~uint64_t{0}),
      edge_at_(static_cast<size_t>(left_count + right_count) * colours, kNone),
      colours_of_(edges.size(), kNone) {
  if (colours % 64 == 0) return;
  for (size_t last = words_ - 1; last < free_.size(); last += words_) {
    free_[last] = (uint64_t{1} << (colours % 64)) - 1;
  }
}

void EdgeColouring::Set(uint32_t edge, uint32_t colour) {
  for (uint32_t vertex : {edges_[edge].left, Right(edges_[edge].right)}) {
    assert(At(vertex, colour) == kNone);
    At(vertex, colour) = edge;
    free_[vertex * words_ + colour / 64] &= ~(uint64_t{1} << (colour % 64));
  }
  colours_of_[edge] = colour;
}

uint32_t EdgeColouring::FirstFree(uint32_t vertex, std::span<const uint32_t> wanted) {
  for (uint32_t colour : wanted) {
    if (At(vertex, colour) == kNone) return colour;
  }
  return kNone;
}

bool EdgeColouring::TryColour(uint32_t edge, std::span<const uint32_t> wanted) {
  const uint32_t left = edges_[edge].left;
  const uint32_t right = Right(edges_[edge].right);
  for (uint32_t colour : wanted) {
    if (At(left, colour) != kNone || At(right, colour) != kNone) continue;
    Set(edge, colour);
    return true;
  }
  const uint32_t a = FirstFree(left, wanted);
  const uint32_t b = FirstFree(right, wanted);
  if (a == kNone || b == kNone) return false;
  Flip(right, a, b);
  Set(edge, a);
  return true;
}

void EdgeColouring::Colour(uint32_t edge) {
  const uint32_t left = edges_[edge].left;
  const uint32_t right = Right(edges_[edge].right);
  uint32_t a = kNone;
  uint32_t b = kNone;
  for (uint32_t word = 0; word < words_; ++word) {
    const uint64_t at_left = free_[left * words_ + word];
    const uint64_t at_right = free_[right * words_ + word];
    const auto lowest = [word](uint64_t bits) {
      return word * 64 + static_cast<uint32_t>(std::countr_zero(bits));
    };
    if ((at_left & at_right) != 0) {
      Set(edge, lowest(at_left & at_right));
      return;
    }
    if (a == kNone && at_left != 0) a = lowest(at_left);
    if (b == kNone && at_right != 0) b = lowest(at_right);
  }
  assert(a != kNone && b != kNone);  // else a degree is above the number of colours
  Flip(right, a, b);
  Set(edge, a);
}

// The chain is a path, because a vertex has at most one edge of each colour, and it never comes to
// the other end of the new edge: it enters that side by colour a only, which is free there.
void EdgeColouring::Flip(uint32_t vertex, uint32_t a, uint32_t b) {
  chain_.clear();
  for (uint32_t colour = a; At(vertex, colour) != kNone; colour = colour == a ? b : a) {
    const uint32_t edge = At(vertex, colour);
    chain_.push_back(edge);
    vertex = vertex == edges_[edge].left ? Right(edges_[edge].right) : edges_[edge].left;
  }
  for (uint32_t edge : chain_) {
    for (uint32_t end : {edges_[edge].left, Right(edges_[edge].right)}) {
      At(end, colours_of_[edge]) = kNone;
      const uint32_t colour = colours_of_[edge];
      free_[end * words_ + colour / 64] |= uint64_t{1} << (colour % 64);
    }
  }
  for (uint32_t edge : chain_) Set(edge, colours_of_[edge] == a ? b : a);
}

}  // namespace weft::lb
