#pragma once

#include <cstdint>

#include "attention/arc_rows.hpp"
#include "lanes.hpp"
#include "threefry.hpp"

namespace fastgat {

// What the coefficients of a tile's arcs are multiplied by, 0 or the scale: sixteen values a vector,
// arc after arc, heads innermost.
template <class T, int H>
struct Keep {
  Lanes<T, 16> factor[H];
};

// The end of its arcs that a row stands for.
enum class RowIs { kTarget, kSource };

// Head h of the arc i <- j is decided by the 16 bits number h % 8 of the counter (i, j, h / 8, id),
// whichever end the row is seen from. Ids count only where arcs repeat.
template <class T, int H>
void draw_keep(const Dropout& dropout, int head_offset, RowIs row_is, const ArcRows& arcs,
               std::int32_t row, const ArcTile& tile, Keep<T, H>& keep);

}  // namespace fastgat
