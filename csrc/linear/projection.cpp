#include "linear/projection.hpp"

#include "linear/line_sums.hpp"
#include "linear/table.hpp"
#include "parallel.hpp"

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
  for_each_chunk(chunks.pieces, [&](int c) {
    add_range(table, num_bands, size, chunks.begin(c), chunks.end(c));
  });
}

}  // namespace

template <class T>
Buffer<T> project(const FeatureMatrix<T>& features, const T* weight, std::int64_t width,
                  std::int64_t heads, const Dropout& dropout) {
  const Buffer<T> table = weight_to_table(weight, features.num_columns(), width, heads);
  Buffer<T> out(features.num_rows() * width);
  line_sums(features.rows, true, dropout, table.data(), width, out.data());
  return out;
}

template <class T>
Buffer<T> project_weight_gradient(const FeatureMatrix<T>& features, const T* gradient,
                                  std::int64_t width, std::int64_t heads, const Dropout& dropout) {
  const std::int64_t padded = padded_width(width);
  Buffer<T> copy;
  if (padded != width) {
    copy = pad_rows(gradient, features.num_rows(), width);
    gradient = copy.data();
  }
  Buffer<T> table(features.columns.num_lines * padded);
  line_sums(features.columns, false, dropout, gradient, padded, table.data());
  add_bands(table.data(), features.columns.num_bands, features.num_columns() * padded);
  return table_to_weight(table.data(), features.num_columns(), width, heads);
}

#define FASTGAT_INSTANTIATE(T)                                                                   \
  template Buffer<T> project(const FeatureMatrix<T>&, const T*, std::int64_t, std::int64_t,      \
                             const Dropout&);                                                    \
  template Buffer<T> project_weight_gradient(const FeatureMatrix<T>&, const T*, std::int64_t,    \
                                             std::int64_t, const Dropout&);
FASTGAT_INSTANTIATE(float)
FASTGAT_INSTANTIATE(double)
#undef FASTGAT_INSTANTIATE

}  // namespace fastgat
