#pragma once

#include <cstdint>
#include <memory>
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
  explicit Arcs(const Adjacency& graph);
  // Both directions of the edges e with kept[e], row after row. edge_of_arc names the edge of every
  // arc of the adjacency, which must live on.
  Arcs(const Adjacency& graph, std::span<const std::int32_t> edge_of_arc,
       std::span<const std::uint8_t> kept);

  // The same arcs, to which a loop is added at every node, or not; with ids in their order by target.
  // Only for symmetric arcs without repeats and loops.
  Arcs variant(bool add_loops, bool with_ids) const;

  std::int32_t num_sources() const { return by_source_.num_rows; }
  std::int32_t num_targets() const { return by_target_.num_rows; }
  std::int64_t num_stored() const { return by_target_.num_stored; }
  // The length of arrays with one entry per arc.
  std::int64_t num_arcs() const {
    return num_stored() + (by_target_.has_loops ? num_targets() : 0);
  }
  bool has_ids() const { return by_target_.id != nullptr; }
  bool has_loops() const { return by_target_.has_loops; }
  bool is_symmetric() const { return is_symmetric_; }
  bool has_repeats() const { return by_target_.has_repeats; }
  const ArcRows& by_target() const { return by_target_; }
  const ArcRows& by_source() const { return by_source_; }

 private:
  struct Side {
    Buffer<std::int64_t> offset;  // num_rows + 1, or only the ends of rows with gaps
    Buffer<std::int32_t> other, id;
    std::vector<std::int32_t> pieces;
  };
  struct Storage {
    Side target, source;
    std::shared_ptr<const Storage> base;  // what a variant shares
  };

  std::shared_ptr<const Storage> storage_;
  ArcRows by_target_, by_source_;
  bool is_symmetric_ = false;
};

// The edge of every arc of the adjacency, in 32 bits.
Buffer<std::int32_t> edges_of_arcs(const Adjacency& graph);

}  // namespace fastgat
