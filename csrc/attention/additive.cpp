#include "attention/additive.hpp"

#include "attention/tiles.hpp"
#include "buffer.hpp"
#include "parallel.hpp"

namespace fastgat {
namespace {

// all += coefficient * row and, in training, positive += part * row over the tile's arcs.
template <class T, int W, int H, int NV, bool InTraining>
FASTGAT_INLINE void add_rows(const ArcTile& tile, const T* rows, std::int64_t row_size,
                             const T* coefficient, const T* part, Sums<T, W, NV>& all,
                             Sums<T, W, NV>& positive) {
  using R = Lanes<T, W>;
  for_each_block<NV>(all.vectors, [&]<int B>(int n) __attribute__((always_inline)) {
    R sum[B], positive_sum[B];
    all.take(n, sum);
    if (InTraining) positive.take(n, positive_sum);
    for (int k = 0; k < tile.count; ++k) {
      const T* row = rows + tile.other[k] * row_size + n * W;
      const R c = repeat<T, H, W>(load<T, H>(coefficient + k * H));
      const R p = InTraining ? repeat<T, H, W>(load<T, H>(part + k * H)) : R{};
#pragma GCC unroll 4
      for (int b = 0; b < B; ++b) {
        const R value = load<T, W>(row + b * W);
        sum[b] += c * value;
        if (InTraining) positive_sum[b] += p * value;
      }
    }
    all.put(n, sum);
    if (InTraining) positive.put(n, positive_sum);
  });
}

// Training is told apart at compile time only where that makes room in registers.
template <class T, int W, int H, int NV, bool InTraining>
FASTGAT_KERNEL void forward_rows(const ArcRows& arcs, const AdditiveInputs<T>& in,
                                 const AdditiveOutputs<T>& out, std::int32_t begin,
                                 std::int32_t end, T* scratch) {
  using V = Lanes<T, 16>;
  using R = Lanes<T, W>;
  const std::int64_t row_size = NV ? NV * W : in.shape.row_size();
  const int vectors = static_cast<int>(row_size / W);
  Sums<T, W, NV> all(scratch, vectors), positive(scratch + 2 * row_size, vectors);
  const auto to_row = [](const V& heads) __attribute__((always_inline)) {
    return repeat<T, H, W>(low_heads<T, 16, H>(heads));
  };
  const int heads = in.shape.heads, channels = in.shape.channels;
  const bool training = NV ? InTraining : out.top != nullptr;
  const bool drops = in.dropout.is_active();
  ArcWindow<T, H> window(arcs, end, RowIs::kTarget, in.dropout, in.shape.head_offset);
  alignas(64) T coefficient[16 * H], positive_part[16 * H];

  for (std::int32_t row = begin; row < end; ++row) {
    const V score = repeat<T, H, 16>(load<T, H>(in.target_score + std::int64_t{row} * H));
    RunningSoftmax<T, H> softmax;
    V positive_sum{}, positive_put_by{};
    all.clear();
    if (training) positive.clear();

    const std::int64_t count = arcs.count(row);
    for (std::int64_t first = 0; first < count; first += kTileArcs) {
      if (ends_part(first)) {
        const V scale = softmax.put_sum_by();
        all.put_by(first, to_row(scale));
        if (training) {
          positive.put_by(first, to_row(scale));
          positive_put_by = positive_put_by * scale + positive_sum;
          positive_sum = V{};
        }
      }
      const ArcTile tile = window.tile(row, first, count);
      prefetch_ahead(tile, in.value, row_size);
      prefetch_ahead(tile, in.source_score, H);
      const int used = used_vectors<H>(tile);
      V x[H], highest = softmax.top;
      for (int v = 0; v < used; ++v) {
        constexpr int step = 16 / H;
        V sum = score + gather_heads<T, 16, H>(in.source_score, H, tile.other + v * step);
        if (in.term) sum += gather_heads<T, 16, H>(in.term, H, tile.id + v * step);
        sum = leaky<T, 16>(sum, in.slope);
        const T none = -std::numeric_limits<T>::infinity();
        if (in.weight)
          sum = where_less(T{0}, gather_arcs<T, 16, H>(in.weight, tile.id + v * step), sum,
                           V{} + none);
        x[v] = within<T, H>(tile, v, sum, none);
        highest = larger<T, 16>(highest, x[v]);
      }
      if (first == 0) {
        softmax.start(highest);
      } else {
        const V scale = softmax.raise(highest);
        const R by = to_row(scale);
        all.each([&](int, R& sum) __attribute__((always_inline)) { sum *= by; });
        if (training) {
          positive.each([&](int, R& sum) __attribute__((always_inline)) { sum *= by; });
          positive_sum *= scale;
        }
      }
      for (int v = 0; v < used; ++v) {
        V e = softmax.below_top(x[v]);
        if (in.weight)
          e = within<T, H>(tile, v, e * gather_arcs<T, 16, H>(in.weight, tile.id + v * (16 / H)), T{0});
        softmax.sum += e;
        const V c = drops ? e * window.keep(tile, v) : e;
        store<T, 16>(coefficient + 16 * v, c);
        if (training) {
          positive_sum += where_less(T{0}, x[v], e, V{});
          store<T, 16>(positive_part + 16 * v, where_less(T{0}, x[v], c, V{}));
        }
      }
      if (training)
        add_rows<T, W, H, NV, true>(tile, in.value, row_size, coefficient, positive_part, all,
                                    positive);
      else
        add_rows<T, W, H, NV, false>(tile, in.value, row_size, coefficient, positive_part, all,
                                     positive);
    }

    if (count > kArcsPerSum) {
      all.take_back(to_row(softmax.since));
      if (training) positive.take_back(to_row(softmax.since));
      positive_sum += positive_put_by * softmax.since;
    }
    const Lanes<T, H> inverse = softmax.inverse_sum();
    const R by = repeat<T, H, W>(inverse);
    all.each([&](int n, R& sum) __attribute__((always_inline)) {
      sum *= by;
      if (training) store<T, W>(out.sums + row * row_size + n * W, sum);
      if (in.bias) sum += load<T, W>(in.bias + n * W);
      store<T, W>(scratch + n * W, sum);
    });
    unpack_row<T, H>(scratch, heads, channels, out.out + std::int64_t{row} * heads * channels);
    if (training) {
      positive.each([&](int n, R& sum) __attribute__((always_inline)) {
        store<T, W>(out.positive + row * row_size + n * W, sum * by);
      });
      const std::int64_t at = std::int64_t{row} * H;
      store<T, H>(out.top + at, low_heads<T, 16, H>(softmax.top));
      store<T, H>(out.inverse_sum + at, inverse);
      store<T, H>(out.positive_share + at, fold_sum<T, 16, H>(positive_sum) * inverse);
    }
  }
}

template <class T, int W, int H, int NV>
FASTGAT_KERNEL void backward_rows(const ArcRows& arcs, const AdditiveInputs<T>& in,
                                  const AdditiveGradients<T>& out, std::int32_t begin,
                                  std::int32_t end, T* scratch, T* att_partial) {
  using V = Lanes<T, 16>;
  using R = Lanes<T, W>;
  constexpr int step = 16 / H;
  const std::int64_t row_size = NV ? NV * W : in.shape.row_size();
  const int vectors = static_cast<int>(row_size / W);
  Sums<T, W, NV> sums(scratch, vectors);
  const bool drops = in.dropout.is_active();
  ArcWindow<T, H> window(arcs, end, RowIs::kSource, in.dropout, in.shape.head_offset);
  alignas(64) T coefficient[16 * H], dot[16 * H] = {};

  for (std::int32_t row = begin; row < end; ++row) {
    const T* value = in.value + row * row_size;
    R held[NV ? NV : 1];
    if constexpr (NV > 0)
      for (int n = 0; n < NV; ++n) held[n] = load<T, W>(value + n * W);
    const V score = repeat<T, H, 16>(load<T, H>(in.source_score + std::int64_t{row} * H));
    V score_gradient{}, score_put_by{};
    sums.clear();

    const std::int64_t count = arcs.count(row);
    for (std::int64_t first = 0; first < count; first += kTileArcs) {
      if (ends_part(first)) {
        sums.put_by(first, R{} + 1);
        score_put_by += score_gradient;
        score_gradient = V{};
      }
      const ArcTile tile = window.tile(row, first, count);
      prefetch_ahead(tile, out.packed_gradient, row_size);
      prefetch_ahead(tile, out.record, kRecordSize * H);
      const int used = used_vectors<H>(tile);
      V share[H], x[H];  // share: of the arcs in the sum, before its division
      const auto of_target = [&](TargetRecord what, int v) __attribute__((always_inline)) {
        return gather_heads<T, 16, H>(out.record + what * H, kRecordSize * H, tile.other + v * step);
      };
      for (int v = 0; v < used; ++v) {
        x[v] = score + of_target(kScore, v);
        if (in.term) x[v] += gather_heads<T, 16, H>(in.term, H, tile.id + v * step);
        const V e = exponential<T, 16>(leaky<T, 16>(x[v], in.slope) - of_target(kTop, v));
        share[v] = within<T, H>(tile, v, e, T{0});
        V c = drops ? share[v] * window.keep(tile, v) : share[v];
        if (in.weight) c = weigh<T, H>(in.weight, tile, v, c);
        store<T, 16>(coefficient + 16 * v, c);
      }
      for (int k = 0; k < tile.count; ++k) {
        const T* gradient = out.packed_gradient + tile.other[k] * row_size;
        const R c = repeat<T, H, W>(load<T, H>(coefficient + k * H));
        R product{};
        sums.each([&](int n, R& sum) __attribute__((always_inline)) {
          const R g = load<T, W>(gradient + n * W);
          if constexpr (NV > 0) product += g * held[n];
          else product += g * load<T, W>(value + n * W);
          sum += c * g;
        });
        store<T, H>(dot + k * H, fold_sum<T, W, H>(product));
      }
      for (int v = 0; v < used; ++v) {
        V change = load<T, 16>(dot + 16 * v);
        if (drops) change *= window.keep(tile, v);
        change = share[v] * (change - of_target(kMean, v));
        change = within<T, H>(tile, v, change, T{0});
        if (in.weight) {
          add_to_arcs<T, H>(out.weight_gradient, tile, v, change);
          change = weigh<T, H>(in.weight, tile, v, change);
        }
        change = where_less(T{0}, x[v], change, change * in.slope);
        if (out.term_gradient) store_to_arcs<T, H>(out.term_gradient, tile, v, change);
        score_gradient += change;
      }
    }

    if (count > kArcsPerSum) sums.take_back(R{} + 1);
    const R from_source = repeat<T, H, W>(fold_sum<T, 16, H>(score_gradient + score_put_by));
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
      store<T, W>(out.value_gradient + row * row_size + n * W, total);
    });
  }
}

