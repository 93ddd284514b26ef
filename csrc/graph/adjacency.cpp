#include "graph/adjacency.hpp"

#include <algorithm>

#include "parallel/balanced_rows.hpp"
#include "parallel/chunks.hpp"

namespace fastgat {

Adjacency build_adjacency(const EdgeSpan& edges) {
  const std::int32_t n = edges.num_nodes;
  const std::int64_t m = static_cast<std::int64_t>(edges.source.size());
  Adjacency graph;
  graph.num_nodes = n;
  graph.num_edges = m;
  graph.offset = Buffer<std::int64_t>(n + std::size_t{1});
  graph.edge_start = Buffer<std::int64_t>(n + std::size_t{1});
  graph.neighbor = Buffer<std::int32_t>(2 * m);
  if (!edges.weight.empty()) graph.weight = Buffer<double>(2 * m);
  graph.degree = Buffer<double>(n);

  // Row lengths: neighbours below (edges that end here) and above (edges that start here).
  Buffer<std::int64_t> cursor(n + std::size_t{1});
  std::fill(cursor.begin(), cursor.end(), 0);
  std::fill(graph.edge_start.begin(), graph.edge_start.end(), 0);
  for (std::int64_t e = 0; e < m; ++e) {
    ++cursor[edges.target[e]];
    ++graph.edge_start[edges.source[e] + 1];
  }
  std::int64_t arcs = 0;
  for (std::int32_t u = 0; u < n; ++u) {
    const std::int64_t below = cursor[u], above = graph.edge_start[u + 1];
    graph.offset[u] = cursor[u] = arcs;
    arcs += below + above;
    graph.edge_start[u + 1] += graph.edge_start[u];
  }
  graph.offset[n] = arcs;
  graph.pieces = balance_rows(graph.offset);

  // Neighbours below u come in edge order, which is ascending. Every scan reads all targets and
  // writes only its own rows, so few scans pay; the order does not depend on how many.
  const int scans = m < (1 << 20) ? 1 : std::min(max_threads(), 8);
  for_each_piece(scans, [&](int scan) {
    const std::int32_t first = graph.pieces[graph.num_pieces() * scan / scans];
    const std::int32_t last = graph.pieces[graph.num_pieces() * (scan + 1) / scans];
    for (std::int64_t e = 0; e < m; ++e) {
      const std::int32_t v = edges.target[e];
      if (v < first || v >= last) continue;
      const std::int64_t slot = cursor[v]++;
      graph.neighbor[slot] = edges.source[e];
      if (graph.is_weighted()) graph.weight[slot] = edges.weight[e];
    }
  });
  for_each_light_piece(graph.num_pieces(), [&](int c) {
    for (std::int32_t u = graph.pieces[c]; u < graph.pieces[c + 1]; ++u) {
      std::int64_t slot = graph.upper_begin(u);
      for (std::int64_t e = graph.edge_start[u]; e < graph.edge_start[u + 1]; ++e, ++slot) {
        graph.neighbor[slot] = edges.target[e];
        if (graph.is_weighted()) graph.weight[slot] = edges.weight[e];
      }
      double degree = static_cast<double>(graph.offset[u + 1] - graph.offset[u]);
      if (graph.is_weighted()) {
        degree = 0;
        for (std::int64_t a = graph.offset[u]; a < graph.offset[u + 1]; ++a)
          degree += graph.weight[a];
      }
      graph.degree[u] = degree;
    }
  });
  return graph;
}

}  // namespace fastgat
