#include "attention/mask.hpp"

#include <cstring>

#include "attention/heads.hpp"
#include "parallel.hpp"

namespace fastgat {
namespace {

// The words of an arc side by side: its 16-bit numbers then stand in the order of its heads.
template <int N>
struct WordsByArc {
  Lanes<std::uint32_t, 16> word[N];
};

template <int N>
inline __attribute__((always_inline)) WordsByArc<N> words_by_arc(const RandomWords<16>& random) {
  using Word = std::uint32_t;
  if constexpr (N == 1) {
    return {{random.word[0]}};
  } else if constexpr (N == 2) {
    return {{interleave<Word, 16, 0>(random.word[0], random.word[1]),
             interleave<Word, 16, 1>(random.word[0], random.word[1])}};
  } else {
    using Pairs = Lanes<std::uint64_t, 8>;
    Pairs front[2], back[2], quads[4];
    const auto pair = [&](int first, Pairs* pairs) __attribute__((always_inline)) {
      const auto low = interleave<Word, 16, 0>(random.word[first], random.word[first + 1]);
      const auto high = interleave<Word, 16, 1>(random.word[first], random.word[first + 1]);
      std::memcpy(&pairs[0], &low, sizeof low);
      std::memcpy(&pairs[1], &high, sizeof high);
    };
    pair(0, front);
    pair(2, back);
    for (int half = 0; half < 2; ++half) {
      quads[2 * half] = interleave<std::uint64_t, 8, 0>(front[half], back[half]);
      quads[2 * half + 1] = interleave<std::uint64_t, 8, 1>(front[half], back[half]);
    }
    WordsByArc<4> by_arc;
    std::memcpy(&by_arc, quads, sizeof by_arc);
    return by_arc;
  }
}

}  // namespace

template <class T, int H>
FASTGAT_CLONES void draw_keep(const Dropout& dropout, int head_offset, RowIs row_is,
                              const ArcRows& arcs, std::int32_t row, const ArcTile& tile,
                              Keep<T, H>& keep) {
  using Words = Lanes<std::uint32_t, 16>;
  using Halves = Lanes<std::uint16_t, 16>;
  const Words here = Words{} + static_cast<std::uint32_t>(row);
  Words there, id{};
  std::memcpy(&there, tile.other, sizeof there);
  if (arcs.has_repeats) std::memcpy(&id, tile.id, sizeof id);
  const Words target = row_is == RowIs::kTarget ? here : there;
  const Words source = row_is == RowIs::kTarget ? there : here;
  constexpr int blocks = H > 8 ? H / 8 : 1;
  constexpr int words = H >= 8 ? 4 : (H + 1) / 2;
  const Lanes<T, 16> scale = Lanes<T, 16>{} + static_cast<T>(dropout.scale());
  const auto decide = [&](Words bits) __attribute__((always_inline)) {
    const auto kept = bits < dropout.threshold;
    if constexpr (sizeof(T) == 4) return kept ? scale : Lanes<T, 16>{};
    else return __builtin_convertvector(kept, Lanes<std::int64_t, 16>) ? scale : Lanes<T, 16>{};
  };
  for (int block = 0; block < blocks; ++block) {
    const Words head_block = Words{} + static_cast<std::uint32_t>(head_offset / 8 + block);
    const RandomWords<16> random = threefry<16>(dropout.seed, {{target, source, head_block, id}});
    if constexpr (H == 1) {
      keep.factor[0] = decide(random.word[0] & 0xFFFFu);
    } else {
      const WordsByArc<words> by_arc = words_by_arc<words>(random);
      constexpr int vectors = H > 8 ? 8 : H;  // of this block
#pragma GCC unroll 8
      for (int v = 0; v < vectors; ++v) {
        Halves halves;
        std::memcpy(&halves, reinterpret_cast<const char*>(&by_arc) + v * sizeof halves,
                    sizeof halves);
        const Lanes<T, 16> factor = decide(__builtin_convertvector(halves, Words));
        if constexpr (H <= 8) {
          keep.factor[v] = factor;
        } else {
          // A vector holds two arcs' eight heads of this block; a factor one arc's sixteen.
          for (int half = 0; half < 2; ++half)
            for (int h = 0; h < 8; ++h)
              keep.factor[2 * v + half][8 * block + h] = factor[8 * half + h];
        }
      }
    }
  }
}

#define FASTGAT_INSTANTIATE(T, H)                                                          \
  template void draw_keep<T, H>(const Dropout&, int, RowIs, const ArcRows&, std::int32_t, \
                                const ArcTile&, Keep<T, H>&);
#define FASTGAT_INSTANTIATE_ALL(T) \
  FASTGAT_INSTANTIATE(T, 1)        \
  FASTGAT_INSTANTIATE(T, 2)        \
  FASTGAT_INSTANTIATE(T, 4)        \
  FASTGAT_INSTANTIATE(T, 8)        \
  FASTGAT_INSTANTIATE(T, 16)
FASTGAT_INSTANTIATE_ALL(float)
FASTGAT_INSTANTIATE_ALL(double)
#undef FASTGAT_INSTANTIATE_ALL
#undef FASTGAT_INSTANTIATE

}  // namespace fastgat
