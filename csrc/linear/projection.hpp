#pragma once

#include <cstdint>

#include "linear/sparse_lines.hpp"
#include "memory/buffer.hpp"
#include "random/dropout.hpp"

namespace fastgat {

// out[i, c heads + h] = <dropout(features)[i], weight[h channels + c]>: num_rows x width.
template <class T>
Buffer<T> project(const SparseLines<T>& rows, std::int32_t num_columns, const T* weight,
                  std::int64_t width, std::int64_t heads, const Dropout& dropout);

// The gradient of the weight from that of `out`, with the same masks: width x num_columns.
template <class T>
Buffer<T> project_weight_gradient(const SparseLines<T>& columns, std::int32_t num_rows,
                                  const T* gradient, std::int64_t width, std::int64_t heads,
                                  const Dropout& dropout);

}  // namespace fastgat
