#pragma once

#include <bit>
#include <cstdint>

#include "parallel/index_range.hpp"
#include "random/dropout.hpp"

namespace fastgat {

// Tells masks of features from other masks drawn with the same seed.
inline constexpr std::uint64_t kFeatureMask = 0x6665617475726573u;  // "features"

inline constexpr int kGroup = 16;  // entries whose masks are drawn by one call of the generator

// Masks of this many entries are drawn before any is used: rows alone are too short to fill groups.
inline constexpr int kTile = 512;

// Up to kTile entries of a sparse matrix.
template <class T>
struct EntryTile {
  const std::int32_t* line;   // row or column: the other one. In whole groups
  const std::int32_t* index;  // row or column: what is looked up
  const T* value;             // null if every value is 1
  int count;
  bool lines_are_rows;
};

// Those that dropout leaves, in their order; their indices are in range.
template <class T>
struct KeptEntries {
  alignas(64) std::int32_t index[kTile + kGroup];
  alignas(64) T value[kTile + kGroup];  // as they were, if there were any
  std::int32_t before[kTile / kGroup + 1];  // entries kept before a group
  std::uint32_t bits[kTile / kGroup + 1];   // which ones of the group are

  // How many of the tile's first `count` entries are kept.
  int kept_of(std::int64_t count) const {
    const std::uint32_t earlier = (1u << count % kGroup) - 1;
    return before[count / kGroup] + std::popcount(bits[count / kGroup] & earlier);
  }
};

template <class T>
void keep_entries(const Dropout& dropout, const EntryTile<T>& tile, const IndexRange& range,
                  KeptEntries<T>& kept);

// All of them: only the indices are copied.
void copy_indices(const std::int32_t* index, int count, const IndexRange& range,
                  std::int32_t (&copy)[kTile + kGroup]);

}  // namespace fastgat
