#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <functional>
#include <vector>

#if defined(_OPENMP)
#include <omp.h>
#endif

#include "machine.hpp"

namespace fastgat {

// Work is cut into at most this many pieces, whatever the number of threads: sums over pieces are
// added in order, so that every result has the same bits on any number of threads.
inline constexpr int kMaxChunks = 64;

// `count` items into equal pieces: piece c is [chunk_begin(c), chunk_begin(c + 1)).
struct Chunks {
  std::int64_t count;
  int pieces;

  explicit Chunks(std::int64_t count, std::int64_t smallest = 4096)
      : count(count),
        pieces(static_cast<int>(std::clamp<std::int64_t>(count / smallest, 1, kMaxChunks))) {}
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

// body(c) for every part c, in parallel. The body may not throw or allocate.
template <class Body>
void for_each_part(int parts, Body&& body) {
#pragma omp parallel for schedule(dynamic, 1) if (parts > 1)
  for (int c = 0; c < parts; ++c) body(c);
}

// The same for pieces of the usual size. A few of them are done sooner by one thread: waking the
// others costs microseconds, and on a busy machine waiting for them costs milliseconds.
template <class Body>
void for_each_chunk(int pieces, Body&& body) {
#pragma omp parallel for schedule(dynamic, 1) if (pieces > 8)
  for (int c = 0; c < pieces; ++c) body(c);
}

// Called between steps of long work, never inside a parallel region: lets the caller stop the work
// (by throwing) and see how far it is. Asking is cheap; the caller is reached every 50 ms at most.
class Monitor {
 public:
  using Callback = std::function<void(double)>;

  Monitor() = default;
  explicit Monitor(Callback callback) : callback_(std::move(callback)) {}

  void tick(double progress) {
    if (!callback_) return;
    const auto now = std::chrono::steady_clock::now();
    if (now - last_ < std::chrono::milliseconds(50)) return;
    last_ = now;
    callback_(progress);
  }

 private:
  Callback callback_;
  std::chrono::steady_clock::time_point last_ = std::chrono::steady_clock::now();
};

}  // namespace fastgat
