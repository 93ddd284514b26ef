#pragma once

#include <cstdint>

#include "attention/arc_rows.hpp"
#include "attention/inputs.hpp"

// Scores that need a whole row of both ends of the arc i <- j, per head:
//
//   dot product:  score = <query_i, key_j>
//   GATv2:        score = <att, leaky(query_i + key_j + projection attr_ij)>
//
// Backward passes twice over the arcs: from the sources for the gradients of key and value, from
// the targets for that of query and of what is shared by all arcs.
namespace fastgat {

template <class T>
struct PairInputs : AttentionInputs<T> {
  Shape score_shape;  // as many heads as values have; rows are of whole vectors
  const T* query;     // packed rows, one per target
  const T* key;       // packed rows, one per source
};

template <class T>
struct DotInputs : PairInputs<T> {};

template <class T>
struct GATv2Inputs : PairInputs<T> {
  T slope;              // of leaky, in [0, 1]
  const T* att;         // one packed row
  const T* attr;        // per arc, attr_size numbers; or null
  const T* projection;  // attr_size packed rows
  std::int64_t attr_size;
};

template <class T>
struct PairGradients {
  TargetGradients<T> targets;
  // From the sources
  T* key;     // packed rows
  T* value;   // packed rows, or null: value is key, add to that
  T* weight;  // per arc, if there are weights; zero at first
  // From the targets
  T* query;  // packed rows
};

// Of what GATv2 has beside, from the targets.
template <class T>
struct GATv2Gradients : PairGradients<T> {
  T* att;         // one packed row
  T* attr;        // per arc, attr_size numbers, zero at first; or null
  T* projection;  // attr_size packed rows
};

template <class T>
void pair_forward(const ArcRows& by_target, const DotInputs<T>& in, const AttentionOutputs<T>& out);
template <class T>
void pair_forward(const ArcRows& by_target, const GATv2Inputs<T>& in,
                  const AttentionOutputs<T>& out);

// What the arcs need, from the gradient of out.
template <class T>
void pair_targets(std::int32_t num_targets, const Shape& shape, const T* gradient,
                  const AttentionOutputs<const T>& forward, const TargetGradients<T>& prepared);

template <class T>
void pair_backward(const ArcRows& by_target, const ArcRows& by_source, const DotInputs<T>& in,
                   const PairGradients<T>& out);
template <class T>
void pair_backward(const ArcRows& by_target, const ArcRows& by_source, const GATv2Inputs<T>& in,
                   const GATv2Gradients<T>& out);

}  // namespace fastgat
