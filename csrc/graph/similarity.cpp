#include "graph/similarity.hpp"

#include <algorithm>

#include "parallel/chunks.hpp"
#include "simd/lanes.hpp"

namespace fastgat {
namespace {

constexpr int kLanes = 16;

FASTGAT_INLINE double product(const float* a, const float* b, std::int64_t width) {
  Lanes<float, kLanes> sums[2] = {};
  std::int64_t k = 0;
  for (; k + 2 * kLanes <= width; k += 2 * kLanes)
    for (int half = 0; half < 2; ++half)
      sums[half] += load<float, kLanes>(a + k + half * kLanes) *
                    load<float, kLanes>(b + k + half * kLanes);
  double sum = 0;
  for (int lane = 0; lane < kLanes; ++lane)
    sum += static_cast<double>(sums[0][lane]) + static_cast<double>(sums[1][lane]);
  for (; k < width; ++k) sum += static_cast<double>(a[k]) * static_cast<double>(b[k]);
  return sum;
}

// Products of the edges that start in rows [begin, end).
FASTGAT_KERNEL void products_of_rows(const Adjacency& graph, const float* features,
                                     std::int64_t width, std::int32_t begin, std::int32_t end,
                                     double* out) {
  for (std::int32_t u = begin; u < end; ++u) {
    std::int64_t e = graph.edge_start[u];
    for (std::int64_t a = graph.upper_begin(u); a < graph.offset[u + 1]; ++a, ++e)
      out[e] = product(features + u * width, features + graph.neighbor[a] * width, width);
  }
}

}  // namespace

Buffer<double> dense_products(const Adjacency& graph, const float* features, std::int64_t width) {
  Buffer<double> found(graph.num_edges);
  for_each_piece(graph.num_pieces(), [&](int c) {
    products_of_rows(graph, features, width, graph.pieces[c], graph.pieces[c + 1], found.data());
  });
  return found;
}

Buffer<double> sparse_products(const Adjacency& graph, const SparseRows& rows) {
  Buffer<double> found(graph.num_edges);
  // The row of one end is spread out by column, so that each value of the other is one look-up.
  const std::size_t width = static_cast<std::size_t>(rows.num_columns);
  Buffer<float> scratch(width * max_threads());
  std::fill(scratch.begin(), scratch.end(), 0.0f);
  for_each_piece(graph.num_pieces(), [&](int c) {
    float* spread = scratch.data() + width * thread_number();
    for (std::int32_t u = graph.pieces[c]; u < graph.pieces[c + 1]; ++u) {
      for (std::int64_t k = rows.offset[u]; k < rows.offset[u + 1]; ++k)
        spread[rows.column[k]] += rows.value[k];
      std::int64_t e = graph.edge_start[u];
      for (std::int64_t a = graph.upper_begin(u); a < graph.offset[u + 1]; ++a, ++e) {
        const std::int32_t v = graph.neighbor[a];
        double sum = 0;
        for (std::int64_t k = rows.offset[v]; k < rows.offset[v + 1]; ++k)
          sum += static_cast<double>(rows.value[k]) * spread[rows.column[k]];
        found[e] = sum;
      }
      for (std::int64_t k = rows.offset[u]; k < rows.offset[u + 1]; ++k) spread[rows.column[k]] = 0;
    }
  });
  return found;
}

Buffer<double> jaccard_index(const Adjacency& graph) {
  Buffer<double> found(graph.num_edges);
  const std::size_t size = static_cast<std::size_t>(graph.num_nodes);
  Buffer<std::int32_t> scratch(size * max_threads());
  std::fill(scratch.begin(), scratch.end(), -1);
  for_each_piece(graph.num_pieces(), [&](int c) {
    std::int32_t* marked_by = scratch.data() + size * thread_number();
    for (std::int32_t u = graph.pieces[c]; u < graph.pieces[c + 1]; ++u) {
      const std::int64_t mine = graph.num_neighbors(u);
      for (std::int64_t a = graph.offset[u]; a < graph.offset[u + 1]; ++a)
        marked_by[graph.neighbor[a]] = u;
      for (std::int64_t a = graph.offset[u]; a < graph.offset[u + 1]; ++a) {
        // The end with more neighbours marks them, the other counts: hubs are walked through once.
        const std::int32_t v = graph.neighbor[a];
        const std::int64_t other = graph.num_neighbors(v);
        if (other > mine || (other == mine && v > u)) continue;
        std::int64_t common = 0;
        for (std::int64_t b = graph.offset[v]; b < graph.offset[v + 1]; ++b)
          common += marked_by[graph.neighbor[b]] == u;
        found[graph.edge_of(u, a)] =
            static_cast<double>(common) / static_cast<double>(mine + other - common);
      }
    }
  });
  return found;
}

}  // namespace fastgat
