#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

namespace fastgat {

// Arcs are worked on sixteen at a time: one vector of random words, a few of scores.
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
  bool has_gaps() const { return end != begin + 1; }
  int num_pieces() const { return static_cast<int>(pieces.size()) - 1; }
};

// Up to sixteen arcs of one row. Lanes beyond `count` repeat a valid arc: reading there is harmless.
struct ArcTile {
  alignas(64) std::int32_t other[kTileArcs];
  alignas(64) std::int32_t id[kTileArcs];
  int count = 0;
};

// Arcs [first, first + 16) of the row's `count`.
inline __attribute__((always_inline)) void load_tile(const ArcRows& arcs, std::int32_t row,
                                                     std::int64_t first, std::int64_t count,
                                                     ArcTile& tile) {
  const std::int64_t stored = arcs.end[row] - arcs.begin[row];
  const std::int32_t* other = arcs.other + arcs.begin[row];
  tile.count = static_cast<int>(std::min<std::int64_t>(kTileArcs, count - first));
  if (first + kTileArcs <= stored) {
    std::memcpy(tile.other, other + first, sizeof tile.other);
  } else {
    for (int k = 0; k < kTileArcs; ++k)
      tile.other[k] = first + k < stored ? other[first + k] : arcs.has_loops ? row : other[first];
  }
  if (arcs.id) {
    const std::int32_t* id = arcs.id + arcs.begin[row];
    for (int k = 0; k < kTileArcs; ++k)
      tile.id[k] = first + k < stored
                       ? id[first + k]
                       : (arcs.has_loops ? static_cast<std::int32_t>(arcs.num_stored + row)
                                         : id[first]);
  }
}

}  // namespace fastgat
