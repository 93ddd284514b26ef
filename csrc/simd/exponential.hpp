#pragma once

#include <cstdint>

#include "simd/lanes.hpp"

namespace fastgat {

// Constants of the exponential for one type: exp(x) = 2^n exp(r), |r| <= ln(2) / 2, with exp(r) by
// its series up to a term below the rounding error.
template <class T>
struct Exponential;

template <>
struct Exponential<float> {
  using Bits = std::int32_t;
  static constexpr float round = 12582912.0f;  // 1.5 * 2^23: adding it rounds to an integer
  static constexpr float ln2_high = 0.693145751953125f, ln2_low = 1.42860682030941723e-6f;
  static constexpr float lowest = -87.0f, highest = 80.0f;
  static constexpr int mantissa_bits = 23, degree = 6;
};

template <>
struct Exponential<double> {
  using Bits = std::int64_t;
  static constexpr double round = 6755399441055744.0;  // 1.5 * 2^52
  static constexpr double ln2_high = 0.693147180369123816490, ln2_low = 1.90821492927058770002e-10;
  static constexpr double lowest = -708.0, highest = 600.0;
  static constexpr int mantissa_bits = 52, degree = 13;
};

// exp(x) for x <= highest; exactly 0 below `lowest`. Larger ones are cut to `highest`, unless the
// caller knows that there are none.
template <class T, int W, bool MayBeLarger = true>
FASTGAT_INLINE Lanes<T, W> exponential(Lanes<T, W> x) {
  using E = Exponential<T>;
  using V = Lanes<T, W>;
  using Bits = Lanes<typename E::Bits, W>;
  const V asked = x;
  x = where_less(x, E::lowest, V{} + E::lowest, x);
  if constexpr (MayBeLarger) x = where_less(E::highest, x, V{} + E::highest, x);
  const V shifted = x * static_cast<T>(1.44269504088896340736) + E::round;
  const V n = shifted - E::round;
  const V r = (x - n * E::ln2_high) - n * E::ln2_low;
  constexpr auto inverse_factorial = [](int k) {
    double product = 1;
    for (int i = 2; i <= k; ++i) product *= i;
    return static_cast<T>(1 / product);
  };
  V series = V{} + inverse_factorial(E::degree);
#pragma GCC unroll 16
  for (int k = E::degree - 1; k >= 0; --k) series = series * r + inverse_factorial(k);
  const Bits power = bits_as<Bits>(series) + (bits_as<Bits>(shifted) << E::mantissa_bits);
  return where_less(asked, E::lowest, V{}, bits_as<V>(power));
}

}  // namespace fastgat
