#pragma once

#include <cstdint>

namespace fastgat {

// SplitMix64 (Steele, Lea, Flood 2014) read as a counter-based generator: number `counter` of
// stream `key`. Any number can be had in any order, so threads need no state.
inline std::uint64_t mix(std::uint64_t x) {
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9u;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EBu;
  return x ^ (x >> 31);
}

inline constexpr std::uint64_t kGolden = 0x9E3779B97F4A7C15u;

inline std::uint64_t stream_key(std::uint64_t seed, std::uint64_t stream) {
  return mix(mix(seed + kGolden) + (stream + 1) * kGolden);
}

inline std::uint64_t random_bits(std::uint64_t key, std::uint64_t counter) {
  return mix(key + (counter + 1) * kGolden);
}

// Uniform in [0, 1) with 53 random bits.
inline double to_unit(std::uint64_t bits) { return static_cast<double>(bits >> 11) * 0x1p-53; }

}  // namespace fastgat
