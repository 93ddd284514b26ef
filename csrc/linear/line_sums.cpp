#include "linear/line_sums.hpp"

#include <algorithm>

#include "lanes.hpp"
#include "linear/table.hpp"
#include "parallel.hpp"

namespace fastgat {
namespace {

constexpr int W = kTableLanes;
static_assert(kEntryPadding == W);

// Masks of this many entries are drawn before any is used: rows alone are too short to fill vectors.
constexpr int kTile = 512;

template <class T>
struct Sums {
  const T* table;
  std::int64_t stride;
  std::int64_t width;
  T scale;
};

template <class T>
inline __attribute__((always_inline)) void store_row(T* to, std::int64_t room, Lanes<T, W> lanes,
                                                     bool add) {
  if (room >= W) {
    store<T, W>(to, add ? load<T, W>(to) + lanes : lanes);
  } else {
    T each[W];
    store<T, W>(each, lanes);
    for (std::int64_t i = 0; i < room; ++i) to[i] = add ? to[i] + each[i] : each[i];
  }
}

// Columns [at, at + V W) of one line's sum stay in registers. Narrow ones have several running sums
// to hide the latency of addition.
template <class T, int V>
inline __attribute__((always_inline)) void sum_block(const Sums<T>& sums, std::int64_t at,
                                                     const std::int32_t* index, const T* value,
                                                     std::int64_t count, T* out, bool add) {
  constexpr int S = V == 4 ? 1 : 2;
  Lanes<T, W> total[S][V] = {};
  const T* table = sums.table + at;
  std::int64_t k = 0;
  for (; k + S <= count; k += S)
    for (int s = 0; s < S; ++s) {
      const T* row = table + index[k + s] * sums.stride;
      for (int v = 0; v < V; ++v) total[s][v] += value[k + s] * load<T, W>(row + v * W);
    }
  if (S > 1 && k < count) {
    const T* row = table + index[k] * sums.stride;
    for (int v = 0; v < V; ++v) total[0][v] += value[k] * load<T, W>(row + v * W);
  }
  for (int v = 0; v < V; ++v) {
    if constexpr (S > 1) total[0][v] += total[1][v];
    store_row<T>(out + at + v * W, sums.width - at - v * W, sums.scale * total[0][v], add);
  }
}

// Many columns are taken 64 at a time.
template <class T>
inline __attribute__((always_inline)) void sum_line(const Sums<T>& sums, const std::int32_t* index,
                                                    const T* value, std::int64_t count, T* out,
                                                    bool add) {
  std::int64_t at = 0;
  for (; at + 4 * W <= sums.stride; at += 4 * W) sum_block<T, 4>(sums, at, index, value, count, out, add);
  if (at + 2 * W <= sums.stride) {
    sum_block<T, 2>(sums, at, index, value, count, out, add);
    at += 2 * W;
  }
  if (at < sums.stride) sum_block<T, 1>(sums, at, index, value, count, out, add);
}

template <class T>
FASTGAT_CLONES void sum_all(const SparseLines<T>& lines, std::int32_t begin, std::int32_t end,
                            const Sums<T>& sums, T* out) {
  for (std::int32_t l = begin; l < end; ++l) {
    const std::int64_t first = lines.offset[l];
    sum_line<T>(sums, lines.index.data() + first, lines.value.data() + first,
                lines.offset[l + 1] - first, out + l * sums.width, false);
  }
}

// keep[e] = -1 if the entry (row[e], column[e]) is kept, else 0.
inline __attribute__((always_inline)) void draw_masks(const Dropout& dropout,
                                                      const std::int32_t* row,
                                                      const std::int32_t* column, int count,
                                                      std::int32_t* keep) {
  using Words = Lanes<std::uint32_t, W>;
  for (int e = 0; e < count; e += W) {
    const RandomWords<W> counter{{(Words)load<std::int32_t, W>(row + e),
                                  (Words)load<std::int32_t, W>(column + e), Words{},
                                  Words{} + kFeatureMask}};
    const Words bits = threefry<W>(dropout.seed, counter).word[0] & 0xFFFFu;
    store<std::int32_t, W>(keep + e, (Lanes<std::int32_t, W>)(bits < dropout.threshold));
  }
}

template <class T>
FASTGAT_CLONES void sum_kept(const SparseLines<T>& lines, std::int32_t begin, std::int32_t end,
                             bool lines_are_rows, const Dropout& dropout, const Sums<T>& sums,
                             T* out) {
  alignas(64) std::int32_t line[kTile], keep[kTile], before[kTile + 1];
  alignas(64) std::int32_t kept_index[kTile];
  alignas(64) T kept_value[kTile];
  const std::int64_t* offset = lines.offset.data();
  std::int64_t from = offset[begin];
  std::int32_t l = begin;
  do {
    const std::int64_t to = std::min(from + kTile, offset[end]);
    const int count = static_cast<int>(to - from);
    for (std::int32_t a = l; a < end && offset[a] < to; ++a)
      std::fill(line + (std::max(offset[a], from) - from), line + (std::min(offset[a + 1], to) - from), a);
    std::fill(line + count, line + (count + W - 1) / W * W, 0);
    const std::int32_t* index = lines.index.data() + from;
    const T* value = lines.value.data() + from;
    draw_masks(dropout, lines_are_rows ? line : index, lines_are_rows ? index : line, count, keep);

    // Only what is kept is looked up: it moves to the front, and `before` counts it.
    int kept = 0;
    for (int e = 0; e < count; ++e) {
      kept_index[kept] = index[e];
      kept_value[kept] = value[e];
      before[e] = kept;
      kept -= keep[e];
    }
    before[count] = kept;
    // A line that goes on in the next tile is added to there.
    for (; l < end; ++l) {
      const int first = before[std::max(offset[l], from) - from];
      const int last = before[std::min(offset[l + 1], to) - from];
      sum_line<T>(sums, kept_index + first, kept_value + first, last - first, out + l * sums.width,
                  offset[l] < from);
      if (offset[l + 1] > to) break;
    }
    from = to;
  } while (from < offset[end]);
}

}  // namespace

template <class T>
void line_sums(const SparseLines<T>& lines, bool lines_are_rows, const Dropout& dropout,
               const T* table, std::int64_t width, T* out) {
  const Sums<T> sums{table, padded_width(width), width, static_cast<T>(dropout.scale())};
  for_each_chunk(lines.num_chunks(), [&](int c) {
    const std::int32_t begin = lines.cuts[c], end = lines.cuts[c + 1];
    if (dropout.is_active()) sum_kept<T>(lines, begin, end, lines_are_rows, dropout, sums, out);
    else sum_all<T>(lines, begin, end, sums, out);
  });
}

template void line_sums(const SparseLines<float>&, bool, const Dropout&, const float*, std::int64_t,
                        float*);
template void line_sums(const SparseLines<double>&, bool, const Dropout&, const double*,
                        std::int64_t, double*);

}  // namespace fastgat
