#include "attention/head_scores.hpp"

#include "attention/heads.hpp"
#include "parallel/chunks.hpp"

namespace fastgat {
namespace {

template <class T, int W, int H>
FASTGAT_KERNEL void score_rows(std::int64_t row_size, const T* value, const T* att, T* score,
                               std::int64_t begin, std::int64_t end) {
  for (std::int64_t row = begin; row < end; ++row) {
    Lanes<T, W> sum{};
    for (std::int64_t at = 0; at < row_size; at += W)
      sum += load<T, W>(value + row * row_size + at) * load<T, W>(att + at);
    store<T, H>(score + row * H, fold_sum<T, W, H>(sum));
  }
}

}  // namespace

template <class T>
void head_scores(std::int32_t num_rows, const Shape& shape, const T* value, const T* att,
                 T* score) {
  const Chunks chunks(num_rows, 1024);
  dispatch_shape(shape, [&]<int W, int H, int NV>() {
    for_each_piece(chunks.pieces, [&](int c) {
      score_rows<T, W, H>(shape.row_size(), value, att, score, chunks.begin(c), chunks.end(c));
    });
  });
}

template void head_scores<float>(std::int32_t, const Shape&, const float*, const float*, float*);
template void head_scores<double>(std::int32_t, const Shape&, const double*, const double*,
                                  double*);

}  // namespace fastgat
