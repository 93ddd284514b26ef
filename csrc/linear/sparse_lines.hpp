#pragma once

#include <cstdint>
#include <span>

#include "parallel/index_range.hpp"

namespace fastgat {

// A sparse matrix in compressed lines: its rows, or its columns, one band of rows after another.
// Indices are not to be trusted: see IndexRange.
template <class T>
struct SparseLines {
  std::span<const std::int64_t> offset;  // num_lines + 1
  const std::int32_t* index;             // place in the line
  const T* value;                        // null: every value is 1
  std::int32_t lines_per_band;           // each band has the same lines
  std::span<const std::int32_t> pieces;  // boundaries of pieces of lines with about equal work
  const IndexRange* index_range;

  std::int32_t num_lines() const { return static_cast<std::int32_t>(offset.size() - 1); }
  std::int32_t num_bands() const { return lines_per_band ? num_lines() / lines_per_band : 1; }
  int num_pieces() const { return static_cast<int>(pieces.size()) - 1; }
};

}  // namespace fastgat