template <class T, int W, int H>
FASTGAT_KERNEL void target_rows(const Shape& shape, T slope, const AdditiveTargets<T>& targets,
                                std::int32_t begin, std::int32_t end, T* bias_partial) {
  using R = Lanes<T, W>;
  const std::int64_t row_size = shape.row_size(), user_size = shape.heads * shape.channels;
  const int vectors = static_cast<int>(row_size / W);
  for (std::int32_t row = begin; row < end; ++row) {
    T* packed = targets.packed_gradient + row * row_size;
    const T* gradient = targets.gradient + row * user_size;
    pack_row<T, H>(gradient, shape.heads, shape.channels, row_size, packed);
    R with_all{}, with_positive{};
    const T *sums = targets.sums + row * row_size, *positive = targets.positive + row * row_size;
    for (int n = 0; n < vectors; ++n) {
      const R here = load<T, W>(packed + n * W);
      store<T, W>(bias_partial + n * W, load<T, W>(bias_partial + n * W) + here);
      with_all += here * load<T, W>(sums + n * W);
      with_positive += here * load<T, W>(positive + n * W);
    }
    const std::int64_t at = std::int64_t{row} * H;
    const Lanes<T, H> mean = fold_sum<T, W, H>(with_all);
    store<T, H>(targets.target_gradient + at,
                (1 - slope) * (fold_sum<T, W, H>(with_positive) -
                               mean * load<T, H>(targets.positive_share + at)));
    const Lanes<T, H> inverse = load<T, H>(targets.inverse_sum + at);
    const R by = repeat<T, H, W>(inverse);
    for (int n = 0; n < vectors; ++n) store<T, W>(packed + n * W, by * load<T, W>(packed + n * W));
    T* record = targets.record + at * kRecordSize;
    store<T, H>(record + kScore * H, load<T, H>(targets.target_score + at));
    store<T, H>(record + kTop * H, load<T, H>(targets.top + at));
    store<T, H>(record + kMean * H, mean * inverse);
  }
}

