// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace weft::lb {

// Colours the edges of a bipartite multigraph so that no two edges at one vertex share a colour,
// edge by edge: where no colour is free at both ends, an alternating path of two colours (a Kempe
// chain) is flipped to make one free (Koenig 1916: as many colours as the largest degree always
// suffice). In a plan vertices are leaves and edges flows, and each spine owns several colours, one
// for each flow that a leaf's link to it may take.
class EdgeColouring {
 public:
  static constexpr uint32_t kNone = ~uint32_t{0};

  struct Edge {
    uint32_t left = 0;
    uint32_t right = 0;
  };

  // `colours` is at least the largest degree; `edges` must outlive the colouring.
  EdgeColouring(std::span<const Edge> edges, uint32_t left_count, uint32_t right_count,
                uint32_t colours);

  // Colours an edge with one of `wanted` if both ends have one of these free (perhaps different
  // ones: then a chain within `wanted` is flipped). false: not possible, nothing changed.
  bool TryColour(uint32_t edge, std::span<const uint32_t> wanted);

  // Colours an edge: the lowest colour free at both ends, or else by flipping a chain.
  void Colour(uint32_t edge);

  uint32_t colour(uint32_t edge) const { return colours_of_[edge]; }

 private:
  uint32_t Right(uint32_t vertex) const { return left_count_ + vertex; }
  uint32_t& At(uint32_t vertex, uint32_t colour) {
    return edge_at_[static_cast<size_t>(vertex) * colour_count_ + colour];
  }
  uint32_t FirstFree(uint32_t vertex, std::span<const uint32_t> wanted);
  void Set(uint32_t edge, uint32_t colour);
  // Flips the chain of colours a and b that begins at `vertex` with its edge of colour a.
  void Flip(uint32_t vertex, uint32_t a, uint32_t b);

  std::span<const Edge> edges_;
  uint32_t left_count_;
  uint32_t colour_count_;
  size_t words_;                   // of a vertex's bit set of free colours
  std::vector<uint64_t> free_;     // vertex x words_
  std::vector<uint32_t> edge_at_;  // vertex x colour -> edge, or kNone
  std::vector<uint32_t> colours_of_;
  std::vector<uint32_t> chain_;  // scratch of Flip
};

}  // namespace weft::lb
