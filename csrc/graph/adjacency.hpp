#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "memory/buffer.hpp"

namespace fastgat {

// The undirected edges of a graph, each once, sorted by (source, target) with source < target.
struct EdgeSpan {
  std::int32_t num_nodes;
  std::span<const std::int32_t> source;
  std::span<const std::int32_t> target;
  std::span<const double> weight;  // empty: every weight is 1
};

// The symmetric adjacency matrix in compressed rows. Row u holds u's neighbours in ascending order,
// so the neighbours above u are its last ones and, in order, the targets of the edges that start at
// u: a loop over the upper part of all rows meets the edges in their own order.
struct Adjacency {
  std::int32_t num_nodes = 0;
  std::int64_t num_edges = 0;
  Buffer<std::int64_t> offset;       // num_nodes + 1
  Buffer<std::int32_t> neighbor;     // 2 num_edges
  Buffer<double> weight;             // 2 num_edges, or empty: every weight is 1
  Buffer<std::int64_t> edge_start;   // num_nodes + 1: the first edge that starts at u
  Buffer<double> degree;             // num_nodes: sum of weights
  std::vector<std::int32_t> pieces;  // boundaries of pieces of rows with about equal work

  bool is_weighted() const { return !weight.empty(); }
  int num_pieces() const { return static_cast<int>(pieces.size()) - 1; }
  std::int64_t upper_begin(std::int32_t u) const {
    return offset[u + 1] - (edge_start[u + 1] - edge_start[u]);
  }
  std::int64_t num_neighbors(std::int32_t u) const { return offset[u + 1] - offset[u]; }
  std::int64_t most_neighbors() const {
    std::int64_t most = 0;
    for (std::int32_t u = 0; u < num_nodes; ++u) most = std::max(most, num_neighbors(u));
    return most;
  }
  // The edge of arc `a` in row u.
  std::int64_t edge_of(std::int32_t u, std::int64_t a) const {
    const std::int32_t v = neighbor[a];
    if (v > u) return edge_start[u] + (a - upper_begin(u));
    const std::int32_t* first = neighbor.data() + upper_begin(v);
    const std::int32_t* end = neighbor.data() + offset[v + 1];
    return edge_start[v] + (std::lower_bound(first, end, u) - first);
  }
};

// Edges must be valid: the bindings check them.
Adjacency build_adjacency(const EdgeSpan& edges);

}  // namespace fastgat
