#pragma once

#include <cstdint>

#include "attention/shape.hpp"

// Every head of a packed row divided by its length: u = r v, r = 1 / max(|v|, 1e-12).
namespace fastgat {

template <class T>
void unit_heads(std::int64_t num_rows, const Shape& shape, const T* value, T* unit, T* inverse);

// The gradient of v from that of u: r (g - u <u, g>).
template <class T>
void unit_heads_gradient(std::int64_t num_rows, const Shape& shape, const T* gradient,
                         const T* unit, const T* inverse, T* out);

}  // namespace fastgat
