#pragma once

#include <algorithm>
#include <cstdint>

#if defined(_OPENMP)
#include <omp.h>
#endif

namespace fastgat {

// Work is cut into at most this many pieces, whatever the number of threads: sums over pieces are
// added in order, so that every result has the same bits on any number of threads.
inline constexpr int kMaxPieces = 64;

// `count` items in equal pieces: piece c is [begin(c), end(c)).
struct Chunks {
  std::int64_t count;
  int pieces;

  explicit Chunks(std::int64_t count, std::int64_t smallest = 4096)
      : count(count),
        pieces(static_cast<int>(std::clamp<std::int64_t>(count / smallest, 1, kMaxPieces))) {}
  std::int64_t begin(int c) const { return count * c / pieces; }
  std::int64_t end(int c) const { return count * (c + 1) / pieces; }
};

inline int max_threads() {
#if defined(_OPENMP)
  return omp_get_max_threads();
#else
  return 1;
#endif
}

// Which of the threads runs this, below max_threads(): for scratch that is too large to have per piece.
inline int thread_number() {
#if defined(_OPENMP)
  return omp_get_thread_num();
#else
  return 0;
#endif
}

// body(c) for every piece c, in parallel. The body may not throw or allocate.
template <class Body>
void for_each_piece(int pieces, Body&& body) {
#pragma omp parallel for schedule(dynamic, 1) if (pieces > 1)
  for (int c = 0; c < pieces; ++c) body(c);
}

// The same for pieces with little work, such as 4096 items. A few of them are done sooner by one
// thread: waking the others costs microseconds, and on a busy machine waiting for them costs
// milliseconds.
template <class Body>
void for_each_light_piece(int pieces, Body&& body) {
#pragma omp parallel for schedule(dynamic, 1) if (pieces > 8)
  for (int c = 0; c < pieces; ++c) body(c);
}

}  // namespace fastgat
