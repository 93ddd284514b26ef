#pragma once

#include <cstdint>
#include <limits>

#include "attention/arc_window.hpp"
#include "attention/heads.hpp"
#include "attention/packing.hpp"
#include "exponential.hpp"

// What the passes over arcs share. A tile's per-head values stand in H vectors of sixteen lanes: arc
// after arc, heads innermost; vector v begins with arc v * 16 / H.
namespace fastgat {

// The vectors of a tile that hold arcs.
template <int H>
FASTGAT_INLINE int used_vectors(const ArcTile& tile) {
  return (tile.count * H + 15) / 16;
}

// `values` where vector v of the tile holds arcs, `otherwise` in the lanes beyond its last one.
template <class T, int H>
FASTGAT_INLINE Lanes<T, 16> within(const ArcTile& tile, int v, Lanes<T, 16> values, T otherwise) {
  if ((v + 1) * 16 <= tile.count * H) return values;
  const T arcs = static_cast<T>(tile.count * H - v * 16);
  return where_less(lane_index<T, 16>(), arcs, values, Lanes<T, 16>{} + otherwise);
}

// values times the weights of vector v's arcs. Weight 0 gives 0: the exponential of a score that was
// not in the softmax may be infinite.
template <class T, int H>
FASTGAT_INLINE Lanes<T, 16> weigh(const T* weight, const ArcTile& tile, int v,
                                  Lanes<T, 16> values) {
  const auto factor = gather_arcs<T, 16, H>(weight, tile.id + v * (16 / H));
  return within<T, H>(tile, v, where_less(T{0}, factor, values * factor, Lanes<T, 16>{}), T{0});
}

// to[id] += sum over the heads of vector v's arcs.
template <class T, int H>
FASTGAT_INLINE void add_to_arcs(T* to, const ArcTile& tile, int v, Lanes<T, 16> values) {
  constexpr int step = 16 / H;
  for (int k = v * step; k < std::min((v + 1) * step, tile.count); ++k) {
    T sum = 0;
    for (int h = 0; h < H; ++h) sum += values[(k - v * step) * H + h];
    to[tile.id[k]] += sum;
  }
}

// to[id] = the heads' values of vector v's arcs.
template <class T, int H>
FASTGAT_INLINE void store_to_arcs(T* to, const ArcTile& tile, int v, Lanes<T, 16> values) {
  constexpr int step = 16 / H;
  for (int k = v * step; k < std::min((v + 1) * step, tile.count); ++k)
    for (int h = 0; h < H; ++h)
      to[std::int64_t{tile.id[k]} * H + h] = values[(k - v * step) * H + h];
}

// Asks for the rows at the far ends of the arcs one tile ahead, as far as the window knows them, those
// of the next rows included: a row is often shorter than a tile, and memory takes longer than the work on
// one.
template <class T>
FASTGAT_INLINE void prefetch_ahead(const ArcTile& tile, const T* rows, std::int64_t row_size) {
  for (const std::int32_t node : tile.ahead) {
    const T* far = rows + node * row_size;
    for (std::int64_t at = 0; at < row_size; at += 64 / sizeof(T)) __builtin_prefetch(far + at);
  }
}

template <class T, int W>
FASTGAT_INLINE Lanes<T, W> leaky(Lanes<T, W> x, T slope) {
  return larger<T, W>(x, x * slope);
}

// Softmax over the arcs of a row, tile by tile: the highest score so far and the sum of exponentials
// below it. Sixteen lanes, the heads repeated; each lane sums its own arcs until the end.
template <class T, int H>
struct RunningSoftmax {
  // Lower than any score, yet finite: its difference to itself is a number.
  static constexpr T kNone = std::numeric_limits<T>::lowest() / 4;
  Lanes<T, 16> top = Lanes<T, 16>{} + kNone;
  Lanes<T, 16> sum{}, put_by{};
  Lanes<T, 16> since = Lanes<T, 16>{} + 1;  // what has been put by must still be scaled by

  // The first tile of a row has nothing to scale.
  FASTGAT_INLINE void start(Lanes<T, 16> highest) {
    top = repeat<T, H, 16>(fold_max<T, 16, H>(larger<T, 16>(highest, top)));
  }

  // exp(score - top), at most 1.
  FASTGAT_INLINE Lanes<T, 16> below_top(Lanes<T, 16> score) const {
    return exponential<T, 16, false>(score - top);
  }

