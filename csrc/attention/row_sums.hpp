#pragma once

#include <cstdint>

#include "simd/lanes.hpp"

namespace fastgat {

// A long row is summed in parts of so many arcs: one running sum over the 100,000 arcs of a hub would
// lose two more digits.
inline constexpr std::int64_t kArcsPerSum = 512;

// Whether sums are flushed before the tile that begins with arc `first`.
inline bool ends_part(std::int64_t first) { return first > 0 && first % kArcsPerSum == 0; }

// The sums over a row's arcs, in registers if their number is known. `memory` has room for two rows:
// sums whose number is not known, and what was flushed.
template <class T, int W, int NV>
struct RowSums {
  using R = Lanes<T, W>;
  R held[NV ? NV : 1];
  T* memory;
  int vectors;

  explicit RowSums(T* memory, int vectors) : memory(memory), vectors(NV ? NV : vectors) {}

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

  // Begins a new part after `first` arcs; what was flushed earlier is scaled.
  FASTGAT_INLINE void flush(std::int64_t first, R scale) {
    each([&](int n, R& sum) __attribute__((always_inline)) {
      T* flushed = memory + (vectors + n) * W;
      store<T, W>(flushed, first > kArcsPerSum ? load<T, W>(flushed) * scale + sum : sum);
      sum = R{};
    });
  }

  // Adds what was flushed, scaled.
  FASTGAT_INLINE void restore(R scale) {
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

}  // namespace fastgat
