#include "linear/kept_entries.hpp"

#include <algorithm>

#include "lanes.hpp"
#include "parallel.hpp"

#if defined(__x86_64__) && defined(__gnu_linux__) && defined(__GNUC__) && !defined(__clang__) && \
    !defined(FASTGAT_NO_CLONES)
#define FASTGAT_COMPRESS __attribute__((target("arch=x86-64-v4")))
#include <immintrin.h>
#endif

namespace fastgat {
namespace {

using Words = Lanes<std::uint32_t, kGroup>;

// 16 random bits for each entry (row, column) of a group.
inline __attribute__((always_inline)) Words draw_bits(const Dropout& dropout,
                                                      const std::int32_t* row,
                                                      const std::int32_t* column) {
  const RandomPairs<kGroup> counter{
      {(Words)load<std::int32_t, kGroup>(row), (Words)load<std::int32_t, kGroup>(column)}};
  return threefry2<kGroup>(dropout.seed ^ kFeatureMask, counter).word[0] & 0xFFFFu;
}

template <class T>
FASTGAT_CLONES void keep_entries(const Dropout& dropout, const EntryTile<T>& tile,
                                 KeptEntries<T>& kept) {
  int count = 0, group = 0;
  for (int e = 0; e < tile.count; e += kGroup, ++group) {
    std::uint32_t keep[kGroup], bits = 0;
    store<std::uint32_t, kGroup>(
        keep, (Words)(draw_bits(dropout, tile.row + e, tile.column + e) < dropout.threshold) & 1u);
    kept.before[group] = count;
    const int size = std::min(kGroup, tile.count - e);
    for (int i = 0; i < size; ++i) {
      kept.index[count] = tile.index[e + i];
      if (tile.value) kept.value[count] = tile.value[e + i];
      bits |= keep[i] << i;
      count += static_cast<int>(keep[i]);
    }
    kept.bits[group] = bits;
  }
  kept.before[group] = count;
  kept.bits[group] = 0;
}

#if defined(FASTGAT_COMPRESS)
// One instruction moves the kept ones of a group together; vector extensions have no word for it.
inline __attribute__((always_inline)) FASTGAT_COMPRESS void compress(std::uint32_t bits,
                                                                     const float* from, float* to) {
  const __mmask16 keep = static_cast<__mmask16>(bits);
  _mm512_storeu_ps(to, _mm512_maskz_compress_ps(keep, _mm512_loadu_ps(from)));
}

inline __attribute__((always_inline)) FASTGAT_COMPRESS void compress(std::uint32_t bits,
                                                                     const double* from,
                                                                     double* to) {
  const __mmask8 low = static_cast<__mmask8>(bits), high = static_cast<__mmask8>(bits >> 8);
  _mm512_storeu_pd(to, _mm512_maskz_compress_pd(low, _mm512_loadu_pd(from)));
  _mm512_storeu_pd(to + std::popcount(bits & 0xFFu),
                   _mm512_maskz_compress_pd(high, _mm512_loadu_pd(from + 8)));
}

template <class T>
FASTGAT_COMPRESS void compress_entries(const Dropout& dropout, const EntryTile<T>& tile,
                                       KeptEntries<T>& kept) {
  int count = 0, group = 0;
  const __m512i threshold = _mm512_set1_epi32(static_cast<int>(dropout.threshold));
  for (int e = 0; e < tile.count; e += kGroup, ++group) {
    const Words random = draw_bits(dropout, tile.row + e, tile.column + e);
    const std::uint32_t real = (2u << std::min(kGroup - 1, tile.count - e - 1)) - 1;
    const std::uint32_t bits = _mm512_cmplt_epu32_mask((__m512i)random, threshold) & real;
    kept.before[group] = count;
    kept.bits[group] = bits;
    const __m512i index = _mm512_loadu_si512(tile.index + e);
    _mm512_storeu_si512(kept.index + count,
                        _mm512_maskz_compress_epi32(static_cast<__mmask16>(bits), index));
    if (tile.value) compress(bits, tile.value + e, kept.value + count);
    count += std::popcount(bits);
  }
  kept.before[group] = count;
  kept.bits[group] = 0;
}
#endif

}  // namespace

template <class T>
KeepEntries<T> find_keep_entries() {
#if defined(FASTGAT_COMPRESS)
  if (__builtin_cpu_supports("x86-64-v4")) return compress_entries<T>;
#endif
  return keep_entries<T>;
}

template KeepEntries<float> find_keep_entries<float>();
template KeepEntries<double> find_keep_entries<double>();

}  // namespace fastgat
