#pragma once

#include <cmath>
#include <cstdint>

namespace fastgat {

// Dropout with 16 random bits per value: kept if bits < threshold. What is kept is scaled by the
// probability that the threshold really stands for, so that the mean is exact.
struct Dropout {
  std::uint64_t seed = 0;
  std::uint32_t threshold = 65536;

  Dropout() = default;
  Dropout(double probability, std::uint64_t seed)
      : seed(seed), threshold(static_cast<std::uint32_t>(std::lround((1 - probability) * 65536))) {}
  bool is_active() const { return threshold < 65536; }
  double scale() const { return threshold ? 65536.0 / threshold : 0.0; }
};

}  // namespace fastgat
