#pragma once

#include <utility>

#include "simd/lanes.hpp"

// Taking lanes apart and putting them together.
namespace fastgat {

// The lanes I... of a and b taken as one vector. Copies through memory would do the same, but the
// compiler leaves them there, and reading back what was written in parts stalls.
template <class T, int N, int... I>
FASTGAT_INLINE Lanes<T, sizeof...(I)> pick(Lanes<T, N> a, Lanes<T, N> b,
                                           std::integer_sequence<int, I...>) {
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
FASTGAT_INLINE Lanes<T, 2 * N> join(Lanes<T, N> low, Lanes<T, N> high) {
  if constexpr (N == 1 || kIsHalves<Lanes<T, 2 * N>>) return Lanes<T, 2 * N>{low, high};
  else return pick<T, N>(low, high, Range<0, 2 * N>{});
}

template <class T, int N>
FASTGAT_INLINE Lanes<T, N / 2> low_half(Lanes<T, N> lanes) {
  if constexpr (kIsHalves<Lanes<T, N>>) return lanes.low;
  else if constexpr (N == 2) return lanes[0];
  else return pick<T, N>(lanes, lanes, Range<0, N / 2>{});
}

template <class T, int N>
FASTGAT_INLINE Lanes<T, N / 2> high_half(Lanes<T, N> lanes) {
  if constexpr (kIsHalves<Lanes<T, N>>) return lanes.high;
  else if constexpr (N == 2) return lanes[1];
  else return pick<T, N>(lanes, lanes, Range<N / 2, N / 2>{});
}

// (a0 b0 a1 b1 ...) of the first (Half = 0) or the second half of a and b.
template <class T, int N, int Half>
FASTGAT_INLINE Lanes<T, N> interleave(Lanes<T, N> a, Lanes<T, N> b) {
  if constexpr (kIsHalves<Lanes<T, N>>) {
    const auto x = Half ? a.high : a.low, y = Half ? b.high : b.low;
    return {interleave<T, N / 2, 0>(x, y), interleave<T, N / 2, 1>(x, y)};
  } else {
    return [&]<int... I>(std::integer_sequence<int, I...>) __attribute__((always_inline)) {
      return __builtin_shufflevector(a, b, (Half * N / 2 + I / 2 + (I % 2) * N)...);
    }(std::make_integer_sequence<int, N>{});
  }
}

// (0 1 2 ...), to compare lanes with a count.
template <class T, int W>
FASTGAT_INLINE Lanes<T, W> lane_index() {
  if constexpr (kIsHalves<Lanes<T, W>>) {
    return {lane_index<T, W / 2>(), lane_index<T, W / 2>() + static_cast<T>(W / 2)};
  } else {
    return []<int... I>(std::integer_sequence<int, I...>) __attribute__((always_inline)) {
      return Lanes<T, W>{static_cast<T>(I)...};
    }(std::make_integer_sequence<int, W>{});
  }
}

// Every value as a To.
template <class To, class From, int W>
FASTGAT_INLINE Lanes<To, W> convert(Lanes<From, W> lanes) {
  if constexpr (kIsHalves<Lanes<From, W>> || kIsHalves<Lanes<To, W>>) {
    return join<To, W / 2>(convert<To, From, W / 2>(low_half<From, W>(lanes)),
                           convert<To, From, W / 2>(high_half<From, W>(lanes)));
  } else {
    return __builtin_convertvector(lanes, Lanes<To, W>);
  }
}

template <class T, int W>
FASTGAT_INLINE T sum_lanes(Lanes<T, W> lanes) {
  if constexpr (W == 1) return lanes;
  else return sum_lanes<T, W / 2>(low_half<T, W>(lanes) + high_half<T, W>(lanes));
}

}  // namespace fastgat
