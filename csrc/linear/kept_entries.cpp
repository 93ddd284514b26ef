#include "linear/kept_entries.hpp"

#include <algorithm>

#include "random/threefry.hpp"
#include "simd/lanes.hpp"

#if defined(FASTGAT_AVX512)
#include <immintrin.h>
#endif

namespace fastgat {
namespace {

using Words = Lanes<std::uint32_t, kGroup>;

// Copies that stay in range, and what they were copied from.
struct CheckedIndices {
  std::uint32_t last;  // that there is
  Words largest{};

  // Indices beyond the last one become the last one.
  FASTGAT_INLINE Words check(Words index) {
    largest = where_less(largest, index, index, largest);
    return where_less(index, last, index, Words{} + last);
  }
  FASTGAT_INLINE void report_to(const IndexRange& range) const {
    std::uint32_t each[kGroup];
    store<std::uint32_t, kGroup>(each, largest);
    for (const std::uint32_t index : each)
      if (index > last) range.report(static_cast<std::int32_t>(index));
  }
};

// A group of which there are `count` entries; what follows them is not read, and becomes 0.
FASTGAT_INLINE Words load_group(const std::int32_t* index, int count) {
  if (count >= kGroup) return words_of<kGroup>(index);
  std::int32_t rest[kGroup] = {};
  std::copy_n(index, count, rest);
  return words_of<kGroup>(rest);
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
                                                       Words index, const T* value, int size,
                                                       KeptEntries<T>& kept, int count) {
  const __m512i limit = _mm512_set1_epi32(static_cast<int>(threshold));
  const std::uint32_t real = (2u << (size - 1)) - 1;
  const std::uint32_t bits = _mm512_cmplt_epu32_mask((__m512i)random, limit) & real;
  _mm512_storeu_si512(kept.index + count, _mm512_maskz_compress_epi32(
                                              static_cast<__mmask16>(bits), (__m512i)index));
  if (value && size == kGroup) {
    compress(bits, value, kept.value + count);
  } else if (value) {
    T rest[kGroup] = {};
    std::copy_n(value, size, rest);
    compress(bits, rest, kept.value + count);
  }
  return bits;
}
#else
template <class T>
FASTGAT_INLINE std::uint32_t keep_group(Words random, std::uint32_t threshold, Words index,
                                        const T* value, int size, KeptEntries<T>& kept, int count) {
  std::uint32_t number[kGroup], place[kGroup], bits = 0;
  store<std::uint32_t, kGroup>(number, random);
  store<std::uint32_t, kGroup>(place, index);
  for (int i = 0; i < size; ++i) {
    const std::uint32_t keeps = number[i] < threshold;
    kept.index[count] = static_cast<std::int32_t>(place[i]);
    if (value) kept.value[count] = value[i];
    bits |= keeps << i;
    count += static_cast<int>(keeps);
  }
  return bits;
}
#endif

template <class T>
FASTGAT_KERNEL void keep_groups(const Dropout& dropout, const EntryTile<T>& tile,
                                const IndexRange& range, KeptEntries<T>& kept) {
  int count = 0, group = 0;
  CheckedIndices indices{range.size() - 1};
  for (int first = 0; first < tile.count; first += kGroup) {
    const Words index = indices.check(load_group(tile.index + first, tile.count - first));
    const Words line = words_of<kGroup>(tile.line + first);
    const RandomPairs<kGroup> counter{
        {tile.lines_are_rows ? line : index, tile.lines_are_rows ? index : line}};
    // 16 random bits for each entry (row, column)
    const Words random = threefry2<kGroup>(dropout.seed ^ kFeatureMask, counter).word[0] & 0xFFFFu;
    const std::uint32_t bits =
        keep_group<T>(random, dropout.threshold, index, tile.value ? tile.value + first : nullptr,
                      std::min(kGroup, tile.count - first), kept, count);
    kept.before[group] = count;
    kept.bits[group++] = bits;
    count += std::popcount(bits);
  }
  kept.before[group] = count;
  kept.bits[group] = 0;
  indices.report_to(range);
}

FASTGAT_KERNEL void copy_groups(const std::int32_t* index, int count, const IndexRange& range,
                                std::int32_t* copy) {
  CheckedIndices indices{range.size() - 1};
  for (int first = 0; first < count; first += kGroup) {
    const Words group = indices.check(load_group(index + first, count - first));
    store<std::int32_t, kGroup>(copy + first, bits_as<Lanes<std::int32_t, kGroup>>(group));
  }
  indices.report_to(range);
}

}  // namespace

template <class T>
void keep_entries(const Dropout& dropout, const EntryTile<T>& tile, const IndexRange& range,
                  KeptEntries<T>& kept) {
  keep_groups<T>(dropout, tile, range, kept);
}

void copy_indices(const std::int32_t* index, int count, const IndexRange& range,
                  std::int32_t (&copy)[kTile + kGroup]) {
  copy_groups(index, count, range, copy);
}

template void keep_entries(const Dropout&, const EntryTile<float>&, const IndexRange&,
                           KeptEntries<float>&);
template void keep_entries(const Dropout&, const EntryTile<double>&, const IndexRange&,
                           KeptEntries<double>&);

}  // namespace fastgat
