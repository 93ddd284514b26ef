#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "graph/adjacency.hpp"
#include "memory/buffer.hpp"
#include "parallel/monitor.hpp"

namespace fastgat {

struct Components {
  std::int32_t count = 0;
  Buffer<std::int32_t> label;  // per node, numbered by their first node
};

Components connected_components(const Adjacency& graph, Monitor& monitor);

struct Bridges {
  std::vector<std::int64_t> edge;  // whose removal disconnects its ends, ascending
  std::int32_t num_components = 0;  // of the graph, found on the way
};

Bridges find_bridges(const Adjacency& graph, Monitor& monitor);

// A spanning forest of greatest total score, as ascending edge numbers (Kruskal; ties by number).
std::vector<std::int64_t> maximum_spanning_forest(const EdgeSpan& edges,
                                                  std::span<const double> score);

}  // namespace fastgat
