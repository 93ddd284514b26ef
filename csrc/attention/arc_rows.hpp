#pragma once

#include <cstdint>
#include <span>

#include "parallel/index_range.hpp"

namespace fastgat {

// Arcs are worked on sixteen at a time: a few vectors of scores.
inline constexpr int kTileArcs = 16;

// The arcs of a graph in compressed rows, seen from one end: from their targets (the row is a
// target, `other` its sources) or from their sources. Rows are sorted, so that repeats of an arc are
// neighbours, in the same order at both ends.
struct ArcRows {
  std::int32_t num_rows = 0;
  const std::int64_t* offset = nullptr;  // row r has the arcs [offset[r], offset[r + 1]) of `other`
  const std::int32_t* other = nullptr;
  const std::int32_t* id = nullptr;      // place of the arc in per-arc arrays; null: there are none
  bool has_loops = false;                // every row has one more arc, to itself
  std::span<const std::int32_t> pieces;  // boundaries of pieces of rows with about equal work
  const IndexRange* other_range = nullptr;
  const IndexRange* id_range = nullptr;

  std::int64_t num_stored() const { return offset[num_rows]; }
  std::int64_t count(std::int32_t row) const {
    return offset[row + 1] - offset[row] + (has_loops ? 1 : 0);
  }
  // The id of a row's loop.
  std::int32_t loop_id(std::int32_t row) const {
    return static_cast<std::int32_t>(num_stored() + row);
  }
  int num_pieces() const { return static_cast<int>(pieces.size()) - 1; }
};

}  // namespace fastgat
