#pragma once

#include <cstdint>

#include "memory/buffer.hpp"

namespace fastgat {

// Products with few columns, as before the last layer: libraries for large matrices spend more time
// on their preparations. Weights have at most this many rows, each of a multiple of kNarrowStep
// entries.
inline constexpr std::int64_t kNarrowWidth = 16;
inline constexpr std::int64_t kNarrowStep = 16;

struct NarrowShape {
  std::int64_t num_rows;
  std::int64_t size;   // entries in a row of x and of the weight
  std::int64_t width;  // rows of the weight
};

// out[i][c] = <x[i], weight[c]>: num_rows x width.
template <class T>
Buffer<T> narrow_project(const NarrowShape& shape, const T* x, const T* weight);

// Given the gradient of out: x_gradient[i] = sum over c of gradient[i][c] weight[c], and
// weight_gradient[c] = sum over i of gradient[i][c] x[i].
template <class T>
void narrow_project_gradient(const NarrowShape& shape, const T* gradient, const T* x,
                             const T* weight, T* x_gradient, T* weight_gradient);

}  // namespace fastgat