  // Takes the tile's highest scores in; returns what has been summed so far must be scaled by.
  FASTGAT_INLINE Lanes<T, 16> raise(Lanes<T, 16> highest) {
    const auto before = top;
    top = repeat<T, H, 16>(fold_max<T, 16, H>(larger<T, 16>(highest, before)));
    const auto scale = below_top(before);
    sum *= scale;
    since *= scale;
    return scale;
  }

  // Puts the sum by, see kArcsPerSum. What else was put by before must be scaled by the result.
  FASTGAT_INLINE Lanes<T, 16> put_sum_by() {
    const auto scale = since;
    put_by = put_by * scale + sum;
    sum = Lanes<T, 16>{};
    since = sum + 1;
    return scale;
  }

  FASTGAT_INLINE Lanes<T, H> inverse_sum() const {
    const Lanes<T, H> total = fold_sum<T, 16, H>(put_by * since + sum);
    return where_less(T{0}, total, 1 / total, Lanes<T, H>{});
  }
};

// A long row is summed in parts of so many arcs: one running sum over the 100,000 arcs of a hub would
// lose two more digits.
inline constexpr std::int64_t kArcsPerSum = 512;

// The sums over a row's arcs, in registers if their number is known. `memory` has room for two rows:
// sums whose number is not known, and what has been put by.
template <class T, int W, int NV>
struct Sums {
  using R = Lanes<T, W>;
  R held[NV ? NV : 1];
  T* memory;
  int vectors;

  explicit Sums(T* memory, int vectors) : memory(memory), vectors(NV ? NV : vectors) {}

  // apply(n, sum) for every vector n of the row.
  template <class Each>
  FASTGAT_INLINE void each(Each&& apply) {
    if constexpr (NV > 0) {
#pragma GCC unroll 4
      for (int n = 0; n < NV; ++n) apply(n, held[n]);
    } else {
      for (int n = 0; n < vectors; ++n) {
        R sum = load<T, W>(memory + n * W);
        apply(n, sum);
        store<T, W>(memory + n * W, sum);
      }
    }
  }

  // Copies of vectors n, n + 1, ... in registers, and the way back.
  template <int B>
  FASTGAT_INLINE void take(int n, R (&block)[B]) const {
#pragma GCC unroll 4
    for (int b = 0; b < B; ++b) {
      if constexpr (NV > 0) block[b] = held[n + b];
      else block[b] = load<T, W>(memory + (n + b) * W);
    }
  }
  template <int B>
  FASTGAT_INLINE void put(int n, const R (&block)[B]) {
#pragma GCC unroll 4
    for (int b = 0; b < B; ++b) {
      if constexpr (NV > 0) held[n + b] = block[b];
      else store<T, W>(memory + (n + b) * W, block[b]);
    }
  }

  FASTGAT_INLINE void clear() {
    each([](int, R& sum) __attribute__((always_inline)) { sum = R{}; });
  }

  // Puts the sums by after `first` arcs, those put by earlier scaled.
  FASTGAT_INLINE void put_by(std::int64_t first, R scale) {
    each([&](int n, R& sum) __attribute__((always_inline)) {
      T* by = memory + (vectors + n) * W;
      store<T, W>(by, first > kArcsPerSum ? load<T, W>(by) * scale + sum : sum);
      sum = R{};
    });
  }

  FASTGAT_INLINE void take_back(R scale) {
    each([&](int n, R& sum) __attribute__((always_inline)) {
      sum += load<T, W>(memory + (vectors + n) * W) * scale;
    });
  }
};

// A row is added up in blocks of so many vectors, which stay in registers from arc to arc; there is
// room for a second sum of the same arcs beside them (of floats: doubles spill over on AVX2).
inline constexpr int kBlock = kVectorBytes >= 64 ? 4 : 2;

// body<B>(n) for the blocks of a row: vectors n, ..., n + B - 1.
template <int NV, class Body>
FASTGAT_INLINE void for_each_block(int vectors, Body&& body) {
  constexpr int block = NV > 0 && NV < kBlock ? NV : kBlock;
  static_assert(NV % block == 0, "a row of known size has no remainder");
  int n = 0;
#pragma GCC unroll 2
  for (; n + block <= vectors; n += block) body.template operator()<block>(n);
  if constexpr (NV == 0)
    for (; n < vectors; ++n) body.template operator()<1>(n);
}

// Whether sums are to be put by before the tile that begins with arc `first`.
inline bool ends_part(std::int64_t first) { return first > 0 && first % kArcsPerSum == 0; }

}  // namespace fastgat
