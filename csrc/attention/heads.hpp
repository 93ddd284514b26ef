#pragma once

#include <cstdint>
#include <utility>

#include "lanes.hpp"

// Moving values between rows of numbers and rows of heads. A packed row holds channel after channel,
// each with all its heads side by side: one coefficient per head then multiplies a whole row by
// repeating itself along the lanes.
namespace fastgat {

// The lanes I... of a and b taken as one vector. Copies through memory would do the same, but the
// compiler leaves them there, and reading back what was written in parts stalls.
template <class T, int N, int... I>
inline __attribute__((always_inline)) Lanes<T, sizeof...(I)> pick(
    Lanes<T, N> a, Lanes<T, N> b, std::integer_sequence<int, I...>) {
  return __builtin_shufflevector(a, b, I...);
}

template <int From, class Sequence>
struct Shifted;
template <int From, int... I>
struct Shifted<From, std::integer_sequence<int, I...>> {
  using type = std::integer_sequence<int, (From + I)...>;
};
template <int From, int Count>
using Range = typename Shifted<From, std::make_integer_sequence<int, Count>>::type;

template <class T, int N>
inline __attribute__((always_inline)) Lanes<T, 2 * N> join(Lanes<T, N> low, Lanes<T, N> high) {
  if constexpr (N == 1) return Lanes<T, 2>{low, high};
  else return pick<T, N>(low, high, Range<0, 2 * N>{});
}

template <class T, int N>
inline __attribute__((always_inline)) Lanes<T, N / 2> low_half(Lanes<T, N> lanes) {
  if constexpr (N == 2) return lanes[0];
  else return pick<T, N>(lanes, lanes, Range<0, N / 2>{});
}

template <class T, int N>
inline __attribute__((always_inline)) Lanes<T, N / 2> high_half(Lanes<T, N> lanes) {
  if constexpr (N == 2) return lanes[1];
  else return pick<T, N>(lanes, lanes, Range<N / 2, N / 2>{});
}

// (a b) -> (a b a b ...): H values side by side until they fill W lanes.
template <class T, int H, int W>
inline __attribute__((always_inline)) Lanes<T, W> repeat(Lanes<T, H> heads) {
  if constexpr (H == W) return heads;
  else if constexpr (H == 1) return Lanes<T, W>{} + heads;
  else return repeat<T, 2 * H, W>(join<T, H>(heads, heads));
}

// (a b c d) -> (a+c b+d): the sum per head of W lanes with H heads innermost.
template <class T, int W, int H>
inline __attribute__((always_inline)) Lanes<T, H> fold_sum(Lanes<T, W> lanes) {
  if constexpr (W == H) return lanes;
  else return fold_sum<T, W / 2, H>(low_half<T, W>(lanes) + high_half<T, W>(lanes));
}

template <class T, int W, int H>
inline __attribute__((always_inline)) Lanes<T, H> fold_max(Lanes<T, W> lanes) {
  if constexpr (W == H) return lanes;
  else {
    const auto low = low_half<T, W>(lanes), high = high_half<T, W>(lanes);
    return fold_max<T, W / 2, H>(low > high ? low : high);
  }
}

// The H values of N / H nodes side by side; `stride` apart in memory.
template <class T, int N, int H>
inline __attribute__((always_inline)) Lanes<T, N> gather_heads(const T* from, std::int64_t stride,
                                                               const std::int32_t* node) {
  if constexpr (N == H) return load<T, H>(from + *node * stride);
  else
    return join<T, N / 2>(gather_heads<T, N / 2, H>(from, stride, node),
                          gather_heads<T, N / 2, H>(from, stride, node + N / 2 / H));
}

// (a0 b0 a1 b1 ...) of the first (Half = 0) or the second half of a and b.
template <class T, int N, int Half>
inline __attribute__((always_inline)) Lanes<T, N> interleave(Lanes<T, N> a, Lanes<T, N> b) {
  return [&]<int... I>(std::integer_sequence<int, I...>) __attribute__((always_inline)) {
    return __builtin_shufflevector(a, b, (Half * N / 2 + I / 2 + (I % 2) * N)...);
  }(std::make_integer_sequence<int, N>{});
}

template <class T, int W>
inline __attribute__((always_inline)) Lanes<T, W> larger(Lanes<T, W> a, Lanes<T, W> b) {
  return a > b ? a : b;
}

// One value per arc, the same for all of its heads, of N / H arcs side by side.
template <class T, int N, int H>
inline __attribute__((always_inline)) Lanes<T, N> gather_arcs(const T* from,
                                                              const std::int32_t* arc) {
  if constexpr (N == H) return Lanes<T, H>{} + from[*arc];
  else
    return join<T, N / 2>(gather_arcs<T, N / 2, H>(from, arc),
                          gather_arcs<T, N / 2, H>(from, arc + N / 2 / H));
}

// (0 1 2 ...), to compare lanes with a count.
template <class T, int W>
inline __attribute__((always_inline)) Lanes<T, W> lane_index() {
  return []<int... I>(std::integer_sequence<int, I...>) __attribute__((always_inline)) {
    return Lanes<T, W>{static_cast<T>(I)...};
  }(std::make_integer_sequence<int, W>{});
}

}  // namespace fastgat
