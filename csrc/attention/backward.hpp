#pragma once

#include <cstdint>

#include "attention/arc_window.hpp"
#include "attention/inputs.hpp"
#include "attention/packing.hpp"
#include "attention/row_sums.hpp"
#include "attention/tiles.hpp"
#include "simd/exponential.hpp"

// The one loop over tiles of arcs that computes gradients, for all families. With g the gradient of
// out, the gradient of the score of the arc i <- j is
//
//   a_ij (m_ij <g_i, value_j> - mean_i)        mean_i = <g_i, out_i without bias>
//
// and that of value_j is the sum over i of m_ij a_ij g_i. Rows are the sources of the arcs, or
// their targets; from those, values have no gradient. A family is a policy:
//
//   kRowIs, kRecordSize       the end that rows stand for; how long the targets' records are
//   begin_row, prefetch, begin_tile      as in forward.hpp
//   score(tile, v)            the scores of vector v of the tile
//   add_gradient(tile, v, d)  takes the gradient d of these scores
//   end_tile(tile)            whatever is computed arc by arc
//   flush(first), restore()   its sums over long rows, see kArcsPerSum
//   end_row(row, sums)        the gradient of value is in `sums`, if rows are sources
namespace fastgat {

// Makes of `packed`, one target's row of g, and of `sums`, its out without bias, what the arcs need of
// it, and returns <g, out without bias>. visit(n, g) sees every vector of g before it is divided.
template <class T, int W, int H, class Visit>
FASTGAT_INLINE Lanes<T, H> prepare_target(std::int64_t row_size, const T* sums, Lanes<T, H> top,
                                          Lanes<T, H> inverse_sum, T* packed, T* record,
                                          Visit&& visit) {
  using R = Lanes<T, W>;
  const int vectors = static_cast<int>(row_size / W);
  R products{};
  for (int n = 0; n < vectors; ++n) {
    const R here = load<T, W>(packed + n * W);
    products += here * load<T, W>(sums + n * W);
    visit(n, here);
  }
  const R by = repeat<T, H, W>(inverse_sum);
  for (int n = 0; n < vectors; ++n) store<T, W>(packed + n * W, by * load<T, W>(packed + n * W));
  store<T, H>(record + kTop * H, top);
  const Lanes<T, H> mean = fold_sum<T, W, H>(products);
  store<T, H>(record + kMean * H, mean * inverse_sum);
  return mean;
}

// Numbers of scratch memory that one piece of rows needs for the sums of values' gradients.
inline std::int64_t backward_scratch(const Shape& shape) { return 2 * std::int64_t{shape.row_size()}; }

template <class T, int W, int H, int NV, class Scores>
FASTGAT_INLINE void backward_rows(const ArcRows& arcs, const AttentionInputs<T>& in,
                                  const TargetGradients<T>& targets, T* weight_gradient,
                                  Scores& scores, std::int32_t begin, std::int32_t end, T* scratch) {
  using V = Lanes<T, 16>;
  using R = Lanes<T, W>;
  constexpr bool from_source = Scores::kRowIs == RowIs::kSource;
  constexpr int record_size = Scores::kRecordSize * H;
  const std::int64_t row_size = NV ? NV * W : in.shape.row_size();
  const int vectors = static_cast<int>(row_size / W);
  const T* own_rows = from_source ? in.value : targets.packed;
  const T* far_rows = from_source ? targets.packed : in.value;
  RowSums<T, W, NV> sums(scratch, vectors);
  const bool drops = in.dropout.is_active();
  ArcWindow<T, H> window(arcs, end, Scores::kRowIs, in.dropout, in.shape.head_offset);
  alignas(64) T coefficient[16 * H], dot[16 * H] = {};

  for (std::int32_t row = begin; row < end; ++row) {
    const T* own = own_rows + row * row_size;
    R held[NV ? NV : 1];
    if constexpr (NV > 0)
      for (int n = 0; n < NV; ++n) held[n] = load<T, W>(own + n * W);
    const auto own_part = [&](int n) __attribute__((always_inline)) {
      if constexpr (NV > 0) return held[n];
      else return load<T, W>(own + n * W);
    };
    scores.begin_row(row);
    if constexpr (from_source) sums.clear();

    const std::int64_t count = arcs.count(row);
    for (std::int64_t first = 0; first < count; first += kTileArcs) {
      if (ends_part(first)) {
        if constexpr (from_source) sums.flush(first, R{} + 1);
        scores.flush(first);
      }
      const ArcTile tile = window.tile(row, first, count);
      prefetch_ahead(tile, far_rows, row_size);
      if constexpr (from_source) prefetch_ahead(tile, targets.record, record_size);
      scores.prefetch(tile);
      scores.begin_tile(tile);
      const int used = used_vectors<H>(tile);
      const auto of_target = [&](TargetRecord what, int v) __attribute__((always_inline)) {
        if constexpr (from_source)
          return gather_heads<T, 16, H>(targets.record + what * H, record_size,
                                        tile.other + v * (16 / H));
        else
          return repeat<T, H, 16>(
              load<T, H>(targets.record + std::int64_t{row} * record_size + what * H));
      };
      V e[H];  // exp(score - top) of the arcs
      for (int v = 0; v < used; ++v) {
        const V below_top = exponential<T, 16>(scores.score(tile, v) - of_target(kTop, v));
        e[v] = within<T, H>(tile, v, below_top, T{0});
        if constexpr (from_source) {
          V c = drops ? e[v] * window.keep(tile, v) : e[v];
          if (in.weight) c = weigh<T, H>(in.weight, tile, v, c);
          store<T, 16>(coefficient + 16 * v, c);
        }
      }
      for (int k = 0; k < tile.count; ++k) {
        const T* far = far_rows + tile.other[k] * row_size;
        R product{};
        if constexpr (from_source) {
          const R c = repeat<T, H, W>(load<T, H>(coefficient + k * H));
          sums.each([&](int n, R& sum) __attribute__((always_inline)) {
            const R there = load<T, W>(far + n * W);
            product += there * own_part(n);
            sum += c * there;
          });
        } else {
          for (int n = 0; n < vectors; ++n) product += load<T, W>(far + n * W) * own_part(n);
        }
        store<T, H>(dot + k * H, fold_sum<T, W, H>(product));
      }
      for (int v = 0; v < used; ++v) {
        V gradient = load<T, 16>(dot + 16 * v);
        if (drops) gradient *= window.keep(tile, v);
        gradient = within<T, H>(tile, v, e[v] * (gradient - of_target(kMean, v)), T{0});
        if (in.weight) {
          if constexpr (from_source) add_to_arcs<T, H>(weight_gradient, tile, v, gradient);
          gradient = weigh<T, H>(in.weight, tile, v, gradient);
        }
        scores.add_gradient(tile, v, gradient);
      }
      scores.end_tile(tile);
    }

    if (count > kArcsPerSum) {
      if constexpr (from_source) sums.restore(R{} + 1);
      scores.restore();
    }
    scores.end_row(row, sums);
  }
}

}  // namespace fastgat
