#pragma once

#include <cstdint>
#include <span>

#include "memory/buffer.hpp"

namespace fastgat {

// What had to be mended to make a list of arcs an undirected simple graph.
struct Repairs {
  std::int64_t self_loops = 0;  // arcs u -> u, dropped
  std::int64_t repeated = 0;    // unweighted arcs that name an edge again, dropped
  std::int64_t merged = 0;      // weighted arcs that name an arc again, added to it
  std::int64_t averaged = 0;    // edges whose two directions had different weights
};

struct EdgeList {
  Buffer<std::int32_t> source;
  Buffer<std::int32_t> target;
  Buffer<double> weight;  // empty: every weight is 1
  Repairs repairs;
};

// Arcs in any order, in either or both directions, repeated or not -> each undirected edge once,
// sorted by (source, target), source < target. Nodes must lie in [0, num_nodes).
template <class Index>
EdgeList canonical_edges(std::int32_t num_nodes, std::span<const Index> source,
                         std::span<const Index> target, std::span<const double> weight);

// Whether the arcs are such a list already.
template <class Index>
bool is_canonical(std::span<const Index> source, std::span<const Index> target);

// The first arc with a node outside [0, num_nodes), or -1.
template <class Index>
std::int64_t first_arc_out_of_range(std::int64_t num_nodes, std::span<const Index> source,
                                    std::span<const Index> target);

template <class Index>
Index largest_node(std::span<const Index> source, std::span<const Index> target);

}  // namespace fastgat
