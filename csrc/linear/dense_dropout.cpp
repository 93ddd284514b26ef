#include "linear/dense_dropout.hpp"

#include <algorithm>

#include "parallel/chunks.hpp"
#include "random/threefry.hpp"
#include "simd/exponential.hpp"
#include "simd/lane_moves.hpp"

namespace fastgat {
namespace {

constexpr int W = 16;
constexpr int kRun = 8 * W;  // values decided by W counters

template <class T>
struct SignedOf;
template <>
struct SignedOf<float> {
  using type = std::int32_t;
};
template <>
struct SignedOf<double> {
  using type = std::int64_t;
};

// What is dropped, or kept and scaled: x itself, elu(x), or the gradient times elu's slope at x.
enum class Of { kX, kElu, kEluGradient };

template <class T, Of What>
FASTGAT_INLINE Lanes<T, W> value_of(const T* x, const T* gradient) {
  using V = Lanes<T, W>;
  const V here = load<T, W>(x);
  if constexpr (What == Of::kX) return here;
  // Above zero the exponential is not used: cut off before it can overflow.
  const V power = exponential<T, W>(where_less(T{0}, here, V{}, here));
  if constexpr (What == Of::kElu) return where_less(T{0}, here, here, power - 1);
  else return load<T, W>(gradient) * where_less(T{0}, here, V{} + 1, power);
}

template <class T, Of What>
FASTGAT_INLINE void drop_run(const T* x, const T* gradient, std::int64_t run,
                             const Dropout& dropout, T scale, T* out) {
  using Words = Lanes<std::uint32_t, W>;
  using Signed = typename SignedOf<T>::type;
  const Signed threshold = static_cast<Signed>(dropout.threshold);
  const std::uint64_t first = static_cast<std::uint64_t>(run) * W;
  // A run begins at a multiple of 16, so the low words of its counters never overflow.
  const Words low = lane_index<std::uint32_t, W>() + static_cast<std::uint32_t>(first);
  const RandomWords<W> random =
      threefry<W>(dropout.seed, {{low, Words{} + static_cast<std::uint32_t>(first >> 32), Words{},
                                  Words{} + kDenseMask}});
  for (int k = 0; k < 8; ++k) {
    const Words word = random.word[k % 4];
    const Words bits = k < 4 ? word & 0xFFFFu : word >> 16;
    const auto number = convert<Signed, std::uint32_t, W>(bits);
    const Lanes<T, W> scaled = scale * value_of<T, What>(x + k * W, gradient + k * W);
    store<T, W>(out + k * W, where_less(number, threshold, scaled, Lanes<T, W>{}));
  }
}

template <class T, Of What>
FASTGAT_KERNEL void drop_runs(const T* x, const T* gradient, std::int64_t begin, std::int64_t end,
                              std::int64_t size, const Dropout& dropout, T* out) {
  const T scale = static_cast<T>(dropout.scale());
  for (std::int64_t run = begin; run < end; ++run) {
    const std::int64_t at = run * kRun;
    if (at + kRun <= size) {
      drop_run<T, What>(x + at, gradient + at, run, dropout, scale, out + at);
    } else {
      T values[kRun] = {}, slopes[kRun] = {}, dropped[kRun];
      std::copy(x + at, x + size, values);
      std::copy(gradient + at, gradient + size, slopes);
      drop_run<T, What>(values, slopes, run, dropout, scale, dropped);
      std::copy(dropped, dropped + (size - at), out + at);
    }
  }
}

template <class T, Of What>
Buffer<T> drop(std::span<const T> x, std::span<const T> gradient, const Dropout& dropout) {
  const std::int64_t size = static_cast<std::int64_t>(x.size());
  Buffer<T> out(x.size());
  const Chunks chunks((size + kRun - 1) / kRun, 4096 / kRun);
  for_each_light_piece(chunks.pieces, [&](int c) {
    drop_runs<T, What>(x.data(), gradient.data(), chunks.begin(c), chunks.end(c), size, dropout,
                       out.data());
  });
  return out;
}

}  // namespace

template <class T>
Buffer<T> dense_dropout(std::span<const T> x, const Dropout& dropout) {
  return drop<T, Of::kX>(x, x, dropout);
}

template <class T>
Buffer<T> elu_dropout(std::span<const T> x, const Dropout& dropout) {
  return drop<T, Of::kElu>(x, x, dropout);
}

template <class T>
Buffer<T> elu_dropout_gradient(std::span<const T> x, std::span<const T> gradient,
                               const Dropout& dropout) {
  return drop<T, Of::kEluGradient>(x, gradient, dropout);
}

#define FASTGAT_INSTANTIATE(T)                                          \
  template Buffer<T> dense_dropout(std::span<const T>, const Dropout&); \
  template Buffer<T> elu_dropout(std::span<const T>, const Dropout&);   \
  template Buffer<T> elu_dropout_gradient(std::span<const T>, std::span<const T>, const Dropout&);
FASTGAT_INSTANTIATE(float)
FASTGAT_INSTANTIATE(double)
#undef FASTGAT_INSTANTIATE

}  // namespace fastgat
