#pragma once

#include "attention/shape.hpp"
#include "random/dropout.hpp"

// Attention over the arcs i <- j, per head, whatever the score x of the family is:
//
//   a_ij = w_ij exp(x_ij) / sum over j        out_i = sum_j m_ij a_ij value_j + bias
//
// with m dropout's 0 or scale. Nothing is kept per arc. Backward needs, per target, the highest score
// and the sum of exponentials below it (apart: their logarithm would lose the digits of large scores).
namespace fastgat {

// What all families take.
template <class T>
struct AttentionInputs {
  Shape shape;      // of values
  const T* value;   // packed rows, one per source
  const T* weight;  // per arc, or null: all 1
  const T* bias;    // one packed row, or null: all 0
  Dropout dropout;
};

template <class T>
struct AttentionOutputs {
  T* out;          // per target, head, channel
  T* top;          // per target and head: highest score; null: not kept, nor what follows
  T* inverse_sum;  // per target and head: 1 / sum of w exp(x - top), 0 without arcs
  // Families that split their arcs by the sign of the score need more, others have null here.
  T* sums = nullptr;            // packed rows: out without bias. Apart, so that out may be written to
  T* positive = nullptr;        // packed rows: sum over positive arcs of m a value
  T* positive_share = nullptr;  // per target and head: sum over positive arcs of a
};

// What backward must know of a target, side by side: one visit per arc fetches it all. Families may
// add to it.
enum TargetRecord { kTop, kMean, kTargetRecordSize };

// The gradient of out, as the arcs need it: with g the gradient, mean = <g, out without bias>. Rows and
// means come divided by the sum of exponentials: the arcs then need not know it.
template <class T>
struct TargetGradients {
  T* packed;  // packed rows of g, one per target
  T* record;  // per target: rows of heads
};

}  // namespace fastgat
