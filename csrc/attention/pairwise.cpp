#include "attention/pairwise.hpp"

#include <algorithm>

#include "attention/tiles.hpp"
#include "buffer.hpp"
#include "parallel.hpp"

namespace fastgat {
namespace {

// Calls body.template operator()<H, NV>(); NV = 0: rows of any size.
template <class T, class Body>
void dispatch_pair(const PairInputs<T>& in, Body&& body) {
  const int heads = in.value_shape.padded_heads();
  const int row = in.value_shape.row_size();
  const bool same = in.score_shape.row_size() == row && sizeof(T) == sizeof(float);
  if (same && heads == 8 && row == 64) return body.template operator()<8, 4>();
  if (same && heads == 1 && row == 16) return body.template operator()<1, 1>();
  if (heads == 1) return body.template operator()<1, 0>();
  if (heads == 2) return body.template operator()<2, 0>();
  if (heads == 4) return body.template operator()<4, 0>();
  if (heads == 8) return body.template operator()<8, 0>();
  return body.template operator()<16, 0>();
}

// One end's row and the far end's rows, and what GATv2 adds: the score of an arc, the derivative.
template <class T, int H, PairScore Score>
struct Pairing {
  using V = Lanes<T, 16>;
  const PairInputs<T>& in;
  std::int64_t row_size;
  T* edge_rows;  // projected attributes of the tile's arcs; null: none

  // projection attr, for every arc of the tile
  FASTGAT_INLINE void project(const ArcTile& tile) const {
    if (!edge_rows) return;
    for (int k = 0; k < tile.count; ++k) {
      const T* attr = in.attr + tile.id[k] * in.attr_size;
      for (std::int64_t at = 0; at < row_size; at += 16) {
        V sum{};
        for (std::int64_t d = 0; d < in.attr_size; ++d)
          sum += attr[d] * load<T, 16>(in.projection + d * row_size + at);
        store<T, 16>(edge_rows + k * row_size + at, sum);
      }
    }
  }

  // What leaky is applied to, lanes [at, at + 16) of arc k.
  FASTGAT_INLINE V inside(int k, V here, V there, std::int64_t at) const {
    V sum = here + there;
    if (edge_rows) sum += load<T, 16>(edge_rows + k * row_size + at);
    return sum;
  }

  FASTGAT_INLINE V part(int k, V here, V there, std::int64_t at) const {
    if constexpr (Score == PairScore::kDot) return here * there;
    else return load<T, 16>(in.att + at) * leaky<T, 16>(inside(k, here, there, at), in.slope);
  }

