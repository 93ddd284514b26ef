#pragma once

#include <cstdint>
#include <span>

#include "graph/adjacency.hpp"
#include "memory/buffer.hpp"
#include "sampling/alias_table.hpp"

namespace fastgat {

// The edges a draw kept, in their order, with their new weights.
struct Draw {
  Buffer<std::int64_t> edge;
  Buffer<std::int32_t> source;
  Buffer<std::int32_t> target;
  Buffer<double> weight;
};

// `num_samples` draws in proportion to `score`; an edge drawn k times gets weight k w / (q p).
// Edges marked in `always` (if not empty) are kept besides, with their own weight, whatever is drawn.
Draw draw_with_replacement(const EdgeSpan& edges, const AliasTable& table,
                           std::span<const double> score, std::span<const std::uint8_t> always,
                           std::int64_t num_samples, std::uint64_t seed);

// Every edge on its own with its probability; a kept edge gets weight w / probability.
Draw draw_independently(const EdgeSpan& edges, std::span<const double> probability,
                        std::uint64_t seed);

// Which edges these draws keep, without weights: kept[e] is 1 or 0. The same seed keeps the same.
Buffer<std::uint8_t> keep_with_replacement(const AliasTable& table,
                                           std::span<const std::uint8_t> always,
                                           std::int64_t num_samples, std::uint64_t seed);
Buffer<std::uint8_t> keep_independently(std::span<const double> probability, std::uint64_t seed);

// The place of every edge among those of its source, and among those of its target: 0 is the first.
struct EdgeRanks {
  Buffer<std::int32_t> at_source;
  Buffer<std::int32_t> at_target;
};

// Edges rank by score, the highest first and equal ones at random; or, unless `best_first`, in a
// random order of each node's own in which high scores tend to come early (sampling without
// replacement in proportion to score).
EdgeRanks rank_edges(const Adjacency& graph, std::span<const double> score, bool best_first,
                     std::uint64_t seed);

}  // namespace fastgat
