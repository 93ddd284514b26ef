#pragma once

#include <cstdint>
#include <span>

namespace fastgat {

// Arcs are worked on sixteen at a time: a few vectors of scores.
inline constexpr int kTileArcs = 16;

// The arcs of a graph in compressed rows, seen from one end: from their targets (the row is a
// target, `other` its sources) or from their sources.
struct ArcRows {
  std::int32_t num_rows = 0;
  const std::int64_t* begin = nullptr;  // the row's arcs are [begin[row], end[row]) of `other`:
  const std::int64_t* end = nullptr;    // rows may have gaps between them
  const std::int32_t* other = nullptr;
  const std::int32_t* id = nullptr;      // place of the arc in per-arc arrays; null: not known
  bool has_loops = false;                // every row has one more arc, to itself
  bool has_repeats = false;              // masks tell repeated arcs apart by their id
  std::int64_t num_stored = 0;           // the loop of row r has the id num_stored + r
  std::span<const std::int32_t> pieces;  // boundaries of pieces of rows with about equal work

  std::int64_t count(std::int32_t row) const {
    return end[row] - begin[row] + (has_loops ? 1 : 0);
  }
  int num_pieces() const { return static_cast<int>(pieces.size()) - 1; }
};

}  // namespace fastgat
