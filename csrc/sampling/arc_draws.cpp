#include "sampling/arc_draws.hpp"

#include <algorithm>
#include <array>
#include <vector>

#include "parallel/chunks.hpp"

namespace fastgat {

Buffer<std::int32_t> edges_of_arcs(const Adjacency& graph) {
  Buffer<std::int32_t> edge(graph.neighbor.size());
  std::vector<std::int64_t> next(graph.offset.begin(), graph.offset.end() - 1);
  for (std::int32_t u = 0; u < graph.num_nodes; ++u) {
    std::int32_t e = static_cast<std::int32_t>(graph.edge_start[u]);
    // Rows fill up from below: when u's turn comes, its lower neighbours have named their edges.
    for (std::int64_t a = graph.upper_begin(u); a < graph.offset[u + 1]; ++a, ++e) {
      edge[a] = e;
      edge[next[graph.neighbor[a]]++] = e;
    }
  }
  return edge;
}

// Every piece of rows keeps its arcs where they are, close together; then all pieces are joined.
DrawnArcs keep_arcs(const Adjacency& graph, std::span<const std::int32_t> edge_of_arc,
                    std::span<const std::uint8_t> kept) {
  DrawnArcs drawn;
  drawn.offset = Buffer<std::int64_t>(graph.num_nodes + std::size_t{1});
  Buffer<std::int32_t> other(edge_of_arc.size());
  std::array<std::int64_t, kMaxPieces + 1> first{};
  for_each_piece(graph.num_pieces(), [&](int c) {
    const std::int64_t begin = graph.offset[graph.pieces[c]];
    std::int64_t out = begin;
    for (std::int32_t u = graph.pieces[c]; u < graph.pieces[c + 1]; ++u) {
      drawn.offset[u] = out - begin;
      for (std::int64_t a = graph.offset[u]; a < graph.offset[u + 1]; ++a) {
        other[out] = graph.neighbor[a];
        out += kept[edge_of_arc[a]];
      }
    }
    first[c + 1] = out - begin;
  });
  for (int c = 0; c < graph.num_pieces(); ++c) first[c + 1] += first[c];
  drawn.other = Buffer<std::int32_t>(first[graph.num_pieces()]);
  drawn.offset[graph.num_nodes] = first[graph.num_pieces()];
  for_each_piece(graph.num_pieces(), [&](int c) {
    for (std::int32_t u = graph.pieces[c]; u < graph.pieces[c + 1]; ++u) drawn.offset[u] += first[c];
    std::copy_n(other.data() + graph.offset[graph.pieces[c]], first[c + 1] - first[c],
                drawn.other.data() + first[c]);
  });
  return drawn;
}

}  // namespace fastgat
