#include "spectral/products.hpp"

#include "parallel/chunks.hpp"
#include "parallel/ordered_sums.hpp"
#include "simd/lane_moves.hpp"

namespace fastgat {
namespace {

// sum over u's neighbours v of w_uv (x[v] - from). Two running sums hide the latency of addition.
template <class T, int W, bool Weighted>
FASTGAT_INLINE Lanes<T, W> neighbor_sum(const Adjacency& graph, std::int32_t u, const T* x,
                                        Lanes<T, W> from) {
  using V = Lanes<T, W>;
  const std::int32_t* neighbor = graph.neighbor.data();
  const double* weight = graph.weight.data();
  const std::int64_t end = graph.offset[u + 1];
  std::int64_t a = graph.offset[u];
  const auto term = [&](std::int64_t arc) __attribute__((always_inline)) -> V {
    V value = load<T, W>(x + static_cast<std::int64_t>(neighbor[arc]) * W);
    if constexpr (Weighted) value = static_cast<T>(weight[arc]) * (value - from);
    return value;
  };
  V even{}, odd{};
  for (; a + 1 < end; a += 2) {
    even += term(a);
    odd += term(a + 1);
  }
  if (a < end) even += term(a);
  return even + odd;
}

template <class T, int W, bool Weighted>
FASTGAT_INLINE void laplacian_rows_as(const Adjacency& graph, std::int32_t begin, std::int32_t end,
                                      const T* x, T* out, T* dot) {
  using V = Lanes<T, W>;
  V total{};
  for (std::int32_t u = begin; u < end; ++u) {
    const std::int64_t at = static_cast<std::int64_t>(u) * W;
    const V here = load<T, W>(x + at);
    // With weights of very different size a sum of differences keeps the currents of the light
    // edges, which degree times potential would round away.
    V value;
    if constexpr (Weighted) value = -neighbor_sum<T, W, true>(graph, u, x, here);
    else value = static_cast<T>(graph.degree[u]) * here - neighbor_sum<T, W, false>(graph, u, x, V{});
    store<T, W>(out + at, value);
    total += here * value;
  }
  store<T, W>(dot, total);
}

template <class T, int W>
FASTGAT_KERNEL void walk_rows(const Adjacency& graph, std::int32_t begin, std::int32_t end,
                              const T* x, T* out) {
  for (std::int32_t u = begin; u < end; ++u) {
    const Lanes<T, W> zero{};
    const T scale = graph.degree[u] > 0 ? static_cast<T>(1 / graph.degree[u]) : T{0};
    const Lanes<T, W> sum = graph.is_weighted() ? neighbor_sum<T, W, true>(graph, u, x, zero)
                                                : neighbor_sum<T, W, false>(graph, u, x, zero);
    store<T, W>(out + static_cast<std::int64_t>(u) * W, scale * sum);
  }
}

template <class T, int W>
FASTGAT_KERNEL double energy_rows(const Adjacency& graph, std::int32_t begin, std::int32_t end,
                                  const T* x, const T* y, const T* z) {
  double total = 0;
  for (std::int32_t u = begin; u < end; ++u) {
    const std::int64_t at = static_cast<std::int64_t>(u) * W;
    const auto drop = load<T, W>(y + at) - load<T, W>(z + at);
    total += graph.degree[u] * static_cast<double>(sum_lanes<T, W>(load<T, W>(x + at) * drop));
  }
  return total;
}

template <class T, int W>
FASTGAT_KERNEL void distance_rows(const Adjacency& graph, std::int32_t begin, std::int32_t end,
                                  const T* y, double* out) {
  using V = Lanes<T, W>;
  for (std::int32_t u = begin; u < end; ++u) {
    const V here = load<T, W>(y + static_cast<std::int64_t>(u) * W);
    double* edge = out + graph.edge_start[u];
    for (std::int64_t a = graph.upper_begin(u); a < graph.offset[u + 1]; ++a, ++edge) {
      const V apart = here - load<T, W>(y + static_cast<std::int64_t>(graph.neighbor[a]) * W);
      *edge += sum_lanes<T, W>(apart * apart);
    }
  }
}

template <class T, int W>
FASTGAT_KERNEL void laplacian_rows_of(const Adjacency& graph, std::int32_t begin, std::int32_t end,
                                      const T* x, T* out, T* dot) {
  if (graph.is_weighted()) laplacian_rows_as<T, W, true>(graph, begin, end, x, out, dot);
  else laplacian_rows_as<T, W, false>(graph, begin, end, x, out, dot);
}

}  // namespace

template <class T, int W>
void laplacian_rows(const Adjacency& graph, std::int32_t begin, std::int32_t end, const T* x, T* out,
                    T* dot) {
  laplacian_rows_of<T, W>(graph, begin, end, x, out, dot);
}

template <class T, int W>
void walk_product(const Adjacency& graph, const T* x, T* out) {
  for_each_light_piece(graph.num_pieces(), [&](int c) {
    walk_rows<T, W>(graph, graph.pieces[c], graph.pieces[c + 1], x, out);
  });
}

template <class T, int W>
double walk_energy(const Adjacency& graph, const T* x, const T* y, const T* z) {
  return ordered_sum<double>(graph.num_pieces(), [&](int c) {
    return energy_rows<T, W>(graph, graph.pieces[c], graph.pieces[c + 1], x, y, z);
  });
}

template <class T, int W>
void add_edge_distances(const Adjacency& graph, const T* y, double* out) {
  for_each_light_piece(graph.num_pieces(), [&](int c) {
    distance_rows<T, W>(graph, graph.pieces[c], graph.pieces[c + 1], y, out);
  });
}

#define FASTGAT_INSTANTIATE(T, W)                                                            \
  template void laplacian_rows<T, W>(const Adjacency&, std::int32_t, std::int32_t, const T*, \
                                     T*, T*);                                                \
  template void walk_product<T, W>(const Adjacency&, const T*, T*);                          \
  template double walk_energy<T, W>(const Adjacency&, const T*, const T*, const T*);          \
  template void add_edge_distances<T, W>(const Adjacency&, const T*, double*);
FASTGAT_INSTANTIATE(float, 16)
FASTGAT_INSTANTIATE(double, 16)
FASTGAT_INSTANTIATE(double, 4)
FASTGAT_INSTANTIATE(double, 1)
#undef FASTGAT_INSTANTIATE

}  // namespace fastgat
