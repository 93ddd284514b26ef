#include "attention/additive.hpp"

#include "attention/backward.hpp"
#include "attention/forward.hpp"
#include "memory/buffer.hpp"
#include "parallel/chunks.hpp"
#include "parallel/ordered_sums.hpp"

namespace fastgat {
namespace {

template <class T, int H>
struct ForwardScores {
  using V = Lanes<T, 16>;
  static constexpr bool kSplitsBySign = true;
  const AdditiveInputs<T>& in;
  V of_target{};

  FASTGAT_INLINE void begin_row(std::int32_t row) {
    of_target = repeat<T, H, 16>(load<T, H>(in.target_score + std::int64_t{row} * H));
  }
  FASTGAT_INLINE void prefetch(const ArcTile& tile) const {
    prefetch_ahead(tile, in.source_score, H);
  }
  FASTGAT_INLINE void begin_tile(const ArcTile&) const {}
  FASTGAT_INLINE V score(const ArcTile& tile, int v) const {
    constexpr int step = 16 / H;
    V sum = of_target + gather_heads<T, 16, H>(in.source_score, H, tile.other + v * step);
    if (in.term) sum += gather_heads<T, 16, H>(in.term, H, tile.id + v * step);
    return leaky<T, 16>(sum, in.slope);
  }
};

// From the sources. The gradients of the scores add up to that of the source's half of them, which goes
// on to value and att_source.
template <class T, int W, int H>
struct BackwardScores {
  using V = Lanes<T, 16>;
  using R = Lanes<T, W>;
  static constexpr RowIs kRowIs = RowIs::kSource;
  static constexpr int kRecordSize = kAdditiveRecordSize;
  const AdditiveInputs<T>& in;
  const AdditiveGradients<T>& out;
  std::int64_t row_size;
  T* att_partial;  // what this piece of rows adds to the gradients of att_source and att_target
  V of_source{}, gradient{}, flushed{};  // gradient: of the source's half
  V x[H];  // of the tile, before leaky

  FASTGAT_INLINE void begin_row(std::int32_t row) {
    of_source = repeat<T, H, 16>(load<T, H>(in.source_score + std::int64_t{row} * H));
    gradient = flushed = V{};
  }
  FASTGAT_INLINE void prefetch(const ArcTile&) const {}
  FASTGAT_INLINE void begin_tile(const ArcTile&) const {}
  FASTGAT_INLINE V score(const ArcTile& tile, int v) {
    constexpr int step = 16 / H;
    x[v] = of_source + gather_heads<T, 16, H>(out.targets.record + kTargetScore * H,
                                              kRecordSize * H, tile.other + v * step);
    if (in.term) x[v] += gather_heads<T, 16, H>(in.term, H, tile.id + v * step);
    return leaky<T, 16>(x[v], in.slope);
  }
  FASTGAT_INLINE void add_gradient(const ArcTile& tile, int v, V of_score) {
    const V of_x = where_less(T{0}, x[v], of_score, of_score * in.slope);
    if (out.term) store_to_arcs<T, H>(out.term, tile, v, of_x);
    gradient += of_x;
  }
  FASTGAT_INLINE void end_tile(const ArcTile&) const {}
  FASTGAT_INLINE void flush(std::int64_t) {
    flushed += gradient;
    gradient = V{};
  }
  FASTGAT_INLINE void restore() { gradient += flushed; }