// What the pieces found, added in their order, whoever worked on them.
template <class T>
void add_pieces(const T* partial, int pieces, std::int64_t size, T* sum) {
  std::fill(sum, sum + size, T{0});
  for (int c = 0; c < pieces; ++c)
    for (std::int64_t at = 0; at < size; ++at) sum[at] += partial[size * c + at];
}

}  // namespace

template <class T>
void additive_forward(const ArcRows& by_target, const AdditiveInputs<T>& in,
                      const AdditiveOutputs<T>& out) {
  const std::int64_t row_size = in.shape.row_size();
  const int pieces = by_target.num_pieces();
  Buffer<T> scratch(4 * row_size * pieces);
  dispatch_shape(in.shape, [&]<int W, int H, int NV>() {
    const auto rows =
        NV && !out.top ? forward_rows<T, W, H, NV, NV == 0> : forward_rows<T, W, H, NV, true>;
    for_each_part(pieces, [&](int c) {
      rows(by_target, in, out, by_target.pieces[c], by_target.pieces[c + 1],
           scratch.data() + 4 * row_size * c);
    });
  });
}

template <class T>
void additive_targets(std::int32_t num_targets, const Shape& shape, T slope,
                      const AdditiveTargets<T>& targets) {
  const Chunks chunks(num_targets, 512);
  const std::int64_t row_size = shape.row_size();
  Buffer<T> partial(row_size * chunks.pieces);
  std::fill(partial.begin(), partial.end(), T{0});
  dispatch_shape(shape, [&]<int W, int H, int NV>() {
    for_each_part(chunks.pieces, [&](int c) {
      target_rows<T, W, H>(shape, slope, targets, static_cast<std::int32_t>(chunks.begin(c)),
                           static_cast<std::int32_t>(chunks.end(c)), partial.data() + row_size * c);
    });
  });
  add_pieces(partial.data(), chunks.pieces, row_size, targets.bias_gradient);
}

