#pragma once

#include <cstdint>
#include <span>

#include "memory/buffer.hpp"

namespace fastgat {

// The arcs of a graph by one of their ends, in compressed rows.
struct ArcSide {
  Buffer<std::int64_t> offset;     // one per row, and the number of arcs
  Buffer<std::int32_t> other, id;  // the arc's far end; its number, if asked for
};

struct SortedArcs {
  ArcSide by_target, by_source;  // if the graph is symmetric, the latter has nothing but ids
  bool is_symmetric = false;
};

struct SortOptions {
  std::int32_t num_sources;
  std::int32_t num_targets;
  bool drop_loops;  // arcs from a node to itself are left out
  bool with_ids;    // ids count the arcs that are kept, in their given order
};

// Arc k runs from source[k] to target[k]. Rows are sorted, repeats in their given order. Throws
// std::invalid_argument if a node is out of range.
SortedArcs sort_arcs(std::span<const std::int64_t> source, std::span<const std::int64_t> target,
                     const SortOptions& options);

}  // namespace fastgat