  // d score / d here
  FASTGAT_INLINE V slope_of(int k, V here, V there, std::int64_t at) const {
    if constexpr (Score == PairScore::kDot) return there;
    else {
      const V att = load<T, 16>(in.att + at);
      return where_less(T{0}, inside(k, here, there, at), att, att * in.slope);
    }
  }
};

template <class T, int H, int NV, PairScore Score>
FASTGAT_KERNEL void forward_rows(const ArcRows& arcs, const PairInputs<T>& in,
                                 const PairOutputs<T>& out, std::int32_t begin, std::int32_t end,
                                 T* scratch) {
  using V = Lanes<T, 16>;
  constexpr int step = 16 / H;
  const std::int64_t score_size = NV ? NV * 16 : in.score_shape.row_size();
  const std::int64_t value_size = NV ? NV * 16 : in.value_shape.row_size();
  const int heads = in.value_shape.heads, channels = in.value_shape.channels;
  const Pairing<T, H, Score> pairing{in, score_size, in.attr ? scratch + 2 * value_size : nullptr};
  Sums<T, 16, NV> sums(scratch, static_cast<int>(value_size / 16));
  const bool drops = in.dropout.is_active();
  const T none = -std::numeric_limits<T>::infinity();
  ArcWindow<T, H> window(arcs, end, RowIs::kTarget, in.dropout, in.value_shape.head_offset);
  alignas(64) T coefficient[16 * H] = {};

  for (std::int32_t row = begin; row < end; ++row) {
    const T* query = in.query + row * score_size;
    RunningSoftmax<T, H> softmax;
    sums.clear();
    const std::int64_t count = arcs.count(row);
    for (std::int64_t first = 0; first < count; first += kTileArcs) {
      if (ends_part(first)) sums.put_by(first, softmax.put_sum_by());
      const ArcTile tile = window.tile(row, first, count);
      prefetch_ahead(tile, in.key, score_size);
      if (in.value != in.key) prefetch_ahead(tile, in.value, value_size);
      pairing.project(tile);
      for (int k = 0; k < tile.count; ++k) {
        const T* key = in.key + tile.other[k] * score_size;
        V sum{};
        for (std::int64_t at = 0; at < score_size; at += 16)
          sum += pairing.part(k, load<T, 16>(query + at), load<T, 16>(key + at), at);
        store<T, H>(coefficient + k * H, fold_sum<T, 16, H>(sum));
      }
      const int used = used_vectors<H>(tile);
      V x[H], highest = softmax.top;
      for (int v = 0; v < used; ++v) {
        V score = load<T, 16>(coefficient + 16 * v);
        if (in.weight)
          score = where_less(T{0}, gather_arcs<T, 16, H>(in.weight, tile.id + v * step), score,
                             V{} + none);
        x[v] = within<T, H>(tile, v, score, none);
        highest = larger<T, 16>(highest, x[v]);
      }
      if (first == 0) {
        softmax.start(highest);
      } else {
        const V scale = softmax.raise(highest);
        sums.each([&](int, V& sum) __attribute__((always_inline)) { sum *= scale; });
      }
      for (int v = 0; v < used; ++v) {
        V e = softmax.below_top(x[v]);
        if (in.weight)
          e = within<T, H>(tile, v, e * gather_arcs<T, 16, H>(in.weight, tile.id + v * step), T{0});
        softmax.sum += e;
        store<T, 16>(coefficient + 16 * v, drops ? e * window.keep(tile, v) : e);
      }
      for (int k = 0; k < tile.count; ++k) {
        const T* value = in.value + tile.other[k] * value_size;
        const V c = repeat<T, H, 16>(load<T, H>(coefficient + k * H));
        sums.each([&](int n, V& sum) __attribute__((always_inline)) {
          sum += c * load<T, 16>(value + n * 16);
        });
      }
    }
    if (count > kArcsPerSum) sums.take_back(softmax.since);
    const Lanes<T, H> inverse = softmax.inverse_sum();
    const V by = repeat<T, H, 16>(inverse);
    sums.each([&](int n, V& sum) __attribute__((always_inline)) {
      sum *= by;
      store<T, 16>(scratch + n * 16, sum);
    });
    unpack_row<T, H>(scratch, heads, channels, out.out + std::int64_t{row} * heads * channels);
    const std::int64_t at = std::int64_t{row} * H;
    store<T, H>(out.top + at, low_heads<T, 16, H>(softmax.top));
    store<T, H>(out.inverse_sum + at, inverse);
  }
}

// The gradients that gather at one end of the arcs. Seen from a source, the row's own are key and
// value, the far ends' query and gradient; seen from a target, query and gradient against key and
// value.
template <class T, int H, int NV, PairScore Score>
FASTGAT_KERNEL void backward_rows(RowIs row_is, const ArcRows& arcs, const PairInputs<T>& in,
                                  const PairGradients<T>& out, std::int32_t begin, std::int32_t end,
                                  T* scratch, T* partial) {
  using V = Lanes<T, 16>;
  constexpr int step = 16 / H;
  const bool from_source = row_is == RowIs::kSource;
  const std::int64_t score_size = NV ? NV * 16 : in.score_shape.row_size();
  const std::int64_t value_size = NV ? NV * 16 : in.value_shape.row_size();
  const T* own_score = from_source ? in.key : in.query;
  const T* far_score = from_source ? in.query : in.key;
  const T* own_value = from_source ? in.value : out.packed_gradient;
  const T* far_value = from_source ? out.packed_gradient : in.value;
  T* edge_rows = in.attr ? scratch + 2 * (score_size + value_size) : nullptr;
  const Pairing<T, H, Score> pairing{in, score_size, edge_rows};
  Sums<T, 16, NV> score_sums(scratch, static_cast<int>(score_size / 16));
  Sums<T, 16, NV> value_sums(scratch + 2 * score_size, static_cast<int>(value_size / 16));
  const bool drops = in.dropout.is_active();
  ArcWindow<T, H> window(arcs, end, row_is, in.dropout, in.value_shape.head_offset);
  alignas(64) T coefficient[16 * H], change[16 * H] = {}, score[16 * H] = {}, dot[16 * H] = {};

  for (std::int32_t row = begin; row < end; ++row) {
    const T* own = own_score + row * score_size;
    const T* mate = own_value + row * value_size;
    score_sums.clear();
    value_sums.clear();
    const std::int64_t count = arcs.count(row);
    for (std::int64_t first = 0; first < count; first += kTileArcs) {
      if (ends_part(first)) {
        score_sums.put_by(first, V{} + 1);
        value_sums.put_by(first, V{} + 1);
      }
      const ArcTile tile = window.tile(row, first, count);
      prefetch_ahead(tile, far_score, score_size);
      if (far_value != far_score) prefetch_ahead(tile, far_value, value_size);
      pairing.project(tile);
      for (int k = 0; k < tile.count; ++k) {
        const T* far = far_score + tile.other[k] * score_size;
        const T* far_mate = far_value + tile.other[k] * value_size;
        V of_score{}, of_value{};
        for (std::int64_t at = 0; at < score_size; at += 16)
          of_score += pairing.part(k, load<T, 16>(own + at), load<T, 16>(far + at), at);
        for (std::int64_t at = 0; at < value_size; at += 16)
          of_value += load<T, 16>(mate + at) * load<T, 16>(far_mate + at);
        store<T, H>(score + k * H, fold_sum<T, 16, H>(of_score));
        store<T, H>(dot + k * H, fold_sum<T, 16, H>(of_value));
      }
      const auto of_target = [&](PairRecord what, int v) __attribute__((always_inline)) {
        if (from_source)
          return gather_heads<T, 16, H>(out.record + what * H, kPairRecordSize * H,
                                        tile.other + v * step);
        const T* record = out.record + (std::int64_t{row} * kPairRecordSize + what) * H;
        return repeat<T, H, 16>(load<T, H>(record));
      };
      for (int v = 0; v < used_vectors<H>(tile); ++v) {
        const V e = exponential<T, 16>(load<T, 16>(score + 16 * v) - of_target(kPairTop, v));
        V share = within<T, H>(tile, v, e * of_target(kPairInverseSum, v), T{0});
        V product = load<T, 16>(dot + 16 * v);
        if (drops) product *= window.keep(tile, v);
        V toward = within<T, H>(tile, v, share * (product - of_target(kPairMean, v)), T{0});
        if (in.weight) {
          if (from_source) add_to_arcs<T, H>(out.weight, tile, v, toward);
          toward = weigh<T, H>(in.weight, tile, v, toward);
          share = weigh<T, H>(in.weight, tile, v, share);
        }
        store<T, 16>(coefficient + 16 * v, drops ? share * window.keep(tile, v) : share);
        store<T, 16>(change + 16 * v, toward);
      }
      for (int k = 0; k < tile.count; ++k) {
        const T* far = far_score + tile.other[k] * score_size;
        const V d = repeat<T, H, 16>(load<T, H>(change + k * H));
        score_sums.each([&](int n, V& sum) __attribute__((always_inline)) {
          const V here = load<T, 16>(own + n * 16), there = load<T, 16>(far + n * 16);
          sum += d * pairing.slope_of(k, here, there, n * 16);
          if (Score == PairScore::kGATv2 && !from_source) {
            const V inside = pairing.inside(k, here, there, n * 16);
            T* att = partial + n * 16;
            store<T, 16>(att, load<T, 16>(att) + d * leaky<T, 16>(inside, in.slope));
          }
        });
        if (from_source) {
          const T* gradient = far_value + tile.other[k] * value_size;
          const V c = repeat<T, H, 16>(load<T, H>(coefficient + k * H));
          value_sums.each([&](int n, V& sum) __attribute__((always_inline)) {
            sum += c * load<T, 16>(gradient + n * 16);
          });
        } else if (edge_rows) {
          T* attr_gradient = out.attr + tile.id[k] * in.attr_size;
          const T* attr = in.attr + tile.id[k] * in.attr_size;
          for (std::int64_t e = 0; e < in.attr_size; ++e) {
            V toward{};
            for (std::int64_t at = 0; at < score_size; at += 16) {
              const V bend = d * pairing.slope_of(k, load<T, 16>(own + at), load<T, 16>(far + at), at);
              T* shared = partial + (e + 1) * score_size + at;
              store<T, 16>(shared, load<T, 16>(shared) + attr[e] * bend);
              toward += bend * load<T, 16>(in.projection + e * score_size + at);
            }
            attr_gradient[e] += sum_lanes<T, 16>(toward);
          }
        }
      }
    }
    if (count > kArcsPerSum) {
      score_sums.take_back(V{} + 1);
      value_sums.take_back(V{} + 1);
    }
    T* of_score = (from_source ? out.key : out.query) + row * score_size;
    const bool joint = from_source && !out.value;
    score_sums.each([&](int n, V& sum) __attribute__((always_inline)) {
      store<T, 16>(of_score + n * 16, sum);
    });
    if (!from_source) continue;
    T* of_value = (joint ? out.key : out.value) + row * value_size;
    value_sums.each([&](int n, V& sum) __attribute__((always_inline)) {
      store<T, 16>(of_value + n * 16, joint ? sum + load<T, 16>(of_value + n * 16) : sum);
    });
  }
}

template <class T, int H>
FASTGAT_KERNEL void target_rows(const Shape& shape, const T* gradient,
                                const PairOutputs<const T>& forward, T* packed_gradient, T* record,
                                std::int64_t begin, std::int64_t end, T* scratch) {
  const std::int64_t row_size = shape.row_size(), user_size = shape.heads * shape.channels;
  for (std::int64_t row = begin; row < end; ++row) {
    T* packed = packed_gradient + row * row_size;
    pack_row<T, H>(gradient + row * user_size, shape.heads, shape.channels, row_size, packed);
    pack_row<T, H>(forward.out + row * user_size, shape.heads, shape.channels, row_size, scratch);
    Lanes<T, 16> sum{};
    for (std::int64_t at = 0; at < row_size; at += 16)
      sum += load<T, 16>(packed + at) * load<T, 16>(scratch + at);
    T* to = record + row * kPairRecordSize * H;
    store<T, H>(to + kPairTop * H, load<T, H>(forward.top + row * H));
    store<T, H>(to + kPairInverseSum * H, load<T, H>(forward.inverse_sum + row * H));
    store<T, H>(to + kPairMean * H, fold_sum<T, 16, H>(sum));
  }
}

// Two rows for each kind of sums, and the projected attributes of a tile.
template <class T>
std::int64_t scratch_size(const PairInputs<T>& in) {
  const std::int64_t score_size = in.score_shape.row_size();
  return 2 * (score_size + in.value_shape.row_size()) + (in.attr ? kTileArcs * score_size : 0);
}

template <class T>
void pair_backward(RowIs row_is, const ArcRows& arcs, const PairInputs<T>& in,
                   const PairGradients<T>& out, T* partial, std::int64_t partial_size) {
  const std::int64_t size = scratch_size(in);
  const int pieces = arcs.num_pieces();
  Buffer<T> scratch(size * pieces);
  dispatch_pair(in, [&]<int H, int NV>() {
    const auto rows = in.score == PairScore::kDot ? backward_rows<T, H, NV, PairScore::kDot>
                                                  : backward_rows<T, H, NV, PairScore::kGATv2>;
    for_each_part(pieces, [&](int c) {
      rows(row_is, arcs, in, out, arcs.pieces[c], arcs.pieces[c + 1], scratch.data() + size * c,
           partial + partial_size * c);
    });
  });
}

}  // namespace

template <class T>
void pair_forward(const ArcRows& by_target, const PairInputs<T>& in, const PairOutputs<T>& out) {
  const std::int64_t size = scratch_size(in);
  const int pieces = by_target.num_pieces();
  Buffer<T> scratch(size * pieces);
  dispatch_pair(in, [&]<int H, int NV>() {
    const auto rows = in.score == PairScore::kDot ? forward_rows<T, H, NV, PairScore::kDot>
                                                  : forward_rows<T, H, NV, PairScore::kGATv2>;
    for_each_part(pieces, [&](int c) {
      rows(by_target, in, out, by_target.pieces[c], by_target.pieces[c + 1],
           scratch.data() + size * c);
    });
  });
}

template <class T>
void pair_targets(std::int32_t num_targets, const Shape& shape, const T* gradient,
                  const PairOutputs<const T>& forward, T* packed_gradient, T* record) {
  const Chunks chunks(num_targets, 512);
  Buffer<T> scratch(shape.row_size() * chunks.pieces);
  PairInputs<T> any{};
  any.score_shape = any.value_shape = shape;
  dispatch_pair(any, [&]<int H, int NV>() {
    for_each_part(chunks.pieces, [&](int c) {
      target_rows<T, H>(shape, gradient, forward, packed_gradient, record, chunks.begin(c),
                        chunks.end(c), scratch.data() + shape.row_size() * c);
    });
  });
}

template <class T>
void pair_backward_sources(const ArcRows& by_source, const PairInputs<T>& in,
                           const PairGradients<T>& out) {
  pair_backward<T>(RowIs::kSource, by_source, in, out, nullptr, 0);
}

template <class T>
void pair_backward_targets(const ArcRows& by_target, const PairInputs<T>& in,
                           const PairGradients<T>& out) {
  const std::int64_t score_size = in.score_shape.row_size();
  const bool shares = in.score == PairScore::kGATv2;
  const std::int64_t size = shares ? (1 + in.attr_size) * score_size : 0;
  const int pieces = by_target.num_pieces();
  Buffer<T> partial(size * pieces);
  std::fill(partial.begin(), partial.end(), T{0});
  pair_backward<T>(RowIs::kTarget, by_target, in, out, partial.data(), size);
  if (!shares) return;
  // Pieces are added in their order, whoever worked on them.
  const auto add_up = [&](T* to, std::int64_t from, std::int64_t count) {
    std::fill(to, to + count, T{0});
    for (int c = 0; c < pieces; ++c)
      for (std::int64_t at = 0; at < count; ++at) to[at] += partial[size * c + from + at];
  };
  add_up(out.att, 0, score_size);
  if (in.attr) add_up(out.projection, score_size, in.attr_size * score_size);
}

#define FASTGAT_INSTANTIATE(T)                                                              \
  template void pair_forward<T>(const ArcRows&, const PairInputs<T>&, const PairOutputs<T>&); \
  template void pair_targets<T>(std::int32_t, const Shape&, const T*,                       \
                                const PairOutputs<const T>&, T*, T*);                       \
  template void pair_backward_sources<T>(const ArcRows&, const PairInputs<T>&,              \
                                         const PairGradients<T>&);                          \
  template void pair_backward_targets<T>(const ArcRows&, const PairInputs<T>&,              \
                                         const PairGradients<T>&);
FASTGAT_INSTANTIATE(float)
FASTGAT_INSTANTIATE(double)
#undef FASTGAT_INSTANTIATE

}  // namespace fastgat
