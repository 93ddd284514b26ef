#pragma once

#include <cstdint>

#include "attention/arc_rows.hpp"
#include "attention/shape.hpp"
#include "threefry.hpp"

// Attention with scores that need a whole row of both ends of the arc i <- j, per head:
//
//   kDot:    x_ij = <query_i, key_j>
//   kGATv2:  x_ij = <att, leaky(query_i + key_j + projection attr_ij)>
//
//   a_ij = w_ij exp(x_ij) / sum over j        out_i = sum_j m_ij a_ij value_j
//
// Backward passes twice over the arcs: from the sources for the gradients of key and value, from
// the targets for that of query and of what is shared by all arcs. Nothing is kept per arc.
namespace fastgat {

enum class PairScore { kDot, kGATv2 };

template <class T>
struct PairInputs {
  PairScore score;
  Shape score_shape, value_shape;  // heads are the same; rows are of whole vectors
  const T* query;                  // packed rows, one per target
  const T* key;                    // packed rows, one per source
  const T* value;                  // packed rows, one per source
  const T* weight;                 // per arc, or null: all 1
  Dropout dropout;
  // GATv2 alone
  T slope;              // of leaky, in [0, 1]
  const T* att;         // one packed row
  const T* attr;        // per arc, attr_size numbers; or null
  const T* projection;  // attr_size packed rows
  std::int64_t attr_size;
};

template <class T>
struct PairOutputs {
  T* out;          // per target, head, channel
  T* top;          // per target and head: highest score
  T* inverse_sum;  // per target and head: 1 / sum of w exp(x - top), 0 without arcs
};

template <class T>
void pair_forward(const ArcRows& by_target, const PairInputs<T>& in, const PairOutputs<T>& out);

// What backward must know of a target, side by side.
enum PairRecord { kPairTop, kPairInverseSum, kPairMean, kPairRecordSize };

// Packed rows of the gradient of out, and the records. mean = <gradient, out>.
template <class T>
void pair_targets(std::int32_t num_targets, const Shape& shape, const T* gradient,
                  const PairOutputs<const T>& forward, T* packed_gradient, T* record);

template <class T>
struct PairGradients {
  const T* packed_gradient;
  const T* record;
  // From the sources
  T* key;     // packed rows; in GATv2 the values' part, if value is key, is added to it
  T* value;   // packed rows, or null: add to key
  T* weight;  // per arc, or null
  // From the targets
  T* query;       // packed rows
  T* att;         // one packed row
  T* attr;        // per arc, attr_size numbers; or null
  T* projection;  // attr_size packed rows
};

template <class T>
void pair_backward_sources(const ArcRows& by_source, const PairInputs<T>& in,
                           const PairGradients<T>& out);
template <class T>
void pair_backward_targets(const ArcRows& by_target, const PairInputs<T>& in,
                           const PairGradients<T>& out);

}  // namespace fastgat
