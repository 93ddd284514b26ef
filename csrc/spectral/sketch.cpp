#include "spectral/sketch.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "parallel/chunks.hpp"
#include "parallel/ordered_sums.hpp"
#include "random/splitmix.hpp"
#include "simd/machine.hpp"

namespace fastgat {
namespace {

// One 64-bit number per edge serves four blocks of 16 signs.
inline std::uint32_t sign_bits(std::uint64_t key, int shift, std::int32_t u, std::int32_t v) {
  const std::uint64_t low = static_cast<std::uint32_t>(std::min(u, v));
  const std::uint64_t high = static_cast<std::uint32_t>(std::max(u, v));
  return static_cast<std::uint32_t>(random_bits(key, low << 32 | high) >> shift);
}

// Every edge counts +q at its source and -q at its target.
template <class T>
FASTGAT_KERNEL void unit_sign_rows(const Adjacency& graph, std::uint64_t key, int shift,
                                   std::int32_t begin, std::int32_t end, T* out) {
  constexpr int W = kSketchWidth;
  for (std::int32_t u = begin; u < end; ++u) {
    std::int32_t ones[W] = {};  // bits set on edges that start here, less those that end here
    const std::int64_t above = graph.upper_begin(u);
    for (std::int64_t a = graph.offset[u]; a < above; ++a) {
      const std::uint32_t bits = sign_bits(key, shift, graph.neighbor[a], u);
      for (int c = 0; c < W; ++c) ones[c] -= (bits >> c) & 1u;
    }
    for (std::int64_t a = above; a < graph.offset[u + 1]; ++a) {
      const std::uint32_t bits = sign_bits(key, shift, u, graph.neighbor[a]);
      for (int c = 0; c < W; ++c) ones[c] += (bits >> c) & 1u;
    }
    const std::int64_t balance = (graph.offset[u + 1] - above) - (above - graph.offset[u]);
    for (int c = 0; c < W; ++c)
      out[std::int64_t{u} * W + c] = static_cast<T>(balance - 2 * std::int64_t{ones[c]});
  }
}

template <class T>
FASTGAT_KERNEL void weighted_sign_rows(const Adjacency& graph, std::uint64_t key, int shift,
                                       std::int32_t begin, std::int32_t end, T* out) {
  constexpr int W = kSketchWidth;
  for (std::int32_t u = begin; u < end; ++u) {
    T sum[W] = {};
    for (std::int64_t a = graph.offset[u]; a < graph.offset[u + 1]; ++a) {
      const std::int32_t v = graph.neighbor[a];
      const std::uint32_t bits = sign_bits(key, shift, u, v) ^ (u < v ? 0u : 0xFFFFFFFFu);
      const T root = static_cast<T>(std::sqrt(graph.weight[a]));
      for (int c = 0; c < W; ++c) sum[c] += (bits >> c) & 1u ? -root : root;
    }
    std::copy_n(sum, W, out + std::int64_t{u} * W);
  }
}

template <class T>
void gaussian_rows(const Adjacency& graph, std::uint64_t key, std::int32_t begin, std::int32_t end,
                   T* out) {
  constexpr int W = kSketchWidth;
  for (std::int32_t u = begin; u < end; ++u) {
    double sum[W] = {};
    for (std::int64_t a = graph.offset[u]; a < graph.offset[u + 1]; ++a) {
      const std::int32_t v = graph.neighbor[a];
      const std::uint64_t low = static_cast<std::uint32_t>(std::min(u, v));
      const std::uint64_t edge_key = mix(key ^ (low << 32 | static_cast<std::uint32_t>(std::max(u, v))));
      const double root = (u < v ? 1 : -1) * (graph.is_weighted() ? std::sqrt(graph.weight[a]) : 1.0);
      for (int c = 0; c < W; c += 2) {  // Box-Muller: two normals from two uniforms
        const double radius = std::sqrt(-2 * std::log(1 - to_unit(random_bits(edge_key, c))));
        const double angle = 2 * std::numbers::pi * to_unit(random_bits(edge_key, c + 1));
        sum[c] += root * radius * std::cos(angle);
        sum[c + 1] += root * radius * std::sin(angle);
      }
    }
    for (int c = 0; c < W; ++c) out[std::int64_t{u} * W + c] = static_cast<T>(sum[c]);
  }
}

// f(u, v, w, e) for every edge whose source lies in the piece of rows.
template <class Body>
inline void for_edges(const Adjacency& graph, int piece, Body&& body) {
  for (std::int32_t u = graph.pieces[piece]; u < graph.pieces[piece + 1]; ++u) {
    std::int64_t e = graph.edge_start[u];
    for (std::int64_t a = graph.upper_begin(u); a < graph.offset[u + 1]; ++a, ++e)
      body(u, graph.neighbor[a], graph.is_weighted() ? graph.weight[a] : 1.0, e);
  }
}

}  // namespace

template <class T>
void sketch_right_side(const Adjacency& graph, SketchKind kind, std::uint64_t seed,
                       std::uint64_t block, T* out) {
  const std::uint64_t key = stream_key(seed, kind == SketchKind::signs ? block / 4 : ~block);
  const int shift = static_cast<int>(block % 4) * kSketchWidth;
  for_each_light_piece(graph.num_pieces(), [&](int c) {
    const std::int32_t begin = graph.pieces[c], end = graph.pieces[c + 1];
    if (kind == SketchKind::gaussian) gaussian_rows<T>(graph, key, begin, end, out);
    else if (graph.is_weighted()) weighted_sign_rows<T>(graph, key, shift, begin, end, out);
    else unit_sign_rows<T>(graph, key, shift, begin, end, out);
  });
}

template void sketch_right_side(const Adjacency&, SketchKind, std::uint64_t, std::uint64_t, float*);
template void sketch_right_side(const Adjacency&, SketchKind, std::uint64_t, std::uint64_t, double*);

namespace {

// R of every edge in turn: write(e, R).
template <class Write>
EstimateSums for_estimates(const Adjacency& graph, const ExactPart& part, double columns,
                           const double* distance, Write&& write) {
  const double square = (1 + part.shift) * (1 + part.shift);
  const double near = (1 + 2 * part.shift) / square, across = 2 / square;
  return ordered_sum<EstimateSums>(graph.num_pieces(), [&](int c) {
    EstimateSums sums;
    for_edges(graph, c, [&](std::int32_t u, std::int32_t v, double w, std::int64_t e) {
      const bool bridge = !part.is_bridge.empty() && part.is_bridge[e];
      const double iu = 1 / graph.degree[u], iv = 1 / graph.degree[v];
      const double exact = bridge               ? 1 / w
                           : part.local.empty() ? near * (iu + iv) - across * w * iu * iv
                                                : part.local[e];
      const double sketched = bridge ? 0 : distance[e] / columns;
      const double resistance = exact + sketched;
      sums.foster += w * resistance;
      sums.share += sketched / resistance;
      write(e, resistance);
    });
    return sums;
  });
}

}  // namespace

EstimateSums measure_estimate(const Adjacency& graph, const ExactPart& exact, double columns,
                              const double* distance) {
  return for_estimates(graph, exact, columns, distance, [](std::int64_t, double) {});
}

EstimateSums finish_estimate(const Adjacency& graph, const ExactPart& exact, double columns,
                             double* distance) {
  return for_estimates(graph, exact, columns, distance,
                       [distance](std::int64_t e, double value) { distance[e] = value; });
}

double two_step_returns(const Adjacency& graph) {
  return ordered_sum<double>(graph.num_pieces(), [&](int c) {
    double sum = 0;
    for_edges(graph, c, [&](std::int32_t u, std::int32_t v, double w, std::int64_t) {
      sum += (w / graph.degree[u]) * (w / graph.degree[v]);
    });
    return 2 * sum;
  });
}

void clip_resistances(const Adjacency& graph, double* resistance) {
  for_each_light_piece(graph.num_pieces(), [&](int c) {
    for_edges(graph, c, [&](std::int32_t u, std::int32_t v, double w, std::int64_t e) {
      // With all other nodes shorted, u and v hang on a third node by d_u - w and d_v - w.
      const double du = graph.degree[u], dv = graph.degree[v];
      const double a = std::max(du - w, 0.0), b = std::max(dv - w, 0.0);
      const double rest = a + b > 0 ? a * (b / (a + b)) : 0.0;
      resistance[e] = std::clamp(resistance[e], 1 / (w + rest), 1 / w);
    });
  });
}

}  // namespace fastgat
