#pragma once

#include <cstdint>

#include "memory/buffer.hpp"

namespace fastgat {

// Tables have rows of this many lanes or a multiple, so that no kernel has a remainder to handle.
inline constexpr int kTableLanes = 16;

inline std::int64_t padded_width(std::int64_t width) {
  return (width + kTableLanes - 1) / kTableLanes * kTableLanes;
}

// Rows of a weight are ordered (head, channel); columns of a table (channel, head), the order of
// the attention kernels. A weight (width, num_columns) becomes a table (num_columns, padded width).
template <class T>
Buffer<T> weight_to_table(const T* weight, std::int64_t num_columns, std::int64_t width,
                          std::int64_t heads);

// The way back.
template <class T>
Buffer<T> table_to_weight(const T* table, std::int64_t num_columns, std::int64_t width,
                          std::int64_t heads);

// Rows of `width` entries, each followed by zeros up to the padded width.
template <class T>
Buffer<T> pad_rows(const T* matrix, std::int64_t num_rows, std::int64_t width);

}  // namespace fastgat
