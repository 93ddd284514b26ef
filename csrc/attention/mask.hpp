#pragma once

#include <bit>
#include <cstdint>
#include <cstring>

#include "random/dropout.hpp"
#include "random/threefry.hpp"
#include "simd/lane_moves.hpp"

// Dropout of coefficients. Head h of the arc i <- j is decided by the 16 bits number h % 8 of the
// counter (i, j, h / 8, k), whichever end the arc is seen from: of its word h % 8 / 2 the low half if h
// is even, else the high one. k tells repeats of an arc apart: as many as come before it. Masks are
// kept as one bit per head, arc after arc, heads innermost.
namespace fastgat {

static_assert(std::endian::native == std::endian::little, "masks are read and written as words");

// Random words come for so many arcs at a time.
inline constexpr int kArcsPerDraw = 16;

// The masks of `count` arcs, where dropout is active; what is read and written goes on to a multiple of
// kArcsPerDraw. `occurrence` is k; null stands for zeros.
template <int H>
void draw_mask(const Dropout& dropout, int head_offset, const std::int32_t* target,
               const std::int32_t* source, const std::int32_t* occurrence, int count,
               std::uint8_t* mask);

// Reading sixteen bits takes a whole word, so a mask must have so many bytes more.
inline constexpr int kMaskOverrun = sizeof(std::uint32_t);

// What sixteen values are multiplied by, the scale or 0, by the sixteen bits from number `bit` on.
// Bits begin at multiples of H: with eight heads or more, at whole bytes.
template <class T, int H>
FASTGAT_INLINE Lanes<T, 16> keep_factor(const std::uint8_t* mask, int bit, T scale) {
  using Bits = Lanes<std::int32_t, 16>;
  std::uint32_t bits;
  std::memcpy(&bits, mask + bit / 8, sizeof bits);
  if constexpr (H < 8) bits >>= bit % 8;
  const Bits bit_of_lane = (Bits{} + 1) << lane_index<std::int32_t, 16>();
  const Bits own = (Bits{} + static_cast<std::int32_t>(bits)) & bit_of_lane;
  const Lanes<T, 16> all = Lanes<T, 16>{} + scale;
  if constexpr (sizeof(T) == 4) return where_less(std::int32_t{0}, own, all, Lanes<T, 16>{});
  else
    return where_less(std::int64_t{0}, convert<std::int64_t, std::int32_t, 16>(own), all,
                      Lanes<T, 16>{});
}

}  // namespace fastgat