  template <int NV>
  FASTGAT_INLINE void end_row(std::int32_t row, RowSums<T, W, NV>& sums) const {
    const T* value = in.value + row * row_size;
    const R from_source = repeat<T, H, W>(fold_sum<T, 16, H>(gradient));
    R from_target{};
    if (out.att_target)
      from_target = repeat<T, H, W>(load<T, H>(out.target_gradient + std::int64_t{row} * H));
    sums.each([&](int n, R& sum) __attribute__((always_inline)) {
      const R here = load<T, W>(value + n * W);
      R total = sum + from_source * load<T, W>(out.att_source + n * W);
      T* partial = att_partial + n * W;
      store<T, W>(partial, load<T, W>(partial) + from_source * here);
      if (out.att_target) {
        total += from_target * load<T, W>(out.att_target + n * W);
        store<T, W>(partial + row_size, load<T, W>(partial + row_size) + from_target * here);
      }
      store<T, W>(out.value + row * row_size + n * W, total);
    });
  }
};

template <class T, int W, int H, int NV, bool Splits>
FASTGAT_KERNEL void forward_piece(const ArcRows& arcs, const AdditiveInputs<T>& in,
                                  const AttentionOutputs<T>& out, std::int32_t begin,
                                  std::int32_t end, T* scratch) {
  ForwardScores<T, H> scores{in};
  forward_rows<T, W, H, NV, Splits>(arcs, in, out, scores, begin, end, scratch);
}

template <class T, int W, int H, int NV>
FASTGAT_KERNEL void backward_piece(const ArcRows& arcs, const AdditiveInputs<T>& in,
                                   const AdditiveGradients<T>& out, std::int32_t begin,
                                   std::int32_t end, T* scratch, T* att_partial) {
  const std::int64_t row_size = NV ? NV * W : in.shape.row_size();
  BackwardScores<T, W, H> scores{in, out, row_size, att_partial};
  backward_rows<T, W, H, NV>(arcs, in, out.targets, out.weight, scores, begin, end, scratch);
}

template <class T, int W, int H>
FASTGAT_KERNEL void target_rows(const Shape& shape, T slope, const AdditiveTargets<T>& targets,
                                std::int64_t begin, std::int64_t end, T* bias_partial) {
  using R = Lanes<T, W>;
  const std::int64_t row_size = shape.row_size(), user_size = shape.heads * shape.channels;
  const AttentionOutputs<const T>& forward = targets.forward;
  for (std::int64_t row = begin; row < end; ++row) {
    const std::int64_t at = row * H;
    T* packed = targets.prepared.packed + row * row_size;
    T* record = targets.prepared.record + at * kAdditiveRecordSize;
    pack_row<T, H>(targets.gradient + row * user_size, shape.heads, shape.channels, row_size,
                   packed);
    const T *sums = forward.sums + row * row_size, *positive = forward.positive + row * row_size;
    R with_positive{};
    const Lanes<T, H> mean = prepare_target<T, W, H>(
        row_size, sums, load<T, H>(forward.top + at), load<T, H>(forward.inverse_sum + at), packed,
        record, [&](int n, R here) __attribute__((always_inline)) {
          store<T, W>(bias_partial + n * W, load<T, W>(bias_partial + n * W) + here);
          with_positive += here * load<T, W>(positive + n * W);
        });
    store<T, H>(record + kTargetScore * H, load<T, H>(targets.target_score + at));
    store<T, H>(targets.target_gradient + at,
                (1 - slope) * (fold_sum<T, W, H>(with_positive) -
                               mean * load<T, H>(forward.positive_share + at)));
  }
}

}  // namespace

template <class T>
void additive_forward(const ArcRows& by_target, const AdditiveInputs<T>& in,
                      const AttentionOutputs<T>& out) {
  const std::int64_t size = forward_scratch(in.shape);
  Buffer<T> scratch(size * by_target.num_pieces());
  dispatch_shape(in.shape, [&]<int W, int H, int NV>() {
    // Rows of unknown size find out for themselves whether arcs are split: one kernel serves both.
    const auto piece =
        NV && !out.top ? forward_piece<T, W, H, NV, NV == 0> : forward_piece<T, W, H, NV, true>;
    for_each_piece(by_target.num_pieces(), [&](int c) {
      piece(by_target, in, out, by_target.pieces[c], by_target.pieces[c + 1],
            scratch.data() + size * c);
    });
  });
}

template <class T>
void additive_targets(std::int32_t num_targets, const Shape& shape, T slope,
                      const AdditiveTargets<T>& targets) {
  const Chunks chunks(num_targets, 512);
  OrderedSums<T> bias(chunks.pieces, shape.row_size());
  dispatch_shape(shape, [&]<int W, int H, int NV>() {
    for_each_piece(chunks.pieces, [&](int c) {
      target_rows<T, W, H>(shape, slope, targets, chunks.begin(c), chunks.end(c), bias.piece(c));
    });
  });
  bias.add_up(targets.bias_gradient);
}

template <class T>
void additive_backward(const ArcRows& by_source, const AdditiveInputs<T>& in,
                       const AdditiveGradients<T>& out) {
  const std::int64_t size = backward_scratch(in.shape);
  const int pieces = by_source.num_pieces();
  Buffer<T> scratch(size * pieces);
  OrderedSums<T> att(pieces, 2 * in.shape.row_size());
  dispatch_shape(in.shape, [&]<int W, int H, int NV>() {
    for_each_piece(pieces, [&](int c) {
      backward_piece<T, W, H, NV>(by_source, in, out, by_source.pieces[c], by_source.pieces[c + 1],
                                  scratch.data() + size * c, att.piece(c));
    });
  });
  att.add_up(out.att);
}

#define FASTGAT_INSTANTIATE(T)                                                                 \
  template void additive_forward<T>(const ArcRows&, const AdditiveInputs<T>&,                  \
                                    const AttentionOutputs<T>&);                               \
  template void additive_targets<T>(std::int32_t, const Shape&, T, const AdditiveTargets<T>&); \
  template void additive_backward<T>(const ArcRows&, const AdditiveInputs<T>&,                 \
                                     const AdditiveGradients<T>&);
FASTGAT_INSTANTIATE(float)
FASTGAT_INSTANTIATE(double)
#undef FASTGAT_INSTANTIATE

}  // namespace fastgat
