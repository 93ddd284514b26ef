#include "linear/kept_entries.hpp"

#include <algorithm>

#include "lanes.hpp"

#if defined(FASTGAT_AVX512)
#include <immintrin.h>
#endif

namespace fastgat {
namespace {

using Words = Lanes<std::uint32_t, kGroup>;

FASTGAT_INLINE Words words_of(const std::int32_t* from) {
  return bits_as<Words>(load<std::int32_t, kGroup>(from));
}

// 16 random bits for each entry (row, column) of a group.
FASTGAT_INLINE Words draw_bits(const Dropout& dropout, const std::int32_t* row,
                               const std::int32_t* column) {
  const RandomPairs<kGroup> counter{{words_of(row), words_of(column)}};
  return threefry2<kGroup>(dropout.seed ^ kFeatureMask, counter).word[0] & 0xFFFFu;
}

#if defined(FASTGAT_AVX512)
// One instruction moves the kept ones of a group together; vector extensions have no word for it.
FASTGAT_INLINE FASTGAT_KERNEL void compress(std::uint32_t bits, const float* from, float* to) {
  const __mmask16 keep = static_cast<__mmask16>(bits);
  _mm512_storeu_ps(to, _mm512_maskz_compress_ps(keep, _mm512_loadu_ps(from)));
}

FASTGAT_INLINE FASTGAT_KERNEL void compress(std::uint32_t bits, const double* from, double* to) {
  const __mmask8 low = static_cast<__mmask8>(bits), high = static_cast<__mmask8>(bits >> 8);
  _mm512_storeu_pd(to, _mm512_maskz_compress_pd(low, _mm512_loadu_pd(from)));
  _mm512_storeu_pd(to + std::popcount(bits & 0xFFu),
                   _mm512_maskz_compress_pd(high, _mm512_loadu_pd(from + 8)));
}

// Puts the kept ones of a group's `size` entries together; returns which they are.
template <class T>
FASTGAT_INLINE FASTGAT_KERNEL std::uint32_t keep_group(Words random, std::uint32_t threshold,
                                                       const EntryTile<T>& tile, int first,
                                                       int size, KeptEntries<T>& kept, int count) {
  const __m512i limit = _mm512_set1_epi32(static_cast<int>(threshold));
  const std::uint32_t real = (2u << (size - 1)) - 1;
  const std::uint32_t bits = _mm512_cmplt_epu32_mask((__m512i)random, limit) & real;
  const __m512i index = _mm512_loadu_si512(tile.index + first);
  _mm512_storeu_si512(kept.index + count,
                      _mm512_maskz_compress_epi32(static_cast<__mmask16>(bits), index));
  if (tile.value) compress(bits, tile.value + first, kept.value + count);
  return bits;
}
#else
template <class T>
FASTGAT_INLINE std::uint32_t keep_group(Words random, std::uint32_t threshold,
                                        const EntryTile<T>& tile, int first, int size,
                                        KeptEntries<T>& kept, int count) {
  std::uint32_t number[kGroup], bits = 0;
  store<std::uint32_t, kGroup>(number, random);
  for (int i = 0; i < size; ++i) {
    const std::uint32_t keeps = number[i] < threshold;
    kept.index[count] = tile.index[first + i];
    if (tile.value) kept.value[count] = tile.value[first + i];
    bits |= keeps << i;
    count += static_cast<int>(keeps);
  }
  return bits;
}
#endif

template <class T>
FASTGAT_KERNEL void keep_groups(const Dropout& dropout, const EntryTile<T>& tile,
                                KeptEntries<T>& kept) {
  int count = 0, group = 0;
  for (int first = 0; first < tile.count; first += kGroup, ++group) {
    const Words random = draw_bits(dropout, tile.row + first, tile.column + first);
    const int size = std::min(kGroup, tile.count - first);
    const std::uint32_t bits =
        keep_group(random, dropout.threshold, tile, first, size, kept, count);
    kept.before[group] = count;
    kept.bits[group] = bits;
    count += std::popcount(bits);
  }
  kept.before[group] = count;
  kept.bits[group] = 0;
}

}  // namespace

template <class T>
void keep_entries(const Dropout& dropout, const EntryTile<T>& tile, KeptEntries<T>& kept) {
  keep_groups<T>(dropout, tile, kept);
}

template void keep_entries(const Dropout&, const EntryTile<float>&, KeptEntries<float>&);
template void keep_entries(const Dropout&, const EntryTile<double>&, KeptEntries<double>&);

}  // namespace fastgat
