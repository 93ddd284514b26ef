#include "attention/arc_window.hpp"

namespace fastgat {

// The arcs from number `first` of the row on, of which there is one at least, as many as there is room
// for, and their masks.
template <class T, int H>
void ArcWindow<T, H>::fill(std::int32_t row, std::int64_t first) {
  const bool drops = dropout_.is_active();
  int filled = 0;
  for (; row < end_row_ && filled < kSize; ++row, first = 0) {
    const std::int64_t stored = arcs_.end[row] - arcs_.begin[row];
    const int begin = filled;
    if (first < stored) {
      const int taken = static_cast<int>(std::min<std::int64_t>(stored - first, kSize - filled));
      const std::int64_t at = arcs_.begin[row] + first;
      std::copy_n(arcs_.other + at, taken, other_ + filled);
      if (arcs_.id) std::copy_n(arcs_.id + at, taken, id_ + filled);
      filled += taken;
      first += taken;
    }
    if (arcs_.has_loops && first == stored && filled < kSize) {
      other_[filled] = row;
      if (arcs_.id) id_[filled] = static_cast<std::int32_t>(arcs_.num_stored + row);
      ++filled;
    }
    if (drops) std::fill(row_ + begin, row_ + filled, row);
  }
  // Beyond the last arc: the last again.
  const auto repeat_last = [&](std::int32_t* of_arcs) {
    std::fill_n(of_arcs + filled, kTileArcs, of_arcs[filled - 1]);
  };
  repeat_last(other_);
  if (arcs_.id) repeat_last(id_);
  if (drops) {
    repeat_last(row_);
    const bool from_target = row_is_ == RowIs::kTarget;
    draw_mask<H>(dropout_, head_offset_, from_target ? row_ : other_, from_target ? other_ : row_,
                 arcs_.has_repeats ? id_ : nullptr, filled, mask_);
  }
  next_ = asked_ = 0;
  filled_ = filled;
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
