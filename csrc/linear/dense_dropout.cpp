#include "linear/dense_dropout.hpp"

#include <algorithm>

#include "lanes.hpp"
#include "parallel.hpp"

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

template <class T>
inline __attribute__((always_inline)) void drop_run(const T* x, std::int64_t run,
                                                    const Dropout& dropout, T scale, T* out) {
  using Words = Lanes<std::uint32_t, W>;
  using Mask = Lanes<typename SignedOf<T>::type, W>;
  const std::uint64_t first = static_cast<std::uint64_t>(run) * W;
  Words low;
  for (int i = 0; i < W; ++i) low[i] = static_cast<std::uint32_t>(i);
  // A run begins at a multiple of 16, so the low words of its counters never overflow.
  low += static_cast<std::uint32_t>(first);
  const RandomWords<W> random =
      threefry<W>(dropout.seed, {{low, Words{} + static_cast<std::uint32_t>(first >> 32), Words{},
                                  Words{} + kDenseMask}});
  for (int k = 0; k < 8; ++k) {
    const Words word = random.word[k % 4];
    const Words bits = k < 4 ? word & 0xFFFFu : word >> 16;
    const Mask keep = __builtin_convertvector(bits < dropout.threshold, Mask);
    const Mask kept = (Mask)(scale * load<T, W>(x + k * W)) & keep;
    store<T, W>(out + k * W, (Lanes<T, W>)kept);
  }
}

template <class T>
FASTGAT_CLONES void drop_runs(const T* x, std::int64_t begin, std::int64_t end, std::int64_t size,
                              const Dropout& dropout, T* out) {
  const T scale = static_cast<T>(dropout.scale());
  for (std::int64_t run = begin; run < end; ++run) {
    const std::int64_t at = run * kRun;
    if (at + kRun <= size) {
      drop_run<T>(x + at, run, dropout, scale, out + at);
    } else {
      T values[kRun] = {}, dropped[kRun];
      std::copy(x + at, x + size, values);
      drop_run<T>(values, run, dropout, scale, dropped);
      std::copy(dropped, dropped + (size - at), out + at);
    }
  }
}

}  // namespace

template <class T>
Buffer<T> dense_dropout(std::span<const T> x, const Dropout& dropout) {
  const std::int64_t size = static_cast<std::int64_t>(x.size());
  Buffer<T> out(x.size());
  const Chunks chunks((size + kRun - 1) / kRun, 4096 / kRun);
  for_each_chunk(chunks.pieces, [&](int c) {
    drop_runs<T>(x.data(), chunks.begin(c), chunks.end(c), size, dropout, out.data());
  });
  return out;
}

template Buffer<float> dense_dropout(std::span<const float>, const Dropout&);
template Buffer<double> dense_dropout(std::span<const double>, const Dropout&);

}  // namespace fastgat
