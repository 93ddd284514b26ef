#pragma once

#include <atomic>
#include <cstdint>
#include <optional>

namespace fastgat {

// What the indices of an array may be: [0, size). Kernels check the copies of indices that they work
// with, so that nobody can change them in between: one outside is replaced by one inside and reported,
// and whoever called the kernel refuses the array when all threads are done. Where there are indices,
// size must not be 0.
class IndexRange {
 public:
  explicit IndexRange(std::int64_t size) : size_(static_cast<std::uint32_t>(size)) {}

  // Indices taken as unsigned are good below this.
  std::uint32_t size() const { return size_; }

  // Indices outside become 0.
  void mend(std::int32_t* index, int count) const {
    for (int k = 0; k < count; ++k)
      if (static_cast<std::uint32_t>(index[k]) >= size_) {
        report(index[k]);
        index[k] = 0;
      }
  }
  void report(std::int32_t index) const { outside_.store(index, std::memory_order_relaxed); }

  // One of the indices that were outside, if there were any.
  std::optional<std::int32_t> outside() const {
    const std::int64_t found = outside_.load(std::memory_order_relaxed);
    if (found == kNone) return std::nullopt;
    return static_cast<std::int32_t>(found);
  }

 private:
  static constexpr std::int64_t kNone = std::int64_t{1} << 40;
  std::uint32_t size_;
  mutable std::atomic<std::int64_t> outside_{kNone};
};

}  // namespace fastgat
