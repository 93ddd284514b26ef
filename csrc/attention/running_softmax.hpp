#pragma once

#include <limits>

#include "attention/heads.hpp"
#include "simd/exponential.hpp"

namespace fastgat {

// Softmax over the arcs of a row, tile by tile: the highest score so far and the sum of exponentials
// below it. Sixteen lanes, the heads repeated; each lane sums its own arcs until the end.
template <class T, int H>
struct RunningSoftmax {
  // Lower than any score, yet finite: its difference to itself is a number.
  static constexpr T kLowest = std::numeric_limits<T>::lowest() / 4;
  Lanes<T, 16> top = Lanes<T, 16>{} + kLowest;
  Lanes<T, 16> sum{}, flushed{};
  Lanes<T, 16> since = Lanes<T, 16>{} + 1;  // what was flushed must still be scaled by this

  // The first tile of a row has nothing to scale.
  FASTGAT_INLINE void start(Lanes<T, 16> highest) {
    top = repeat<T, H, 16>(fold_max<T, 16, H>(larger<T, 16>(highest, top)));
  }

  // exp(score - top), at most 1.
  FASTGAT_INLINE Lanes<T, 16> below_top(Lanes<T, 16> score) const {
    return exponential<T, 16, false>(score - top);
  }

  // Takes the tile's highest scores in; returns what has been summed so far must be scaled by.
  FASTGAT_INLINE Lanes<T, 16> raise(Lanes<T, 16> highest) {
    const auto before = top;
    top = repeat<T, H, 16>(fold_max<T, 16, H>(larger<T, 16>(highest, before)));
    const auto scale = below_top(before);
    sum *= scale;
    since *= scale;
    return scale;
  }

  // Begins a new part of the sum, see kArcsPerSum. What else was flushed before must be scaled by the
  // result.
  FASTGAT_INLINE Lanes<T, 16> flush() {
    const auto scale = since;
    flushed = flushed * scale + sum;
    sum = Lanes<T, 16>{};
    since = sum + 1;
    return scale;
  }

  FASTGAT_INLINE Lanes<T, H> inverse_sum() const {
    const Lanes<T, H> total = fold_sum<T, 16, H>(flushed * since + sum);
    return where_less(T{0}, total, 1 / total, Lanes<T, H>{});
  }
};

}  // namespace fastgat
