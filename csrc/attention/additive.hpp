#pragma once

#include <cstdint>

#include "attention/arc_rows.hpp"
#include "attention/inputs.hpp"

// Additive scores (GAT), for the arc i <- j and every head:
//
//   score = leaky(x_ij)        x_ij = <value_j, att_source> + s_i + term_ij
//
// The gradient of s_i needs, beside what all families keep, the sums over the arcs with positive x
// alone (docs/method.md); then one pass over the arcs, from their sources, is enough.
namespace fastgat {

template <class T>
struct AdditiveInputs : AttentionInputs<T> {
  const T* source_score;  // per source and head
  const T* target_score;  // per target and head
  const T* term;          // per arc and head, or null: all 0
  T slope;                // of leaky, in [0, 1]
};

template <class T>
void additive_forward(const ArcRows& by_target, const AdditiveInputs<T>& in,
                      const AttentionOutputs<T>& out);

// The records of targets, and s_i beside.
enum AdditiveRecord { kTargetScore = kTargetRecordSize, kAdditiveRecordSize };

// Makes, from the gradient of out, what the arcs need, and the gradient of s.
template <class T>
struct AdditiveTargets {
  const T* gradient;  // per target, head, channel
  const T* target_score;
  AttentionOutputs<const T> forward;
  TargetGradients<T> prepared;
  T* target_gradient;  // per target and head
  T* bias_gradient;    // one packed row
};

template <class T>
void additive_targets(std::int32_t num_targets, const Shape& shape, T slope,
                      const AdditiveTargets<T>& targets);

template <class T>
struct AdditiveGradients {
  TargetGradients<T> targets;
  const T* att_source;       // one packed row
  const T* att_target;       // one packed row, or null: s is not made from value
  const T* target_gradient;  // per target and head
  T* value;                  // packed rows, one per source
  T* att;                    // two packed rows: of att_source and att_target
  T* weight;                 // per arc, if there are weights; zero at first
  T* term;                   // per arc and head, or null
};

template <class T>
void additive_backward(const ArcRows& by_source, const AdditiveInputs<T>& in,
                       const AdditiveGradients<T>& out);

}  // namespace fastgat
