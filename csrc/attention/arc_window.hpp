#pragma once

#include <algorithm>
#include <cstdint>
#include <span>

#include "attention/arc_rows.hpp"
#include "attention/mask.hpp"
#include "random/dropout.hpp"
#include "simd/lanes.hpp"

namespace fastgat {

// The end of its arcs that a row stands for.
enum class RowIs { kTarget, kSource };

// Up to sixteen arcs of one row. Lanes beyond `count` hold arcs of other rows: reading there is
// allowed, but what comes of it must be left out.
struct ArcTile {
  const std::int32_t* other;
  const std::int32_t* id;  // only if the rows have ids
  int count;
  int place;                            // of its first arc in the window
  std::span<const std::int32_t> ahead;  // far ends whose rows should be fetched by now
};

// The arcs of consecutive rows, loops among them, laid out one after another, a few hundred at a
// time. What costs as much for one arc as for sixteen, random words above all, is then shared by
// short rows, and the arcs of the next rows are known in time to fetch what they will need.
template <class T, int H>
class ArcWindow {
 public:
  // For rows up to `end_row`.
  ArcWindow(const ArcRows& arcs, std::int32_t end_row, RowIs row_is, const Dropout& dropout,
            int head_offset)
      : arcs_(arcs),
        dropout_(dropout),
        scale_(static_cast<T>(dropout.scale())),
        end_row_(end_row),
        head_offset_(head_offset),
        row_is_(row_is) {}

  // Arcs [first, first + 16) of the row's `count`; valid until the next call. All tiles of all rows
  // must be asked for, in order.
  FASTGAT_INLINE ArcTile tile(std::int32_t row, std::int64_t first, std::int64_t count) {
    const int taken = static_cast<int>(std::min<std::int64_t>(kTileArcs, count - first));
    if (next_ + taken > filled_) fill(row, first);
    const int place = next_, asked = asked_;
    next_ += taken;
    asked_ = std::min(next_ + kTileArcs, filled_);
    return {other_ + place, id_ + place, taken, place, {other_ + asked, other_ + asked_}};
  }

  // What dropout multiplies the values of vector v of the tile by; only where it is active.
  FASTGAT_INLINE Lanes<T, 16> keep(const ArcTile& tile, int v) const {
    return keep_factor<T, H>(mask_, tile.place * H + 16 * v, scale_);
  }

 private:
  static constexpr int kSize = 512;
  static constexpr int kRoom = kSize + kTileArcs;  // tiles and draws read beyond the last arc
  static_assert(kArcsPerDraw <= kTileArcs && kSize % kArcsPerDraw == 0);

  void fill(std::int32_t row, std::int64_t first);
  void count_repeats(bool repeats_last, std::int32_t last_occurrence, bool ends_with_row);

  const ArcRows& arcs_;
  const Dropout& dropout_;
  const T scale_;
  const std::int32_t end_row_;
  const int head_offset_;
  const RowIs row_is_;
  int next_ = 0, asked_ = 0, filled_ = 0;
  bool has_repeats_ = false;
  alignas(64) std::int32_t other_[kRoom];
  alignas(64) std::int32_t id_[kRoom];
  alignas(64) std::int32_t row_[kRoom];         // only if arcs are dropped
  alignas(64) std::int32_t occurrence_[kRoom];  // only if there are repeats in the window
  alignas(64) std::uint8_t mask_[kRoom * H / 8 + kMaskOverrun] = {};
};

}  // namespace fastgat
