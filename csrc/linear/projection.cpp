#include "linear/projection.hpp"

#include "linear/line_sums.hpp"
#include "linear/table.hpp"
#include "parallel/chunks.hpp"
#include "simd/machine.hpp"

namespace fastgat {
namespace {

template <class T>
FASTGAT_KERNEL void add_range(T* table, std::int32_t num_bands, std::int64_t size,
                              std::int64_t begin, std::int64_t end) {
  for (std::int32_t b = 1; b < num_bands; ++b) {
    const T* band = table + b * size;
    for (std::int64_t i = begin; i < end; ++i) table[i] += band[i];
  }
}

// Adds all bands to the first, always in the same order.
template <class T>
void add_bands(T* table, std::int32_t num_bands, std::int64_t size) {
  if (num_bands == 1) return;
  const Chunks chunks(size, 4096);
  for_each_light_piece(chunks.pieces, [&](int c) {
    add_range(table, num_bands, size, chunks.begin(c), chunks.end(c));
  });
}

}  // namespace

template <class T>
Buffer<T> project(const SparseLines<T>& rows, std::int32_t num_columns, const T* weight,
                  std::int64_t width, std::int64_t heads, const Dropout& dropout) {
  const Buffer<T> table = weight_to_table(weight, num_columns, width, heads);
  Buffer<T> out(rows.num_lines() * width);
  line_sums(rows, true, dropout, table.data(), width, out.data());
  return out;
}

template <class T>
Buffer<T> project_weight_gradient(const SparseLines<T>& columns, std::int32_t num_rows,
                                  const T* gradient, std::int64_t width, std::int64_t heads,
                                  const Dropout& dropout) {
  const std::int64_t padded = padded_width(width);
  const std::int32_t num_columns = columns.lines_per_band;
  Buffer<T> copy;
  if (padded != width) {
    copy = pad_rows(gradient, num_rows, width);
    gradient = copy.data();
  }
  Buffer<T> table(columns.num_lines() * padded);
  line_sums(columns, false, dropout, gradient, padded, table.data());
  add_bands(table.data(), columns.num_bands(), num_columns * padded);
  return table_to_weight(table.data(), num_columns, width, heads);
}

#define FASTGAT_INSTANTIATE(T)                                                                   \
  template Buffer<T> project(const SparseLines<T>&, std::int32_t, const T*, std::int64_t,        \
                             std::int64_t, const Dropout&);                                      \
  template Buffer<T> project_weight_gradient(const SparseLines<T>&, std::int32_t, const T*,      \
                                             std::int64_t, std::int64_t, const Dropout&);
FASTGAT_INSTANTIATE(float)
FASTGAT_INSTANTIATE(double)
#undef FASTGAT_INSTANTIATE

}  // namespace fastgat
