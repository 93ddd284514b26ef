#pragma once

#include <cstdint>
#include <span>

#include "graph/adjacency.hpp"
#include "memory/buffer.hpp"

namespace fastgat {

// The edge of every arc of the adjacency, in 32 bits.
Buffer<std::int32_t> edges_of_arcs(const Adjacency& graph);

// Both directions of some of the edges of a graph, in compressed rows.
struct DrawnArcs {
  Buffer<std::int64_t> offset;
  Buffer<std::int32_t> other;
};

// Those of the edges e with kept[e] = 1; the others have 0.
DrawnArcs keep_arcs(const Adjacency& graph, std::span<const std::int32_t> edge_of_arc,
                    std::span<const std::uint8_t> kept);

}  // namespace fastgat
