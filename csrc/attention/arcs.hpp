#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "attention/arc_rows.hpp"
#include "buffer.hpp"
#include "graph/adjacency.hpp"

namespace fastgat {

// The arcs of a graph as the attention kernels read them: sorted by target and by source. Rows are
// sorted too, repeats in their own order. A symmetric graph is stored once.
class Arcs {
 public:
  // Arc k runs from source[k] to target[k]; the bindings have checked the numbers. With `add_loops`
  // stored self-loops are left out and every node has one. Ids count the arcs that are kept.
  Arcs(std::span<const std::int64_t> source, std::span<const std::int64_t> target,
       std::int32_t num_sources, std::int32_t num_targets, bool add_loops, bool with_ids);
  // Both directions of every edge, row after row. Refers to the adjacency, which must live on.
  Arcs(const Adjacency& graph, bool add_loops, bool with_ids);
  Arcs(Arcs&&) = default;

  std::int32_t num_sources() const { return by_source_.num_rows; }
  std::int32_t num_targets() const { return by_target_.num_rows; }
  std::int64_t num_stored() const { return by_target_.num_stored; }
  // The length of arrays with one entry per arc.
  std::int64_t num_arcs() const {
    return num_stored() + (by_target_.has_loops ? num_targets() : 0);
  }
  bool has_ids() const { return by_target_.id != nullptr; }
  bool is_symmetric() const { return is_symmetric_; }
  bool has_repeats() const { return by_target_.has_repeats; }
  const ArcRows& by_target() const { return by_target_; }
  const ArcRows& by_source() const { return by_source_; }

 private:
  struct Side {
    Buffer<std::int64_t> offset;
    Buffer<std::int32_t> other, id;
    std::vector<std::int32_t> pieces;
  };
  Side target_side_, source_side_;
  ArcRows by_target_, by_source_;
  bool is_symmetric_ = false;
};

}  // namespace fastgat
