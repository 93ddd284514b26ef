#pragma once

#include <cstdint>
#include <utility>

#include "attention/backward.hpp"
#include "attention/forward.hpp"
#include "attention/pairwise.hpp"
#include "memory/buffer.hpp"
#include "parallel/chunks.hpp"
#include "parallel/ordered_sums.hpp"

// Attention with scores made from two rows, given the formula that joins them, a Formula<T, H>:
//
//   Formula(in, scratch, out, shared)    `out` and `shared` are null in forward
//   scratch_size(in), shared_size(in)    numbers of memory it wants for a tile, and for the sums below
//   begin_tile(tile)
//   part(k, here, there, at)             what lanes [at, at + 16) add to the score of arc k
//   derivative(k, here, there, at)       of that by `here`
//   add_shared(k, d, here, there, at)    from the targets, given the gradient d of the score of arc k: add
//   end_arc(tile, k, d, own, far)        to the gradients of what all arcs share, and of the arc's own
//
// It is symmetric: `here` and `there` may be query and key or key and query. It stands in an unnamed
// namespace: so the kernels below, which are made for it, belong to one source file.
namespace fastgat {

// out[k] = the score of the tile's arc k, per head.
template <class T, int H, class Formula>
FASTGAT_INLINE void score_arcs(const Formula& formula, const ArcTile& tile, const T* own,
                               const T* far_rows, std::int64_t size, T* out) {
  for (int k = 0; k < tile.count; ++k) {
    const T* far = far_rows + tile.other[k] * size;
    Lanes<T, 16> sum{};
    for (std::int64_t at = 0; at < size; at += 16)
      sum += formula.part(k, load<T, 16>(own + at), load<T, 16>(far + at), at);
    store<T, H>(out + k * H, fold_sum<T, 16, H>(sum));
  }
}

template <class T, int H, int NV, class Formula>
struct PairForwardScores {
  using V = Lanes<T, 16>;
  static constexpr bool kSplitsBySign = false;
  const PairInputs<T>& in;
  Formula formula;
  const T* query = nullptr;
  alignas(64) T scores[16 * H] = {};

  PairForwardScores(const PairInputs<T>& in, const Formula& formula)
      : in(in), formula(formula) {}

  FASTGAT_INLINE std::int64_t size() const { return NV ? NV * 16 : in.score_shape.row_size(); }
  FASTGAT_INLINE void begin_row(std::int32_t row) { query = in.query + row * size(); }
  FASTGAT_INLINE void prefetch(const ArcTile& tile) const {
    if (in.key != in.value) prefetch_ahead(tile, in.key, size());
  }
  FASTGAT_INLINE void begin_tile(const ArcTile& tile) {
    formula.begin_tile(tile);
    score_arcs<T, H>(formula, tile, query, in.key, size(), scores);
  }
  FASTGAT_INLINE V score(const ArcTile&, int v) const { return load<T, 16>(scores + 16 * v); }
};

// From the sources the row's own is the key and the far ends' are queries, and the other way round.
template <class T, int H, int NV, RowIs Row, class Formula>
struct PairBackwardScores {
  using V = Lanes<T, 16>;
  static constexpr RowIs kRowIs = Row;
  static constexpr int kRecordSize = kTargetRecordSize;
  static constexpr bool kFromSource = Row == RowIs::kSource;
  const PairInputs<T>& in;
  const PairGradients<T>& out;
  Formula formula;
  RowSums<T, 16, NV> sums;  // of the row's own gradient
  const T* own = nullptr;
  alignas(64) T scores[16 * H] = {};
  alignas(64) T gradients[16 * H] = {};  // of the scores

  PairBackwardScores(const PairInputs<T>& in, const PairGradients<T>& out, const Formula& formula,
                     T* scratch)
      : in(in),
        out(out),
        formula(formula),
        sums(scratch, static_cast<int>(size() / 16)) {}

  FASTGAT_INLINE std::int64_t size() const { return NV ? NV * 16 : in.score_shape.row_size(); }
  FASTGAT_INLINE const T* far_rows() const { return kFromSource ? in.query : in.key; }

  FASTGAT_INLINE void begin_row(std::int32_t row) {
    own = (kFromSource ? in.key : in.query) + row * size();
    sums.clear();
  }
  FASTGAT_INLINE void prefetch(const ArcTile& tile) const {
    // From the targets the loop asks for the values itself, and keys may be the same rows.
    if (kFromSource || in.key != in.value) prefetch_ahead(tile, far_rows(), size());
  }
  FASTGAT_INLINE void begin_tile(const ArcTile& tile) {
    formula.begin_tile(tile);
    score_arcs<T, H>(formula, tile, own, far_rows(), size(), scores);
  }
  FASTGAT_INLINE V score(const ArcTile&, int v) const { return load<T, 16>(scores + 16 * v); }
  FASTGAT_INLINE void add_gradient(const ArcTile&, int v, V of_score) {
    store<T, 16>(gradients + 16 * v, of_score);
  }
  FASTGAT_INLINE void end_tile(const ArcTile& tile) {
    for (int k = 0; k < tile.count; ++k) {
      const T* far = far_rows() + tile.other[k] * size();
      const V d = repeat<T, H, 16>(load<T, H>(gradients + k * H));
      sums.each([&](int n, V& sum) __attribute__((always_inline)) {
        const V here = load<T, 16>(own + n * 16), there = load<T, 16>(far + n * 16);
        sum += d * formula.derivative(k, here, there, n * 16);
        if constexpr (!kFromSource) formula.add_shared(k, d, here, there, n * 16);
      });
      if constexpr (!kFromSource) formula.end_arc(tile, k, d, own, far);
    }
  }
  FASTGAT_INLINE void flush(std::int64_t first) { sums.flush(first, V{} + 1); }
  FASTGAT_INLINE void restore() { sums.restore(V{} + 1); }

