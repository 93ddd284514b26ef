#include "linear/narrow.hpp"

#include <algorithm>

#include "parallel/chunks.hpp"
#include "parallel/ordered_sums.hpp"
#include "simd/lanes.hpp"

namespace fastgat {
namespace {

// So many rows share what is loaded of the weight, or of its gradient.
constexpr int kRows = 8;

// The columns of the weight, W lanes each, zeros beyond its width.
template <class T, int W>
Buffer<T> columns_of(const NarrowShape& shape, const T* weight) {
  Buffer<T> columns(shape.size * W);
  std::fill(columns.begin(), columns.end(), T{0});
  for (std::int64_t c = 0; c < shape.width; ++c)
    for (std::int64_t k = 0; k < shape.size; ++k) columns[k * W + c] = weight[c * shape.size + k];
  return columns;
}

template <class T, int W>
FASTGAT_KERNEL void project_rows(const NarrowShape& shape, const T* x, const T* columns,
                                 std::int64_t begin, std::int64_t end, T* out) {
  for (std::int64_t row = begin; row < end; row += kRows) {
    const int rows = static_cast<int>(std::min<std::int64_t>(kRows, end - row));
    const T* from[kRows];
    for (int r = 0; r < kRows; ++r) from[r] = x + (row + std::min(r, rows - 1)) * shape.size;
    Lanes<T, W> sum[kRows] = {};
    for (std::int64_t k = 0; k < shape.size; ++k) {
      const Lanes<T, W> column = load<T, W>(columns + k * W);
#pragma GCC unroll 8
      for (int r = 0; r < kRows; ++r) sum[r] += from[r][k] * column;
    }
    for (int r = 0; r < rows; ++r) {
      T each[W];
      store<T, W>(each, sum[r]);
      std::copy_n(each, shape.width, out + (row + r) * shape.width);
    }
  }
}

// R rows at once; `partial` gets what they add to the gradient of the weight.
template <class T, int R>
FASTGAT_INLINE void gradient_block(const NarrowShape& shape, const T* gradient, const T* x,
                                   const T* weight, T* x_gradient, T* partial) {
  constexpr int W = kNarrowStep;
  using V = Lanes<T, W>;
  for (std::int64_t k = 0; k < shape.size; k += W) {
    V sum[R] = {}, here[R];
    for (int r = 0; r < R; ++r) here[r] = load<T, W>(x + r * shape.size + k);
    for (std::int64_t c = 0; c < shape.width; ++c) {
      const V weights = load<T, W>(weight + c * shape.size + k);
      V total{};  // of these rows first: a running sum over all of them would lose a digit
#pragma GCC unroll 8
      for (int r = 0; r < R; ++r) {
        const T by = gradient[r * shape.width + c];
        sum[r] += by * weights;
        total += by * here[r];
      }
      T* sum_of_blocks = partial + c * shape.size + k;
      store<T, W>(sum_of_blocks, load<T, W>(sum_of_blocks) + total);
    }
    for (int r = 0; r < R; ++r) store<T, W>(x_gradient + r * shape.size + k, sum[r]);
  }
}

template <class T>
FASTGAT_KERNEL void gradient_rows(const NarrowShape& shape, const T* gradient, const T* x,
                                  const T* weight, std::int64_t begin, std::int64_t end,
                                  T* x_gradient, T* partial) {
  std::int64_t row = begin;
  for (; row + kRows <= end; row += kRows)
    gradient_block<T, kRows>(shape, gradient + row * shape.width, x + row * shape.size, weight,
                             x_gradient + row * shape.size, partial);
  for (; row < end; ++row)
    gradient_block<T, 1>(shape, gradient + row * shape.width, x + row * shape.size, weight,
                         x_gradient + row * shape.size, partial);
}

}  // namespace

template <class T>
Buffer<T> narrow_project(const NarrowShape& shape, const T* x, const T* weight) {
  Buffer<T> out(shape.num_rows * shape.width);
  const Chunks chunks(shape.num_rows, 256);
  const auto with = [&]<int W>() {
    const Buffer<T> columns = columns_of<T, W>(shape, weight);
    for_each_piece(chunks.pieces, [&](int c) {
      project_rows<T, W>(shape, x, columns.data(), chunks.begin(c), chunks.end(c), out.data());
    });
  };
  if (shape.width <= 8) with.template operator()<8>();
  else with.template operator()<16>();
  return out;
}

template <class T>
void narrow_project_gradient(const NarrowShape& shape, const T* gradient, const T* x,
                             const T* weight, T* x_gradient, T* weight_gradient) {
  const Chunks chunks(shape.num_rows, 256);
  OrderedSums<T> sums(chunks.pieces, shape.width * shape.size);
  for_each_piece(chunks.pieces, [&](int c) {
    gradient_rows<T>(shape, gradient, x, weight, chunks.begin(c), chunks.end(c), x_gradient,
                     sums.piece(c));
  });
  sums.add_up(weight_gradient);
}

#define FASTGAT_INSTANTIATE(T)                                                                 \
  template Buffer<T> narrow_project(const NarrowShape&, const T*, const T*);                   \
  template void narrow_project_gradient(const NarrowShape&, const T*, const T*, const T*, T*, T*);
FASTGAT_INSTANTIATE(float)
FASTGAT_INSTANTIATE(double)
#undef FASTGAT_INSTANTIATE

}  // namespace fastgat
