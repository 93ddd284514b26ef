#pragma once

#include <cstdint>
#include <span>

#include "memory/buffer.hpp"
#include "random/dropout.hpp"

namespace fastgat {

// Tells masks of dense values from other masks drawn with the same seed.
inline constexpr std::uint32_t kDenseMask = 0x64656E73u;  // "dens"

// out[i] = scale * x[i] where value i is kept, else 0. Sixteen counters decide 128 values in a row:
// values 16 k to 16 k + 15 of them by half k / 4 of word k % 4, so that no bits change their lane.
template <class T>
Buffer<T> dense_dropout(std::span<const T> x, const Dropout& dropout);

// out = dropout(elu(x)), with the same masks, and the gradient of x given that of out.
template <class T>
Buffer<T> elu_dropout(std::span<const T> x, const Dropout& dropout);
template <class T>
Buffer<T> elu_dropout_gradient(std::span<const T> x, std::span<const T> gradient,
                               const Dropout& dropout);

}  // namespace fastgat
