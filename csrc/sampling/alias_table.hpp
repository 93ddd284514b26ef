#pragma once

#include <cstdint>
#include <span>

#include "memory/buffer.hpp"

namespace fastgat {

// Draws item i with probability score[i] / sum(score), with one look-up (Walker 1977, Vose 1991).
class AliasTable {
 public:
  // Scores must be finite, not negative, not all zero, and fewer than 2^32.
  explicit AliasTable(std::span<const double> score);

  std::int64_t size() const { return static_cast<std::int64_t>(cell_.size()); }
  double total() const { return total_; }

  // One 64-bit random number: its product with the size gives the cell, what is left over decides
  // between the cell's two items.
  std::int64_t draw(std::uint64_t bits) const {
    const auto product = static_cast<unsigned __int128>(bits) * cell_.size();
    const std::int64_t i = static_cast<std::int64_t>(product >> 64);
    const std::uint32_t rest = static_cast<std::uint32_t>(static_cast<std::uint64_t>(product) >> 32);
    return rest < cell_[i].threshold ? i : cell_[i].other;
  }

 private:
  struct Cell {
    std::uint32_t threshold;  // in units of 2^-32; a cell of one item has itself as the other
    std::uint32_t other;
  };
  Buffer<Cell> cell_;
  double total_ = 0;
};

}  // namespace fastgat
