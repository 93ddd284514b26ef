#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "parallel/chunks.hpp"

namespace fastgat {

// How rows of different lengths are shared out: a row costs as much as `row_cost` of its entries, and
// a piece has at least `smallest` of them.
struct RowWork {
  std::int64_t row_cost = 1;
  std::int64_t smallest = 4096;
};

// Boundaries of pieces of rows with about equal work, at most kMaxPieces of them: rows are cut where
// the running count of entries and rows passes equal shares. offset[r] is the first entry of row r.
inline std::vector<std::int32_t> balance_rows(std::span<const std::int64_t> offset,
                                              const RowWork& work = {}) {
  const std::int32_t rows = static_cast<std::int32_t>(offset.size() - 1);
  const auto work_before = [&](std::int32_t row) { return offset[row] + work.row_cost * row; };
  const Chunks chunks(work_before(rows), work.smallest);
  std::vector<std::int32_t> cuts(chunks.pieces + 1, 0);
  for (int c = 1; c < chunks.pieces; ++c) {
    std::int32_t low = cuts[c - 1], high = rows;
    while (low < high) {
      const std::int32_t middle = low + (high - low) / 2;
      if (work_before(middle) < chunks.begin(c)) low = middle + 1;
      else high = middle;
    }
    cuts[c] = low;
  }
  cuts[chunks.pieces] = rows;
  return cuts;
}

}  // namespace fastgat
