#pragma once

#include <cstdint>

#include "simd/lane_moves.hpp"

// Moving values between rows of numbers and rows of heads. A packed row holds channel after channel,
// each with all its heads side by side: one coefficient per head then multiplies a whole row by
// repeating itself along the lanes.
namespace fastgat {

// (a b) -> (a b a b ...): H values side by side until they fill W lanes.
template <class T, int H, int W>
FASTGAT_INLINE Lanes<T, W> repeat(Lanes<T, H> heads) {
  if constexpr (H == W) return heads;
  else if constexpr (H == 1) return Lanes<T, W>{} + heads;
  else return repeat<T, 2 * H, W>(join<T, H>(heads, heads));
}

// (a b c d) -> (a+c b+d): the sum per head of W lanes with H heads innermost.
template <class T, int W, int H>
FASTGAT_INLINE Lanes<T, H> fold_sum(Lanes<T, W> lanes) {
  if constexpr (W == H) return lanes;
  else return fold_sum<T, W / 2, H>(low_half<T, W>(lanes) + high_half<T, W>(lanes));
}

template <class T, int W>
FASTGAT_INLINE Lanes<T, W> larger(Lanes<T, W> a, Lanes<T, W> b) {
  return where_less(b, a, a, b);
}

template <class T, int W, int H>
FASTGAT_INLINE Lanes<T, H> fold_max(Lanes<T, W> lanes) {
  if constexpr (W == H) return lanes;
  else
    return fold_max<T, W / 2, H>(
        larger<T, W / 2>(low_half<T, W>(lanes), high_half<T, W>(lanes)));
}

// The H values of N / H nodes side by side; `stride` apart in memory.
template <class T, int N, int H>
FASTGAT_INLINE Lanes<T, N> gather_heads(const T* from, std::int64_t stride,
                                        const std::int32_t* node) {
  if constexpr (N == H) return load<T, H>(from + *node * stride);
  else
    return join<T, N / 2>(gather_heads<T, N / 2, H>(from, stride, node),
                          gather_heads<T, N / 2, H>(from, stride, node + N / 2 / H));
}

// One value per arc, the same for all of its heads, of N / H arcs side by side.
template <class T, int N, int H>
FASTGAT_INLINE Lanes<T, N> gather_arcs(const T* from, const std::int32_t* arc) {
  if constexpr (N == H) return Lanes<T, H>{} + from[*arc];
  else
    return join<T, N / 2>(gather_arcs<T, N / 2, H>(from, arc),
                          gather_arcs<T, N / 2, H>(from, arc + N / 2 / H));
}

}  // namespace fastgat
