#pragma once

#include <cstdint>

#include "simd/lanes.hpp"

namespace fastgat {

// Threefry-4x32 (Salmon, Moraes, Dror, Shaw 2011): four random words for every counter of four
// words, W counters at a time. Only additions, rotations and exclusive ors, so that it runs at full
// speed in vectors on any machine. After nine rounds every bit of a counter has reached every bit of
// the words; twelve leave a margin, and the default of 20 buys one that masks do not need.
inline constexpr int kMaskRounds = 12;

// Node numbers as words of counters.
template <int W>
FASTGAT_INLINE Lanes<std::uint32_t, W> words_of(const std::int32_t* from) {
  return bits_as<Lanes<std::uint32_t, W>>(load<std::int32_t, W>(from));
}

template <int W>
struct RandomWords {
  Lanes<std::uint32_t, W> word[4];
};

template <int W, int Rounds = kMaskRounds>
FASTGAT_INLINE RandomWords<W> threefry(std::uint64_t seed, RandomWords<W> counter) {
  constexpr int rotation[8][2] = {{10, 26}, {11, 21}, {13, 27}, {23, 5},
                                  {6, 20},  {17, 11}, {25, 10}, {18, 20}};
  const std::uint32_t low = static_cast<std::uint32_t>(seed);
  const std::uint32_t high = static_cast<std::uint32_t>(seed >> 32);
  const std::uint32_t key[5] = {low, high, 0, 0, 0x1BD11BDAu ^ low ^ high};
  auto& x = counter.word;
  const auto inject = [&](int times) __attribute__((always_inline)) {
    for (int i = 0; i < 4; ++i) x[i] += key[(times + i) % 5];
    x[3] += static_cast<std::uint32_t>(times);
  };
  const auto stir = [&](int a, int b, int by) __attribute__((always_inline)) {
    x[a] += x[b];
    x[b] = (x[b] << by) | (x[b] >> (32 - by));
    x[b] ^= x[a];
  };
  inject(0);
#pragma GCC unroll 20
  for (int round = 0; round < Rounds; ++round) {
    const auto& by = rotation[round % 8];
    stir(0, round % 2 ? 3 : 1, by[0]);
    stir(2, round % 2 ? 1 : 3, by[1]);
    if (round % 4 == 3) inject(round / 4 + 1);
  }
  return counter;
}

// Threefry-2x32, by the same authors: two random words for every counter of two, at half the price.
// Here eight rounds mix all bits; thirteen of the default 20 are done.
template <int W>
struct RandomPairs {
  Lanes<std::uint32_t, W> word[2];
};

template <int W, int Rounds = 13>
FASTGAT_INLINE RandomPairs<W> threefry2(std::uint64_t seed, RandomPairs<W> counter) {
  constexpr int rotation[8] = {13, 15, 26, 6, 17, 29, 16, 24};
  const std::uint32_t low = static_cast<std::uint32_t>(seed);
  const std::uint32_t high = static_cast<std::uint32_t>(seed >> 32);
  const std::uint32_t key[3] = {low, high, 0x1BD11BDAu ^ low ^ high};
  auto& x = counter.word;
  x[0] += key[0];
  x[1] += key[1];
#pragma GCC unroll 20
  for (int round = 0; round < Rounds; ++round) {
    const int by = rotation[round % 8];
    x[0] += x[1];
    x[1] = (x[1] << by) | (x[1] >> (32 - by));
    x[1] ^= x[0];
    if (round % 4 == 3) {
      const int times = round / 4 + 1;
      x[0] += key[times % 3];
      x[1] += key[(times + 1) % 3] + static_cast<std::uint32_t>(times);
    }
  }
  return counter;
}

}  // namespace fastgat
