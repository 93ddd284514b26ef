#pragma once

#include <cstdint>

#include "linear/feature_matrix.hpp"
#include "threefry.hpp"

namespace fastgat {

// out[i, c heads + h] = <dropout(features)[i], weight[h channels + c]>: num_rows x width.
template <class T>
Buffer<T> project(const FeatureMatrix<T>& features, const T* weight, std::int64_t width,
                  std::int64_t heads, const Dropout& dropout);

// The gradient of the weight from that of `out`, with the same masks: width x num_columns.
template <class T>
Buffer<T> project_weight_gradient(const FeatureMatrix<T>& features, const T* gradient,
                                  std::int64_t width, std::int64_t heads, const Dropout& dropout);

}  // namespace fastgat
