#pragma once

#include <cstring>

namespace fastgat {

// W values side by side, one per column: what one instruction works on. W = 1 is a plain number.
template <class T, int W>
struct LanesOf {
  typedef T type __attribute__((vector_size(sizeof(T) * W)));
};
template <class T>
struct LanesOf<T, 1> {
  using type = T;
};
template <class T, int W>
using Lanes = typename LanesOf<T, W>::type;

template <class T, int W>
inline __attribute__((always_inline)) Lanes<T, W> load(const T* from) {
  Lanes<T, W> lanes;
  std::memcpy(&lanes, from, sizeof lanes);
  return lanes;
}

template <class T, int W>
inline __attribute__((always_inline)) void store(T* to, Lanes<T, W> lanes) {
  std::memcpy(to, &lanes, sizeof lanes);
}

template <class T, int W>
inline __attribute__((always_inline)) T sum_lanes(Lanes<T, W> lanes) {
  if constexpr (W == 1) {
    return lanes;
  } else {
    // Halves are added to each other: the shape the compiler turns into shuffles.
    Lanes<T, W / 2> low, high;
    std::memcpy(&low, &lanes, sizeof low);
    std::memcpy(&high, reinterpret_cast<const char*>(&lanes) + sizeof low, sizeof high);
    return sum_lanes<T, W / 2>(low + high);
  }
}

}  // namespace fastgat
