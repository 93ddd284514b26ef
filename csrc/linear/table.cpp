#include "linear/table.hpp"

#include <algorithm>

#include "parallel/chunks.hpp"

namespace fastgat {
namespace {

// Squares of this size are turned while they lie in the nearest cache.
constexpr std::int64_t kSquare = 16;

// body(begin, end, first, last) for every square of columns [begin, end) of the weight and columns
// [first, last) of the table.
template <class Body>
void for_each_square(std::int64_t num_columns, std::int64_t width, Body&& body) {
  const Chunks chunks((num_columns + kSquare - 1) / kSquare, 1 + 4096 / (width * kSquare));
  for_each_light_piece(chunks.pieces, [&](int c) {
    const std::int64_t stop = std::min(num_columns, chunks.end(c) * kSquare);
    for (std::int64_t f = chunks.begin(c) * kSquare; f < stop; f += kSquare)
      for (std::int64_t p = 0; p < width; p += kSquare)
        body(f, std::min(f + kSquare, stop), p, std::min(p + kSquare, width));
  });
}

}  // namespace

template <class T>
Buffer<T> weight_to_table(const T* weight, std::int64_t num_columns, std::int64_t width,
                          std::int64_t heads) {
  const std::int64_t padded = padded_width(width), channels = width / heads;
  Buffer<T> table(num_columns * padded);
  for_each_square(num_columns, padded, [&](std::int64_t begin, std::int64_t end,
                                           std::int64_t first, std::int64_t last) {
    for (std::int64_t p = first; p < last; ++p) {
      const bool is_padding = p >= width;
      const T* from = weight + (is_padding ? 0 : (p % heads * channels + p / heads) * num_columns);
      for (std::int64_t f = begin; f < end; ++f) table[f * padded + p] = is_padding ? 0 : from[f];
    }
  });
  return table;
}

template <class T>
Buffer<T> table_to_weight(const T* table, std::int64_t num_columns, std::int64_t width,
                          std::int64_t heads) {
  const std::int64_t padded = padded_width(width), channels = width / heads;
  Buffer<T> weight(num_columns * width);
  for_each_square(num_columns, width, [&](std::int64_t begin, std::int64_t end,
                                          std::int64_t first, std::int64_t last) {
    for (std::int64_t p = first; p < last; ++p) {
      T* to = weight.data() + (p % heads * channels + p / heads) * num_columns;
      for (std::int64_t f = begin; f < end; ++f) to[f] = table[f * padded + p];
    }
  });
  return weight;
}

template <class T>
Buffer<T> pad_rows(const T* matrix, std::int64_t num_rows, std::int64_t width) {
  const std::int64_t padded = padded_width(width);
  Buffer<T> table(num_rows * padded);
  const Chunks chunks(num_rows, 1 + 4096 / padded);
  for_each_light_piece(chunks.pieces, [&](int c) {
    for (std::int64_t r = chunks.begin(c); r < chunks.end(c); ++r) {
      T* to = std::copy_n(matrix + r * width, width, table.data() + r * padded);
      std::fill_n(to, padded - width, T{0});
    }
  });
  return table;
}

#define FASTGAT_INSTANTIATE(T)                                                                   \
  template Buffer<T> weight_to_table(const T*, std::int64_t, std::int64_t, std::int64_t);        \
  template Buffer<T> table_to_weight(const T*, std::int64_t, std::int64_t, std::int64_t);        \
  template Buffer<T> pad_rows(const T*, std::int64_t, std::int64_t);
FASTGAT_INSTANTIATE(float)
FASTGAT_INSTANTIATE(double)
#undef FASTGAT_INSTANTIATE

}  // namespace fastgat
