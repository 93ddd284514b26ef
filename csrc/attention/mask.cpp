#include "attention/mask.hpp"

#include "simd/lane_moves.hpp"

namespace fastgat {
namespace {

static_assert(kArcsPerDraw == 16, "bits of so many arcs are packed at once");

using Words = Lanes<std::uint32_t, kArcsPerDraw>;
using Numbers = Lanes<std::uint16_t, 2 * kArcsPerDraw>;

// Bit h of every arc's word: whether number h of its eight is below the threshold, for h < 2 * Used.
template <int Used>
FASTGAT_INLINE Words below(const RandomWords<kArcsPerDraw>& random, std::uint32_t threshold) {
  Numbers bits{};
  for (int w = 0; w < Used; ++w) {
    const Numbers numbers = bits_as<Numbers>(random.word[w]);
    const Words pair = Words{} + (1u << (2 * w) | 1u << (2 * w + 1 + 16));
    bits |= where_less(numbers, static_cast<std::uint16_t>(threshold), bits_as<Numbers>(pair),
                       Numbers{});
  }
  const Words words = bits_as<Words>(bits);
  return (words | words >> 16) & 0xFFu;
}

template <int W>
FASTGAT_INLINE std::uint32_t join_bits(Lanes<std::uint32_t, W> words) {
  if constexpr (W == 1) return words;
  else
    return join_bits<W / 2>(low_half<std::uint32_t, W>(words) | high_half<std::uint32_t, W>(words));
}

// The H low bits of sixteen words side by side.
template <int H>
FASTGAT_INLINE void store_bits(Words words, std::uint8_t* to) {
  if constexpr (H == 16) {
    const auto narrow = convert<std::uint16_t, std::uint32_t, kArcsPerDraw>(words);
    std::memcpy(to, &narrow, sizeof narrow);
  } else if constexpr (H == 8) {
    const auto narrow = convert<std::uint8_t, std::uint32_t, kArcsPerDraw>(words);
    std::memcpy(to, &narrow, sizeof narrow);
  } else {
    const Words place = lane_index<std::uint32_t, kArcsPerDraw>() * H;
    words = (words & ((1u << H) - 1)) << (place & 31u);
    if constexpr (H == 4) {
      const std::uint32_t joined[2] = {
          join_bits<kArcsPerDraw / 2>(low_half<std::uint32_t, kArcsPerDraw>(words)),
          join_bits<kArcsPerDraw / 2>(high_half<std::uint32_t, kArcsPerDraw>(words))};
      std::memcpy(to, joined, sizeof joined);
    } else {
      const std::uint32_t joined = join_bits<kArcsPerDraw>(words);
      std::memcpy(to, &joined, 2 * H);
    }
  }
}

template <int H>
FASTGAT_KERNEL void draw_groups(const Dropout& dropout, int head_offset, const std::int32_t* target,
                                const std::int32_t* source, const std::int32_t* occurrence, int count,
                                std::uint8_t* mask) {
  constexpr int used = H >= 8 ? 4 : (H + 1) / 2;
  for (int first = 0; first < count; first += kArcsPerDraw) {
    Words kept{};
    for (int block = 0; block < (H > 8 ? H / 8 : 1); ++block) {
      RandomWords<kArcsPerDraw> counter{};
      counter.word[0] = words_of<kArcsPerDraw>(target + first);
      counter.word[1] = words_of<kArcsPerDraw>(source + first);
      counter.word[2] += static_cast<std::uint32_t>(head_offset / 8 + block);
      if (occurrence) counter.word[3] = words_of<kArcsPerDraw>(occurrence + first);
      const RandomWords<kArcsPerDraw> random = threefry<kArcsPerDraw>(dropout.seed, counter);
      kept |= below<used>(random, dropout.threshold) << (8 * block);
    }
    store_bits<H>(kept, mask + first * H / 8);
  }
}

}  // namespace

template <int H>
void draw_mask(const Dropout& dropout, int head_offset, const std::int32_t* target,
               const std::int32_t* source, const std::int32_t* occurrence, int count, std::uint8_t* mask) {
  draw_groups<H>(dropout, head_offset, target, source, occurrence, count, mask);
}

#define FASTGAT_INSTANTIATE(H)                                                                   \
  template void draw_mask<H>(const Dropout&, int, const std::int32_t*, const std::int32_t*,     \
                             const std::int32_t*, int, std::uint8_t*);
FASTGAT_INSTANTIATE(1)
FASTGAT_INSTANTIATE(2)
FASTGAT_INSTANTIATE(4)
FASTGAT_INSTANTIATE(8)
FASTGAT_INSTANTIATE(16)
#undef FASTGAT_INSTANTIATE

}  // namespace fastgat
