#include "attention/unit_heads.hpp"

#include <algorithm>
#include <cmath>

#include "attention/heads.hpp"
#include "parallel/chunks.hpp"

namespace fastgat {
namespace {

template <class T, int H>
FASTGAT_KERNEL void unit_rows(std::int64_t row_size, const T* value, T* unit, T* inverse,
                              std::int64_t begin, std::int64_t end) {
  using V = Lanes<T, 16>;
  for (std::int64_t row = begin; row < end; ++row) {
    const T* from = value + row * row_size;
    V sum{};
    for (std::int64_t at = 0; at < row_size; at += 16) {
      const V here = load<T, 16>(from + at);
      sum += here * here;
    }
    T length[H];
    store<T, H>(length, fold_sum<T, 16, H>(sum));
    for (int h = 0; h < H; ++h)
      inverse[row * H + h] = 1 / std::max(std::sqrt(length[h]), static_cast<T>(1e-12));
    const V by = repeat<T, H, 16>(load<T, H>(inverse + row * H));
    for (std::int64_t at = 0; at < row_size; at += 16)
      store<T, 16>(unit + row * row_size + at, load<T, 16>(from + at) * by);
  }
}

template <class T, int H>
FASTGAT_KERNEL void gradient_rows(std::int64_t row_size, const T* gradient, const T* unit,
                                  const T* inverse, T* out, std::int64_t begin, std::int64_t end) {
  using V = Lanes<T, 16>;
  for (std::int64_t row = begin; row < end; ++row) {
    const T* g = gradient + row * row_size;
    const T* u = unit + row * row_size;
    V sum{};
    for (std::int64_t at = 0; at < row_size; at += 16)
      sum += load<T, 16>(g + at) * load<T, 16>(u + at);
    const V along = repeat<T, H, 16>(fold_sum<T, 16, H>(sum));
    const V by = repeat<T, H, 16>(load<T, H>(inverse + row * H));
    for (std::int64_t at = 0; at < row_size; at += 16)
      store<T, 16>(out + row * row_size + at,
                   by * (load<T, 16>(g + at) - along * load<T, 16>(u + at)));
  }
}

}  // namespace

template <class T>
void unit_heads(std::int64_t num_rows, const Shape& shape, const T* value, T* unit, T* inverse) {
  const Chunks chunks(num_rows, 512);
  dispatch_full_shape(shape, false, [&]<int H, int NV>() {
    for_each_piece(chunks.pieces, [&](int c) {
      unit_rows<T, H>(shape.row_size(), value, unit, inverse, chunks.begin(c), chunks.end(c));
    });
  });
}

template <class T>
void unit_heads_gradient(std::int64_t num_rows, const Shape& shape, const T* gradient,
                         const T* unit, const T* inverse, T* out) {
  const Chunks chunks(num_rows, 512);
  dispatch_full_shape(shape, false, [&]<int H, int NV>() {
    for_each_piece(chunks.pieces, [&](int c) {
      gradient_rows<T, H>(shape.row_size(), gradient, unit, inverse, out, chunks.begin(c),
                          chunks.end(c));
    });
  });
}

#define FASTGAT_INSTANTIATE(T)                                                         \
  template void unit_heads<T>(std::int64_t, const Shape&, const T*, T*, T*);           \
  template void unit_heads_gradient<T>(std::int64_t, const Shape&, const T*, const T*, \
                                       const T*, T*);
FASTGAT_INSTANTIATE(float)
FASTGAT_INSTANTIATE(double)
#undef FASTGAT_INSTANTIATE

}  // namespace fastgat