  FASTGAT_INLINE void end_row(std::int32_t row, RowSums<T, 16, NV>& of_value) {
    T* to = (kFromSource ? out.key : out.query) + row * size();
    sums.each([&](int n, V& sum) __attribute__((always_inline)) { store<T, 16>(to + n * 16, sum); });
    if constexpr (kFromSource) {
      const bool joint = !out.value;
      T* value = joint ? to : out.value + row * (NV ? NV * 16 : in.shape.row_size());
      of_value.each([&](int n, V& sum) __attribute__((always_inline)) {
        store<T, 16>(value + n * 16, joint ? sum + load<T, 16>(value + n * 16) : sum);
      });
    }
  }
};

template <class T, int H, int NV, class Formula, class Inputs>
FASTGAT_KERNEL void forward_piece(const ArcRows& arcs, const Inputs& in,
                                  const AttentionOutputs<T>& out, std::int32_t begin,
                                  std::int32_t end, T* scratch) {
  const Formula formula(in, scratch + forward_scratch(in.shape), nullptr, nullptr);
  PairForwardScores<T, H, NV, Formula> scores(in, formula);
  forward_rows<T, 16, H, NV, false>(arcs, in, out, scores, begin, end, scratch);
}

// Scratch memory: sums of the values' gradients, of the scores' gradients, then the formula's.
template <class T, int H, int NV, RowIs Row, class Formula, class Inputs, class Gradients>
FASTGAT_KERNEL void backward_piece(const ArcRows& arcs, const Inputs& in, const Gradients& out,
                                   std::int32_t begin, std::int32_t end, T* scratch, T* shared) {
  T* of_scores = scratch + backward_scratch(in.shape);
  const Formula formula(in, of_scores + backward_scratch(in.score_shape), &out, shared);
  PairBackwardScores<T, H, NV, Row, Formula> scores(in, out, formula, of_scores);
  backward_rows<T, 16, H, NV>(arcs, in, out.targets, out.weight, scores, begin, end, scratch);
}

// Calls body.template operator()<H, NV>(). Sums of both rows are in registers if both are small.
template <class T, class Body>
void dispatch_pair(const PairInputs<T>& in, Body&& body) {
  const bool helps = in.score_shape.row_size() == in.shape.row_size() && sizeof(T) == sizeof(float);
  dispatch_full_shape(in.shape, helps, std::forward<Body>(body));
}

template <template <class, int> class Formula, class T, class Inputs>
void pair_forward_with(const ArcRows& by_target, const Inputs& in, const AttentionOutputs<T>& out) {
  const std::int64_t size = forward_scratch(in.shape) + Formula<T, 1>::scratch_size(in);
  Buffer<T> scratch(size * by_target.num_pieces());
  dispatch_pair<T>(in, [&]<int H, int NV>() {
    for_each_piece(by_target.num_pieces(), [&](int c) {
      forward_piece<T, H, NV, Formula<T, H>>(by_target, in, out, by_target.pieces[c],
                                             by_target.pieces[c + 1], scratch.data() + size * c);
    });
  });
}

// Returns the sums of what all arcs share.
template <RowIs Row, template <class, int> class Formula, class T, class Inputs, class Gradients>
OrderedSums<T> pair_backward_from(const ArcRows& arcs, const Inputs& in, const Gradients& out) {
  const std::int64_t size = backward_scratch(in.shape) + backward_scratch(in.score_shape) +
                            Formula<T, 1>::scratch_size(in);
  const bool shares = Row == RowIs::kTarget;
  OrderedSums<T> shared(arcs.num_pieces(), shares ? Formula<T, 1>::shared_size(in) : 0);
  Buffer<T> scratch(size * arcs.num_pieces());
  dispatch_pair<T>(in, [&]<int H, int NV>() {
    for_each_piece(arcs.num_pieces(), [&](int c) {
      backward_piece<T, H, NV, Row, Formula<T, H>>(arcs, in, out, arcs.pieces[c],
                                                   arcs.pieces[c + 1], scratch.data() + size * c,
                                                   shared.piece(c));
    });
  });
  return shared;
}

}  // namespace fastgat
