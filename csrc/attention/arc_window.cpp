#include "attention/arc_window.hpp"

#include <algorithm>

#include "random/threefry.hpp"
#include "simd/lanes.hpp"

namespace fastgat {
namespace {

using Words = Lanes<std::uint32_t, kTileArcs>;

// The largest of `count` numbers, taken as unsigned; reads whole tiles.
FASTGAT_KERNEL std::uint32_t largest_of(const std::int32_t* numbers, int count) {
  Words largest{};
  for (int k = 0; k < count; k += kTileArcs) {
    const Words here = words_of<kTileArcs>(numbers + k);
    largest = where_less(largest, here, here, largest);
  }
  std::uint32_t each[kTileArcs];
  store<std::uint32_t, kTileArcs>(each, largest);
  return *std::max_element(each, each + kTileArcs);
}

// Whether two neighbours have the same row and the same far end.
FASTGAT_KERNEL bool any_repeat(const std::int32_t* row, const std::int32_t* other, int count) {
  const int pairs = count - 1;
  if (pairs < kTileArcs) {
    for (int k = 0; k < pairs; ++k)
      if (row[k] == row[k + 1] && other[k] == other[k + 1]) return true;
    return false;
  }
  Words least = Words{} + 0xFFFFFFFFu;
  for (int k = 0; k < pairs; k += kTileArcs) {
    const int at = std::min(k, pairs - kTileArcs);
    const auto differ = [&](const std::int32_t* of_arcs) __attribute__((always_inline)) {
      return words_of<kTileArcs>(of_arcs + at) ^ words_of<kTileArcs>(of_arcs + at + 1);
    };
    const Words here = differ(row) | differ(other);
    least = where_less(here, least, here, least);
  }
  std::uint32_t each[kTileArcs];
  store<std::uint32_t, kTileArcs>(each, least);
  return *std::min_element(each, each + kTileArcs) == 0;
}

}  // namespace

// The arcs from number `first` of the row on, of which there is one at least, as many as there is room
// for, and their masks.
template <class T, int H>
void ArcWindow<T, H>::fill(std::int32_t row, std::int64_t first) {
  const bool drops = dropout_.is_active();
  // The arc before, if it is of the same row: the last one that was handed out.
  const bool goes_on = drops && first > 0;
  const std::int32_t last_other = goes_on ? other_[next_ - 1] : 0;
  const std::int32_t last_occurrence = goes_on && has_repeats_ ? occurrence_[next_ - 1] : 0;
  int filled = 0;
  bool ends_with_row = true;
  for (; row < end_row_ && filled < kSize; ++row, first = 0) {
    const std::int64_t stored = arcs_.offset[row + 1] - arcs_.offset[row];
    const int begin = filled;
    if (first < stored) {
      const int taken = static_cast<int>(std::min<std::int64_t>(stored - first, kSize - filled));
      const std::int64_t at = arcs_.offset[row] + first;
      std::copy_n(arcs_.other + at, taken, other_ + filled);
      if (arcs_.id) std::copy_n(arcs_.id + at, taken, id_ + filled);
      filled += taken;
      first += taken;
    }
    ends_with_row = first == stored;
    if (arcs_.has_loops && first == stored) {
      ends_with_row = filled < kSize;
      if (ends_with_row) {
        other_[filled] = row;
        if (arcs_.id) id_[filled] = arcs_.loop_id(row);
        ++filled;
      }
    }
    if (drops) std::fill(row_ + begin, row_ + filled, row);
  }
  // Beyond the last arc: the last again.
  const auto repeat_last = [&](std::int32_t* of_arcs) {
    std::fill_n(of_arcs + filled, kTileArcs, of_arcs[filled - 1]);
  };
  const auto check = [&](std::int32_t* of_arcs, const IndexRange& range) {
    if (largest_of(of_arcs, filled) >= range.size()) range.mend(of_arcs, filled + kTileArcs);
  };
  repeat_last(other_);
  check(other_, *arcs_.other_range);
  if (arcs_.id) {
    repeat_last(id_);
    check(id_, *arcs_.id_range);
  }
  next_ = asked_ = 0;
  filled_ = filled;
  if (!drops) return;
  repeat_last(row_);
  const bool repeats_last = goes_on && other_[0] == last_other;
  has_repeats_ = repeats_last || any_repeat(row_, other_, filled);
  if (has_repeats_) count_repeats(repeats_last, last_occurrence, ends_with_row);
  const bool from_target = row_is_ == RowIs::kTarget;
  draw_mask<H>(dropout_, head_offset_, from_target ? row_ : other_, from_target ? other_ : row_,
               has_repeats_ ? occurrence_ : nullptr, filled, mask_);
}

// How many arcs like it come before an arc in its row. A loop that was added, the last of its row,
// counts from 0, whether or not there is another: the other end has it in another place.
template <class T, int H>
void ArcWindow<T, H>::count_repeats(bool repeats_last, std::int32_t last_occurrence,
                                    bool ends_with_row) {
  for (int k = 0; k < filled_; ++k) {
    const bool repeats = k == 0 ? repeats_last
                                : row_[k] == row_[k - 1] && other_[k] == other_[k - 1];
    const bool ends_row = k + 1 < filled_ ? row_[k] != row_[k + 1] : ends_with_row;
    const bool is_loop = arcs_.has_loops && ends_row;
    const std::int32_t before = k == 0 ? last_occurrence : occurrence_[k - 1];
    occurrence_[k] = repeats && !is_loop ? before + 1 : 0;
  }
  std::fill_n(occurrence_ + filled_, kTileArcs, 0);
}

#define FASTGAT_INSTANTIATE(H)        \
  template class ArcWindow<float, H>; \
  template class ArcWindow<double, H>;
FASTGAT_INSTANTIATE(1)
FASTGAT_INSTANTIATE(2)
FASTGAT_INSTANTIATE(4)
FASTGAT_INSTANTIATE(8)
FASTGAT_INSTANTIATE(16)
#undef FASTGAT_INSTANTIATE

}  // namespace fastgat
