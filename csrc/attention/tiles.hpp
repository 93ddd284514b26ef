#pragma once

#include <cstdint>
#include <limits>

#include "attention/arc_rows.hpp"
#include "attention/exponential.hpp"
#include "attention/heads.hpp"
#include "attention/mask.hpp"
#include "attention/packing.hpp"

// What the passes over arcs share. A tile's per-head values stand in H vectors of sixteen lanes: arc
// after arc, heads innermost; vector v begins with arc v * 16 / H.
namespace fastgat {

// The vectors of a tile that hold arcs.
template <int H>
inline __attribute__((always_inline)) int used_vectors(const ArcTile& tile) {
  return (tile.count * H + 15) / 16;
}

// `values` where vector v of the tile holds arcs, `otherwise` in the lanes beyond its last one.
template <class T, int H>
inline __attribute__((always_inline)) Lanes<T, 16> within(const ArcTile& tile, int v,
                                                          Lanes<T, 16> values, T otherwise) {
  if ((v + 1) * 16 <= tile.count * H) return values;
  const auto inside = lane_index<T, 16>() < static_cast<T>(tile.count * H - v * 16);
  return inside ? values : Lanes<T, 16>{} + otherwise;
}

// to[id] += sum over the heads of vector v's arcs.
template <class T, int H>
inline __attribute__((always_inline)) void add_to_arcs(T* to, const ArcTile& tile, int v,
                                                       Lanes<T, 16> values) {
  constexpr int step = 16 / H;
  for (int k = v * step; k < std::min((v + 1) * step, tile.count); ++k) {
    T sum = 0;
    for (int h = 0; h < H; ++h) sum += values[(k - v * step) * H + h];
    to[tile.id[k]] += sum;
  }
}

// to[id] = the heads' values of vector v's arcs.
template <class T, int H>
inline __attribute__((always_inline)) void store_to_arcs(T* to, const ArcTile& tile, int v,
                                                         Lanes<T, 16> values) {
  constexpr int step = 16 / H;
  for (int k = v * step; k < std::min((v + 1) * step, tile.count); ++k)
    for (int h = 0; h < H; ++h)
      to[std::int64_t{tile.id[k]} * H + h] = values[(k - v * step) * H + h];
}

template <class T, int W>
inline __attribute__((always_inline)) Lanes<T, W> leaky(Lanes<T, W> x, T slope) {
  return larger<T, W>(x, x * slope);
}

// Softmax over the arcs of a row, tile by tile: the highest score so far and the sum of exponentials
// below it. Sixteen lanes, the heads repeated; each lane sums its own arcs until the end.
template <class T, int H>
struct RunningSoftmax {
  // Lower than any score, yet finite: its difference to itself is a number.
  static constexpr T kNone = std::numeric_limits<T>::lowest() / 4;
  Lanes<T, 16> top = Lanes<T, 16>{} + kNone;
  Lanes<T, 16> sum{};

  // Takes the tile's highest scores in; returns what has been summed so far must be scaled by.
  inline __attribute__((always_inline)) Lanes<T, 16> raise(Lanes<T, 16> highest) {
    const auto before = top;
    top = repeat<T, H, 16>(fold_max<T, 16, H>(larger<T, 16>(highest, before)));
    const auto scale = exponential<T, 16>(before - top);
    sum *= scale;
    return scale;
  }

  inline __attribute__((always_inline)) Lanes<T, H> inverse_sum() const {
    const Lanes<T, H> total = fold_sum<T, 16, H>(sum);
    return total > 0 ? 1 / total : Lanes<T, H>{};
  }
};

}  // namespace fastgat