template <class T>
void additive_backward(const ArcRows& by_source, const AdditiveInputs<T>& in,
                       const AdditiveGradients<T>& out) {
  const std::int64_t row_size = in.shape.row_size();
  const int pieces = by_source.num_pieces();
  Buffer<T> scratch(2 * row_size * pieces), partial(2 * row_size * pieces);
  std::fill(partial.begin(), partial.end(), T{0});
  dispatch_shape(in.shape, [&]<int W, int H, int NV>() {
    for_each_part(pieces, [&](int c) {
      backward_rows<T, W, H, NV>(by_source, in, out, by_source.pieces[c], by_source.pieces[c + 1],
                                 scratch.data() + 2 * row_size * c,
                                 partial.data() + 2 * row_size * c);
    });
  });
  add_pieces(partial.data(), pieces, 2 * row_size, out.att_gradient);
}

#define FASTGAT_INSTANTIATE(T)                                                             \
  template void additive_forward<T>(const ArcRows&, const AdditiveInputs<T>&,              \
                                    const AdditiveOutputs<T>&);                            \
  template void additive_targets<T>(std::int32_t, const Shape&, T, const AdditiveTargets<T>&); \
  template void additive_backward<T>(const ArcRows&, const AdditiveInputs<T>&,             \
                                     const AdditiveGradients<T>&);
FASTGAT_INSTANTIATE(float)
FASTGAT_INSTANTIATE(double)
#undef FASTGAT_INSTANTIATE

}  // namespace fastgat
