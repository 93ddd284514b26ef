#pragma once

#include <algorithm>
#include <cstdint>

#include "attention/heads.hpp"

namespace fastgat {

// Eight rows of eight become eight columns: three rounds of interleaving row i with row i + 4.
template <class T>
FASTGAT_INLINE void transpose8(Lanes<T, 8> (&rows)[8]) {
#pragma GCC unroll 3
  for (int round = 0; round < 3; ++round) {
    Lanes<T, 8> next[8];
#pragma GCC unroll 4
    for (int i = 0; i < 4; ++i) {
      next[2 * i] = interleave<T, 8, 0>(rows[i], rows[i + 4]);
      next[2 * i + 1] = interleave<T, 8, 1>(rows[i], rows[i + 4]);
    }
#pragma GCC unroll 8
    for (int i = 0; i < 8; ++i) rows[i] = next[i];
  }
}

// to[h * to_stride + c] = from[c * from_stride + h] for eight heads and eight channels.
template <class T>
FASTGAT_INLINE void transpose_block(const T* from, std::int64_t from_stride, T* to,
                                    std::int64_t to_stride) {
  Lanes<T, 8> rows[8];
#pragma GCC unroll 8
  for (int i = 0; i < 8; ++i) rows[i] = load<T, 8>(from + i * from_stride);
  transpose8<T>(rows);
#pragma GCC unroll 8
  for (int i = 0; i < 8; ++i) store<T, 8>(to + i * to_stride, rows[i]);
}

// A packed row (channel, head) to the user's order (head, channel), without what was padded.
template <class T, int H>
FASTGAT_INLINE void unpack_row(const T* packed, int heads, int channels, T* row) {
  if constexpr (H == 1) {
    std::copy(packed, packed + channels, row);
  } else {
    int c = 0;
    if (H == 8 && heads == 8)
      for (; c + 8 <= channels; c += 8) transpose_block<T>(packed + c * 8, 8, row + c, channels);
    for (; c < channels; ++c)
      for (int h = 0; h < heads; ++h) row[h * channels + c] = packed[c * H + h];
  }
}

// The way back; what is padded becomes zero.
template <class T, int H>
FASTGAT_INLINE void pack_row(const T* row, int heads, int channels, std::int64_t row_size,
                             T* packed) {
  if constexpr (H == 1) {
    std::copy(row, row + channels, packed);
  } else {
    int c = 0;
    if (H == 8 && heads == 8)
      for (; c + 8 <= channels; c += 8) transpose_block<T>(row + c, channels, packed + c * 8, 8);
    for (; c < channels; ++c) {
      for (int h = 0; h < heads; ++h) packed[c * H + h] = row[h * channels + c];
      for (int h = heads; h < H; ++h) packed[c * H + h] = 0;
    }
  }
  std::fill(packed + channels * H, packed + row_size, T{0});
}

// The heads' values of a vector that repeats them.
template <class T, int N, int H>
FASTGAT_INLINE Lanes<T, H> low_heads(Lanes<T, N> lanes) {
  if constexpr (N == H) return lanes;
  else return low_heads<T, N / 2, H>(low_half<T, N>(lanes));
}

}  // namespace fastgat
