#include "spectral/conjugate_gradient.hpp"

#include <algorithm>
#include <cmath>
#include <tuple>
#include <utility>

#include "parallel/chunks.hpp"
#include "parallel/ordered_sums.hpp"
#include "simd/lanes.hpp"
#include "spectral/products.hpp"

namespace fastgat {
namespace {

template <class T>
inline T inverse_degree(const Adjacency& graph, std::int32_t u) {
  return graph.degree[u] > 0 ? static_cast<T>(1 / graph.degree[u]) : T{0};
}

// out[0] = sum of x y, out[1] = sum of x D^-1 x, over rows.
template <class T, int W>
FASTGAT_KERNEL void dot_rows(const Adjacency& graph, std::int32_t begin, std::int32_t end,
                             const T* x, const T* y, T* out) {
  Lanes<T, W> plain{}, weighted{};
  for (std::int32_t u = begin; u < end; ++u) {
    const std::int64_t at = static_cast<std::int64_t>(u) * W;
    const auto here = load<T, W>(x + at);
    plain += here * load<T, W>(y + at);
    weighted += here * here * inverse_degree<T>(graph, u);
  }
  store<T, W>(out, plain);
  store<T, W>(out + W, weighted);
}

// x += alpha p, r -= alpha q; out = sum of r D^-1 r.
template <class T, int W>
FASTGAT_KERNEL void step_rows(const Adjacency& graph, std::int32_t begin, std::int32_t end,
                              const T* alpha, const T* p, const T* q, T* x, T* r, T* out) {
  const auto scale = load<T, W>(alpha);
  Lanes<T, W> total{};
  for (std::int32_t u = begin; u < end; ++u) {
    const std::int64_t at = static_cast<std::int64_t>(u) * W;
    store<T, W>(x + at, load<T, W>(x + at) + scale * load<T, W>(p + at));
    const auto rest = load<T, W>(r + at) - scale * load<T, W>(q + at);
    store<T, W>(r + at, rest);
    total += rest * rest * inverse_degree<T>(graph, u);
  }
  store<T, W>(out, total);
}

// p = z + beta p, where z = D^-1 r if no z is given.
template <class T, int W>
FASTGAT_KERNEL void direction_rows(const Adjacency& graph, std::int32_t begin, std::int32_t end,
                                   const T* beta, const T* r, const T* z, T* p) {
  const auto scale = load<T, W>(beta);
  for (std::int32_t u = begin; u < end; ++u) {
    const std::int64_t at = static_cast<std::int64_t>(u) * W;
    const Lanes<T, W> ahead =
        z ? load<T, W>(z + at) : load<T, W>(r + at) * inverse_degree<T>(graph, u);
    store<T, W>(p + at, ahead + scale * load<T, W>(p + at));
  }
}

// r = b - q
template <class T, int W>
FASTGAT_KERNEL void residual_rows(std::int32_t begin, std::int32_t end, const T* b, const T* q,
                                  T* r) {
  for (std::int64_t i = std::int64_t{begin} * W; i < std::int64_t{end} * W; ++i) r[i] = b[i] - q[i];
}

// One sum per column, in double.
template <int W>
struct ColumnSums {
  double value[W];
};

template <class T, int W>
ColumnSums<W> add_up(const OrderedSums<T>& sums, int kind = 0) {
  ColumnSums<W> total;
  sums.add_up(total.value, std::int64_t{kind} * W, W);
  return total;
}

}  // namespace

template <class T, int W>
SolveResult<W> conjugate_gradient(const Adjacency& graph, const Factor* factor, const T* b, T* x,
                                  const SolveOptions& options, Monitor& monitor) {
  const std::size_t size = static_cast<std::size_t>(graph.num_nodes) * W;
  const int pieces = graph.num_pieces();
  // One allocation for all: the system hands out memory page by page, huge pages if it can.
  Buffer<T> memory(size * (factor ? 5 : 3));
  T *r = memory.data(), *p = r + size, *q = p + size;
  T *z = factor ? q + size : nullptr, *work = factor ? z + size : nullptr;
  OrderedSums<T> sums(pieces, W), pair_sums(pieces, 2 * W);
  const auto for_rows = [&](auto&& body) {
    for_each_light_piece(pieces, [&](int c) { body(c, graph.pieces[c], graph.pieces[c + 1]); });
  };
  // <left, M^-1 left> and <left, D^-1 left>; z = M^-1 left on the way where there is a factor.
  const auto precondition = [&](const T* left, ColumnSums<W>& rho, ColumnSums<W>& norm) {
    if (factor) apply_factor<T, W>(*factor, left, z, work);
    for_rows([&](int c, std::int32_t begin, std::int32_t end) {
      dot_rows<T, W>(graph, begin, end, left, factor ? z : left, pair_sums.piece(c));
    });
    norm = add_up<T, W>(pair_sums, 1);
    rho = factor ? add_up<T, W>(pair_sums) : norm;
  };

  ColumnSums<W> rho, norm;
  precondition(b, rho, norm);
  const ColumnSums<W> scale = options.in_energy ? rho : norm;

  // A start from zero, as usual, saves a product: r = b, and rho and norm are b's.
  if (std::all_of(x, x + size, [](T value) { return value == T{0}; })) {
    std::copy_n(b, size, r);
  } else {
    for_rows([&](int c, std::int32_t begin, std::int32_t end) {
      laplacian_rows<T, W>(graph, begin, end, x, q, sums.piece(c));
      residual_rows<T, W>(begin, end, b, q, r);
    });
    precondition(r, rho, norm);
  }
  std::fill(p, p + size, T{0});

  SolveResult<W> result;
  bool active[W];
  T alpha[W], beta[W] = {};
  double first[W];
  const auto measure = [&](bool start) {
    int remaining = 0;
    double worst = 0;
    for (int c = 0; c < W; ++c) {
      const double square = options.in_energy ? rho.value[c] : norm.value[c];
      const double before = result.residual[c];
      result.residual[c] = scale.value[c] > 0 ? std::sqrt(std::max(square, 0.0) / scale.value[c]) : 0;
      if (start) {
        first[c] = std::max(result.residual[c], 1.0);
        active[c] = true;
      } else if (!active[c]) {
        result.residual[c] = before;
      }
      // A column whose sums are no longer finite and positive has nothing more to gain.
      active[c] = active[c] && rho.value[c] > 0 && std::isfinite(rho.value[c]) &&
                  result.residual[c] > options.tolerance;
      remaining += active[c];
      if (active[c]) worst = std::max(worst, result.residual[c] / first[c]);
    }
    return std::pair(remaining, worst);
  };

  auto [remaining, worst] = measure(true);
  for (std::int32_t iteration = 1; remaining && iteration <= options.max_iterations; ++iteration) {
    for_rows([&](int, std::int32_t begin, std::int32_t end) {
      direction_rows<T, W>(graph, begin, end, beta, r, z, p);
    });
    for_rows([&](int c, std::int32_t begin, std::int32_t end) {
      laplacian_rows<T, W>(graph, begin, end, p, q, sums.piece(c));
    });
    const ColumnSums<W> curvature = add_up<T, W>(sums);
    for (int c = 0; c < W; ++c) {
      active[c] = active[c] && curvature.value[c] > 0;
      alpha[c] = active[c] ? static_cast<T>(rho.value[c] / curvature.value[c]) : T{0};
    }
    for_rows([&](int c, std::int32_t begin, std::int32_t end) {
      step_rows<T, W>(graph, begin, end, alpha, p, q, x, r, sums.piece(c));
    });
    const ColumnSums<W> before = rho;
    if (factor) precondition(r, rho, norm);
    else rho = norm = add_up<T, W>(sums);
    for (int c = 0; c < W; ++c) {
      beta[c] = active[c] ? static_cast<T>(rho.value[c] / before.value[c]) : T{0};
      if (active[c]) result.iterations[c] = iteration;
    }
    std::tie(remaining, worst) = measure(false);
    if (!remaining) break;
    const double done = std::log(worst) / std::log(options.tolerance);
    monitor.tick(std::clamp(done, 0.0, 1.0));
    // Judged every eight iterations from the 16th: before that nothing is settled.
    if (options.stall_limit > 0 && iteration >= 16 && iteration % 8 == 0 &&
        iteration > done * options.stall_limit) {
      result.stalled = true;
      break;
    }
  }
  return result;
}

#define FASTGAT_INSTANTIATE(T, W)                                                              \
  template SolveResult<W> conjugate_gradient<T, W>(const Adjacency&, const Factor*, const T*, \
                                                   T*, const SolveOptions&, Monitor&);
FASTGAT_INSTANTIATE(float, 16)
FASTGAT_INSTANTIATE(double, 16)
FASTGAT_INSTANTIATE(double, 4)
FASTGAT_INSTANTIATE(double, 1)
#undef FASTGAT_INSTANTIATE

}  // namespace fastgat
