#pragma once

#include <cstdint>

#include "attention/arc_rows.hpp"
#include "attention/shape.hpp"
#include "threefry.hpp"

// Attention with additive scores (GAT), for the arc i <- j and every head:
//
//   x_ij = <value_j, att_source> + s_i + term_ij        a_ij = w_ij exp(leaky(x_ij)) / sum over j
//   out_i = sum_j m_ij a_ij value_j + bias              m: dropout's 0 or scale
//
// Nothing is kept per arc. Backward needs, per target, the highest score and the sum of exponentials
// below it (apart: their logarithm would lose the digits of large scores) and, for the gradient of
// s_i, the sums over the arcs with positive x alone (docs/method.md).
namespace fastgat {

template <class T>
struct AdditiveInputs {
  Shape shape;
  const T* value;         // packed rows, one per source
  const T* source_score;  // per source and head
  const T* target_score;  // per target and head
  const T* weight;        // per arc, or null: all 1
  const T* term;          // per arc and head, or null: all 0
  const T* bias;          // one packed row, or null: all 0
  T slope;                // of leaky, in [0, 1]
  Dropout dropout;
};

template <class T>
struct AdditiveOutputs {
  T* out;             // per target, head, channel
  T* top;             // per target and head: highest score; null: not kept, nor what follows
  T* inverse_sum;     // per target and head: 1 / sum of w exp(leaky(x) - top), 0 without arcs
  T* sums;            // packed rows: out without bias. Apart, so that out may be written to
  T* positive;        // packed rows: sum over positive arcs of m a value
  T* positive_share;  // per target and head: sum over positive arcs of a
};

template <class T>
void additive_forward(const ArcRows& by_target, const AdditiveInputs<T>& in,
                      const AdditiveOutputs<T>& out);

// What backward must know of a target, side by side: one visit per arc fetches it all.
enum TargetRecord { kScore, kTop, kMean, kRecordSize };

// Makes, from the gradient of out, what the arcs need: packed rows of it, the records, and the
// gradient of s. mean = <gradient, sums>. Rows and means come divided by the sum of exponentials:
// the arcs then need not know it.
template <class T>
struct AdditiveTargets {
  const T* gradient;  // per target, head, channel
  const T* target_score;
  const T* top;
  const T* inverse_sum;
  const T* positive;
  const T* sums;
  const T* positive_share;
  T* packed_gradient;
  T* record;           // per target: kRecordSize rows of heads
  T* target_gradient;  // per target and head
  T* bias_gradient;    // one packed row
};

template <class T>
void additive_targets(std::int32_t num_targets, const Shape& shape, T slope,
                      const AdditiveTargets<T>& targets);

template <class T>
struct AdditiveGradients {
  const T* packed_gradient;
  const T* record;
  const T* att_source;       // one packed row
  const T* att_target;       // one packed row, or null: s is not made from value
  const T* target_gradient;  // per target and head
  T* value_gradient;         // packed rows, one per source
  T* att_gradient;           // two packed rows: of att_source and att_target
  T* weight_gradient;        // per arc, if there are weights
  T* term_gradient;          // per arc and head, or null
};

template <class T>
void additive_backward(const ArcRows& by_source, const AdditiveInputs<T>& in,
                       const AdditiveGradients<T>& out);

}  // namespace fastgat
