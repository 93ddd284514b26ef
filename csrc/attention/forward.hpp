#pragma once

#include <cstdint>
#include <limits>

#include "attention/arc_window.hpp"
#include "attention/inputs.hpp"
#include "attention/packing.hpp"
#include "attention/row_sums.hpp"
#include "attention/running_softmax.hpp"
#include "attention/tiles.hpp"

// The one loop over tiles of arcs that computes attention, for all families. A family is a policy:
//
//   kSplitsBySign        whether gradients need sums over the arcs with positive score
//   begin_row(row)       the target
//   prefetch(tile)       what the scores of the arcs ahead will read, beside their values
//   begin_tile(tile)     whatever is computed arc by arc
//   score(tile, v)       the scores of vector v of the tile
namespace fastgat {

// all += coefficient * row and, if arcs are split, positive += part * row over the tile's arcs.
template <class T, int W, int H, int NV, bool Splits>
FASTGAT_INLINE void add_rows(const ArcTile& tile, const T* rows, std::int64_t row_size,
                             const T* coefficient, const T* part, RowSums<T, W, NV>& all,
                             RowSums<T, W, NV>& positive) {
  using R = Lanes<T, W>;
  for_each_block<NV>(all.vectors, [&]<int B>(int n) __attribute__((always_inline)) {
    R sum[B], positive_sum[B];
    all.take(n, sum);
    if (Splits) positive.take(n, positive_sum);
    for (int k = 0; k < tile.count; ++k) {
      const T* row = rows + tile.other[k] * row_size + n * W;
      const R c = repeat<T, H, W>(load<T, H>(coefficient + k * H));
      const R p = Splits ? repeat<T, H, W>(load<T, H>(part + k * H)) : R{};
#pragma GCC unroll 4
      for (int b = 0; b < B; ++b) {
        const R value = load<T, W>(row + b * W);
        sum[b] += c * value;
        if (Splits) positive_sum[b] += p * value;
      }
    }
    all.put(n, sum);
    if (Splits) positive.put(n, positive_sum);
  });
}

// Numbers of scratch memory that one piece of rows needs.
inline std::int64_t forward_scratch(const Shape& shape) { return 4 * std::int64_t{shape.row_size()}; }

// Whether arcs are split is known at compile time (`Splits`) only where that makes room in registers.
template <class T, int W, int H, int NV, bool Splits, class Scores>
FASTGAT_INLINE void forward_rows(const ArcRows& arcs, const AttentionInputs<T>& in,
                                 const AttentionOutputs<T>& out, Scores& scores, std::int32_t begin,
                                 std::int32_t end, T* scratch) {
  using V = Lanes<T, 16>;
  using R = Lanes<T, W>;
  const std::int64_t row_size = NV ? NV * W : in.shape.row_size();
  const int vectors = static_cast<int>(row_size / W);
  RowSums<T, W, NV> all(scratch, vectors), positive(scratch + 2 * row_size, vectors);
  const auto to_row = [](const V& heads) __attribute__((always_inline)) {
    return repeat<T, H, W>(low_heads<T, 16, H>(heads));
  };
  const int heads = in.shape.heads, channels = in.shape.channels;
  const bool splits = Scores::kSplitsBySign && (NV ? Splits : out.positive != nullptr);
  const bool drops = in.dropout.is_active();
  const T none = -std::numeric_limits<T>::infinity();
  ArcWindow<T, H> window(arcs, end, RowIs::kTarget, in.dropout, in.shape.head_offset);
  alignas(64) T coefficient[16 * H], positive_part[16 * H];

  for (std::int32_t row = begin; row < end; ++row) {
    scores.begin_row(row);
    RunningSoftmax<T, H> softmax;
    V positive_sum{}, positive_flushed{};
    all.clear();
    if (splits) positive.clear();

    const std::int64_t count = arcs.count(row);
    for (std::int64_t first = 0; first < count; first += kTileArcs) {
      if (ends_part(first)) {
        const V scale = softmax.flush();
        all.flush(first, to_row(scale));
        if (splits) {
          positive.flush(first, to_row(scale));
          positive_flushed = positive_flushed * scale + positive_sum;
          positive_sum = V{};
        }
      }
      const ArcTile tile = window.tile(row, first, count);
      prefetch_ahead(tile, in.value, row_size);
      scores.prefetch(tile);
      scores.begin_tile(tile);
      const int used = used_vectors<H>(tile);
      V x[H], highest = softmax.top;
      for (int v = 0; v < used; ++v) {
        V score = scores.score(tile, v);
        if (in.weight)
          score = where_less(T{0}, gather_arcs<T, 16, H>(in.weight, tile.id + v * (16 / H)), score,
                             V{} + none);
        x[v] = within<T, H>(tile, v, score, none);
        highest = larger<T, 16>(highest, x[v]);
      }
      if (first == 0) {
        softmax.start(highest);
      } else {
        const V scale = softmax.raise(highest);
        const R by = to_row(scale);
        all.each([&](int, R& sum) __attribute__((always_inline)) { sum *= by; });
        if (splits) {
          positive.each([&](int, R& sum) __attribute__((always_inline)) { sum *= by; });
          positive_sum *= scale;
        }
      }
      for (int v = 0; v < used; ++v) {
        V e = softmax.below_top(x[v]);
        if (in.weight)
          e = within<T, H>(tile, v, e * gather_arcs<T, 16, H>(in.weight, tile.id + v * (16 / H)), T{0});
        softmax.sum += e;
        const V c = drops ? e * window.keep(tile, v) : e;
        store<T, 16>(coefficient + 16 * v, c);
        if (splits) {
          positive_sum += where_less(T{0}, x[v], e, V{});
          store<T, 16>(positive_part + 16 * v, where_less(T{0}, x[v], c, V{}));
        }
      }
      if (splits)
        add_rows<T, W, H, NV, true>(tile, in.value, row_size, coefficient, positive_part, all,
                                    positive);
      else
        add_rows<T, W, H, NV, false>(tile, in.value, row_size, coefficient, positive_part, all,
                                     positive);
    }

    if (count > kArcsPerSum) {
      all.restore(to_row(softmax.since));
      if (splits) positive.restore(to_row(softmax.since));
      positive_sum += positive_flushed * softmax.since;
    }
    const Lanes<T, H> inverse = softmax.inverse_sum();
    const R by = repeat<T, H, W>(inverse);
    all.each([&](int n, R& sum) __attribute__((always_inline)) {
      sum *= by;
      if (splits) store<T, W>(out.sums + row * row_size + n * W, sum);
      if (in.bias) sum += load<T, W>(in.bias + n * W);
      store<T, W>(scratch + n * W, sum);
    });
    unpack_row<T, H>(scratch, heads, channels, out.out + std::int64_t{row} * heads * channels);
    if (!out.top) continue;
    const std::int64_t at = std::int64_t{row} * H;
    store<T, H>(out.top + at, low_heads<T, 16, H>(softmax.top));
    store<T, H>(out.inverse_sum + at, inverse);
    if (!splits) continue;
    positive.each([&](int n, R& sum) __attribute__((always_inline)) {
      store<T, W>(out.positive + row * row_size + n * W, sum * by);
    });
    store<T, H>(out.positive_share + at, fold_sum<T, 16, H>(positive_sum) * inverse);
  }
}

}  // namespace fastgat
