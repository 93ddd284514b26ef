#include "sampling/alias_table.hpp"

#include <algorithm>
#include <vector>

namespace fastgat {

AliasTable::AliasTable(std::span<const double> score) : cell_(score.size()) {
  const std::size_t size = score.size();
  for (double value : score) total_ += value;
  // share[i]: how much of a cell item i still has to fill; cells with room wait in `small`.
  Buffer<double> share(size);
  std::vector<std::uint32_t> small, large;
  for (std::size_t i = 0; i < size; ++i) {
    share[i] = score[i] / total_ * static_cast<double>(size);
    (share[i] < 1 ? small : large).push_back(static_cast<std::uint32_t>(i));
  }
  while (!small.empty() && !large.empty()) {
    const std::uint32_t low = small.back(), high = large.back();
    small.pop_back();
    cell_[low] = {static_cast<std::uint32_t>(std::min(share[low] * 0x1p32, 0x1p32 - 1)), high};
    share[high] -= 1 - share[low];
    if (share[high] < 1) {
      large.pop_back();
      small.push_back(high);
    }
  }
  // What rounding left over fills its own cell; an item of score 0 must not come by that.
  std::uint32_t heaviest =
      static_cast<std::uint32_t>(std::max_element(score.begin(), score.end()) - score.begin());
  for (const auto& rest : {small, large})
    for (std::uint32_t i : rest) cell_[i] = {0, score[i] > 0 ? i : heaviest};
}

}  // namespace fastgat
