#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

#include "memory/buffer.hpp"
#include "parallel/chunks.hpp"

// Sums over all pieces. Every piece has sums of its own, and these are added in the order of the pieces,
// whoever worked on them: the same bits for any number of threads.
namespace fastgat {

// `size` sums per piece, zero at first.
template <class T>
class OrderedSums {
 public:
  OrderedSums(int pieces, std::int64_t size) : size_(size), partial_(size * pieces) {
    std::fill(partial_.begin(), partial_.end(), T{0});
  }

  T* piece(int c) { return partial_.data() + size_ * c; }

  // to[i] = sum number from + i, over all pieces, for i < count.
  template <class Total>
  void add_up(Total* to, std::int64_t from, std::int64_t count) const {
    std::fill(to, to + count, Total{0});
    for (std::size_t at = from; at < partial_.size(); at += size_)
      for (std::int64_t i = 0; i < count; ++i) to[i] += static_cast<Total>(partial_[at + i]);
  }
  void add_up(T* to) const { add_up(to, 0, size_); }

 private:
  std::int64_t size_;
  Buffer<T> partial_;
};

// The sum of body(c) over all pieces c: light ones, kMaxPieces at most.
template <class Sum, class Body>
Sum ordered_sum(int pieces, Body&& body) {
  std::array<Sum, kMaxPieces> partial{};
  for_each_light_piece(pieces, [&](int c) { partial[c] = body(c); });
  Sum total{};
  for (int c = 0; c < pieces; ++c) total += partial[c];
  return total;
}

}  // namespace fastgat
