#include "parallel/offsets.hpp"

#include <algorithm>

#include "simd/machine.hpp"

namespace fastgat {
namespace {

FASTGAT_KERNEL bool rises(const std::int64_t* offset, std::int64_t count) {
  std::int64_t falls = 0;
  for (std::int64_t r = 1; r < count; ++r) falls |= offset[r] < offset[r - 1];
  return !falls;
}

}  // namespace

bool copy_rising(std::span<const std::int64_t> offset, std::int64_t* copy) {
  std::copy(offset.begin(), offset.end(), copy);
  return rises(copy, static_cast<std::int64_t>(offset.size()));
}

}  // namespace fastgat
