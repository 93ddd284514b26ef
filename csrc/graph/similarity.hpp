#pragma once

#include <cstdint>
#include <span>

#include "graph/adjacency.hpp"
#include "memory/buffer.hpp"

namespace fastgat {

// How alike the two ends of every edge are. Edges are read one after another, and nothing is stored
// per edge but the result.

// The product of the rows of both ends; `features` has `width` numbers per node.
Buffer<double> dense_products(const Adjacency& graph, const float* features, std::int64_t width);

// The same for rows of few numbers: offset, column and value of each, columns below `num_columns`.
struct SparseRows {
  std::span<const std::int64_t> offset;
  std::span<const std::int32_t> column;
  const float* value;
  std::int32_t num_columns;
};
Buffer<double> sparse_products(const Adjacency& graph, const SparseRows& rows);

// Neighbours of both ends over neighbours of either.
Buffer<double> jaccard_index(const Adjacency& graph);

}  // namespace fastgat
