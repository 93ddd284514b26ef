#include "attention/backward.hpp"
#include "attention/pairwise.hpp"
#include "memory/buffer.hpp"
#include "parallel/chunks.hpp"

namespace fastgat {
namespace {

template <class T, int H>
FASTGAT_KERNEL void target_rows(const Shape& shape, const T* gradient,
                                const AttentionOutputs<const T>& forward,
                                const TargetGradients<T>& prepared, std::int64_t begin,
                                std::int64_t end, T* out) {
  const std::int64_t row_size = shape.row_size(), user_size = shape.heads * shape.channels;
  for (std::int64_t row = begin; row < end; ++row) {
    T* packed = prepared.packed + row * row_size;
    pack_row<T, H>(gradient + row * user_size, shape.heads, shape.channels, row_size, packed);
    pack_row<T, H>(forward.out + row * user_size, shape.heads, shape.channels, row_size, out);
    prepare_target<T, 16, H>(row_size, out, load<T, H>(forward.top + row * H),
                             load<T, H>(forward.inverse_sum + row * H), packed,
                             prepared.record + row * kTargetRecordSize * H,
                             [](int, const Lanes<T, 16>&) __attribute__((always_inline)) {});
  }
}

}  // namespace

template <class T>
void pair_targets(std::int32_t num_targets, const Shape& shape, const T* gradient,
                  const AttentionOutputs<const T>& forward, const TargetGradients<T>& prepared) {
  const Chunks chunks(num_targets, 512);
  const std::int64_t row_size = shape.row_size();
  Buffer<T> out(row_size * chunks.pieces);
  dispatch_full_shape(shape, false, [&]<int H, int NV>() {
    for_each_piece(chunks.pieces, [&](int c) {
      target_rows<T, H>(shape, gradient, forward, prepared, chunks.begin(c), chunks.end(c),
                        out.data() + row_size * c);
    });
  });
}

#define FASTGAT_INSTANTIATE(T)                                                                    \
  template void pair_targets(std::int32_t, const Shape&, const T*, const AttentionOutputs<const T>&, \
                             const TargetGradients<T>&);
FASTGAT_INSTANTIATE(float)
FASTGAT_INSTANTIATE(double)
#undef FASTGAT_INSTANTIATE

}  // namespace fastgat
