#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "buffer.hpp"

namespace fastgat {

// Kernels look at this many entries at once, so the last entries are followed by as many zeros.
inline constexpr int kEntryPadding = 16;

// A sparse matrix in compressed lines: its rows, or its columns, one band of rows after another.
template <class T>
struct SparseLines {
  std::int32_t num_lines = 0;
  std::int32_t num_bands = 1;     // each has the same lines
  Buffer<std::int64_t> offset;     // num_lines + 1
  Buffer<std::int32_t> index;      // place in the line, then padding
  Buffer<T> value;                 // likewise; nothing at all if every value is 1
  std::vector<std::int32_t> cuts;  // boundaries of pieces of lines with about equal work

  SparseLines() = default;
  SparseLines(std::int32_t num_lines, std::int64_t num_entries, bool is_binary);

  std::int64_t num_entries() const { return offset[num_lines]; }
  std::int32_t lines_per_band() const { return num_lines / num_bands; }
  bool is_binary() const { return value.size() == 0; }
  int num_chunks() const { return static_cast<int>(cuts.size()) - 1; }
  void balance();  // makes `cuts` from `offset`
};

// Node features: rows for the projection, columns for the gradient of its weight.
template <class T>
struct FeatureMatrix {
  SparseLines<T> rows;
  SparseLines<T> columns;

  std::int32_t num_rows() const { return rows.num_lines; }
  std::int32_t num_columns() const { return columns.lines_per_band(); }
};

// Entries of a column come in the order of their rows. The rows must be valid. Where columns are
// long they are cut into bands of rows: what a product looks up for a band stays in the cache.
template <class T>
SparseLines<T> to_columns(const SparseLines<T>& rows, std::int32_t num_columns);

}  // namespace fastgat
