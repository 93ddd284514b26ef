#include "linear/feature_matrix.hpp"

#include <algorithm>

#include "parallel.hpp"

namespace fastgat {

template <class T>
SparseLines<T>::SparseLines(std::int32_t num_lines, std::int64_t num_entries)
    : num_lines(num_lines),
      offset(num_lines + std::size_t{1}),
      index(num_entries + std::size_t{kEntryPadding}),
      value(num_entries + std::size_t{kEntryPadding}) {
  std::fill(index.end() - kEntryPadding, index.end(), 0);
  std::fill(value.end() - kEntryPadding, value.end(), T{0});
}

// Lines are cut where the running count of entries and lines passes equal shares.
template <class T>
void SparseLines<T>::balance() {
  const Chunks chunks(num_entries() + num_lines);
  cuts.assign(1, 0);
  for (int c = 1; c < chunks.pieces; ++c) {
    std::int32_t low = cuts.back(), high = num_lines;
    while (low < high) {
      const std::int32_t middle = low + (high - low) / 2;
      if (offset[middle] + middle < chunks.begin(c)) low = middle + 1;
      else high = middle;
    }
    cuts.push_back(low);
  }
  cuts.push_back(num_lines);
}

template <class T>
SparseLines<T> to_columns(const SparseLines<T>& rows, std::int32_t num_columns) {
  const std::int64_t entries = rows.num_entries();
  SparseLines<T> columns(num_columns, entries);
  Buffer<std::int64_t> cursor(num_columns + std::size_t{1});
  std::fill(cursor.begin(), cursor.end(), 0);
  for (std::int64_t e = 0; e < entries; ++e) ++cursor[rows.index[e]];
  std::int64_t begin = 0;
  for (std::int32_t c = 0; c < num_columns; ++c) {
    const std::int64_t length = cursor[c];
    columns.offset[c] = cursor[c] = begin;
    begin += length;
  }
  columns.offset[num_columns] = begin;
  for (std::int32_t r = 0; r < rows.num_lines; ++r) {
    for (std::int64_t e = rows.offset[r]; e < rows.offset[r + 1]; ++e) {
      const std::int64_t slot = cursor[rows.index[e]]++;
      columns.index[slot] = r;
      columns.value[slot] = rows.value[e];
    }
  }
  columns.balance();
  return columns;
}

template struct SparseLines<float>;
template struct SparseLines<double>;
template SparseLines<float> to_columns(const SparseLines<float>&, std::int32_t);
template SparseLines<double> to_columns(const SparseLines<double>&, std::int32_t);

}  // namespace fastgat
