#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "buffer.hpp"

namespace fastgat {

// Kernels look at this many entries at once, so the last entries are followed by as many zeros.
inline constexpr int kEntryPadding = 16;

// A sparse matrix in compressed lines: its rows, or the columns of the same matrix.
template <class T>
struct SparseLines {
  std::int32_t num_lines = 0;
  Buffer<std::int64_t> offset;     // num_lines + 1
  Buffer<std::int32_t> index;      // place in the line, then padding
  Buffer<T> value;                 // likewise
  std::vector<std::int32_t> cuts;  // boundaries of pieces of lines with about equal work

  SparseLines() = default;
  SparseLines(std::int32_t num_lines, std::int64_t num_entries);

  std::int64_t num_entries() const { return offset[num_lines]; }
  int num_chunks() const { return static_cast<int>(cuts.size()) - 1; }
  void balance();  // makes `cuts` from `offset`
};

// Node features: rows for the projection, columns for the gradient of its weight.
template <class T>
struct FeatureMatrix {
  SparseLines<T> rows;
  SparseLines<T> columns;

  std::int32_t num_rows() const { return rows.num_lines; }
  std::int32_t num_columns() const { return columns.num_lines; }
};

// Entries of a column come in the order of their rows. The rows must be valid.
template <class T>
SparseLines<T> to_columns(const SparseLines<T>& rows, std::int32_t num_columns);

}  // namespace fastgat
