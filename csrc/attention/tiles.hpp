#pragma once

#include <algorithm>
#include <cstdint>

#include "attention/arc_window.hpp"
#include "attention/heads.hpp"

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

}  // namespace fastgat
