#include "linear/line_sums.hpp"

#include <algorithm>

#include "linear/kept_entries.hpp"
#include "linear/table.hpp"
#include "parallel/chunks.hpp"
#include "simd/lanes.hpp"

namespace fastgat {
namespace {

constexpr int W = kTableLanes;

template <class T>
struct Sums {
  const T* table;
  std::int64_t stride;
  std::int64_t width;
  T scale;
};

template <class T>
FASTGAT_INLINE void store_row(T* to, std::int64_t room, Lanes<T, W> lanes, bool add) {
  if (room >= W) {
    store<T, W>(to, add ? load<T, W>(to) + lanes : lanes);
  } else {
    T each[W];
    store<T, W>(each, lanes);
    for (std::int64_t i = 0; i < room; ++i) to[i] = add ? to[i] + each[i] : each[i];
  }
}

template <class T, bool Binary>
FASTGAT_INLINE void add_to(Lanes<T, W>& total, T factor, const T* row) {
  if constexpr (Binary) total += load<T, W>(row);
  else total += factor * load<T, W>(row);
}

// Columns [at, at + V W) of one line's sum stay in registers. Narrow ones have several running sums
// to hide the latency of addition.
template <class T, int V, bool Binary>
FASTGAT_INLINE void sum_block(const Sums<T>& sums, std::int64_t at, const std::int32_t* index,
                              const T* value, std::int64_t count, T* out, bool add) {
  constexpr int S = V == 4 ? 1 : 2;
  Lanes<T, W> total[S][V] = {};
  const T* table = sums.table + at;
  std::int64_t k = 0;
  for (; k + S <= count; k += S)
    for (int s = 0; s < S; ++s) {
      const T* row = table + index[k + s] * sums.stride;
      const T factor = Binary ? T{1} : value[k + s];
      for (int v = 0; v < V; ++v) add_to<T, Binary>(total[s][v], factor, row + v * W);
    }
  if (S > 1 && k < count) {
    const T* row = table + index[k] * sums.stride;
    const T factor = Binary ? T{1} : value[k];
    for (int v = 0; v < V; ++v) add_to<T, Binary>(total[0][v], factor, row + v * W);
  }
  for (int v = 0; v < V; ++v) {
    if constexpr (S > 1) total[0][v] += total[1][v];
    store_row<T>(out + at + v * W, sums.width - at - v * W, sums.scale * total[0][v], add);
  }
}

// Many columns are taken 64 at a time.
template <class T, bool Binary>
FASTGAT_INLINE void sum_line(const Sums<T>& sums, const std::int32_t* index, const T* value,
                             std::int64_t count, T* out, bool add) {
  std::int64_t at = 0;
  for (; at + 4 * W <= sums.stride; at += 4 * W)
    sum_block<T, 4, Binary>(sums, at, index, value, count, out, add);
  if (at + 2 * W <= sums.stride) {
    sum_block<T, 2, Binary>(sums, at, index, value, count, out, add);
    at += 2 * W;
  }
  if (at < sums.stride) sum_block<T, 1, Binary>(sums, at, index, value, count, out, add);
}

// Entries are taken a tile at a time, those that dropout leaves, or all of them: whole lines, as many as
// fit in; of a line that is longer than a tile, one part after another.
template <class T, bool Binary>
FASTGAT_KERNEL void sum_lines(const SparseLines<T>& lines, std::int32_t begin, std::int32_t end,
                              bool lines_are_rows, const Dropout& dropout, const Sums<T>& sums,
                              T* out) {
  alignas(64) std::int32_t line[kTile];
  KeptEntries<T> kept;
  const bool drops = dropout.is_active();
  const std::int32_t period = lines.lines_per_band;
  const std::int64_t* offset = lines.offset.data();
  std::int64_t from = offset[begin];
  for (std::int32_t l = begin; l < end;) {
    std::int32_t next = l;
    while (next < end && offset[next + 1] <= from + kTile) ++next;
    const bool is_part = next == l;
    const std::int32_t last = is_part ? l + 1 : next;
    const std::int64_t to = is_part ? from + kTile : offset[next];
    const auto in_tile = [&](std::int64_t entry) { return std::clamp(entry, from, to) - from; };
    const int count = static_cast<int>(to - from);
    const std::int32_t* index = lines.index + from;
    const T* value = Binary ? kept.value : lines.value + from;
    if (drops) {
      for (std::int32_t a = l; a < last; ++a)
        std::fill(line + in_tile(offset[a]), line + in_tile(offset[a + 1]), a % period);
      std::fill(line + count, line + (count + kGroup - 1) / kGroup * kGroup, 0);
      keep_entries<T>(dropout, {line, index, Binary ? nullptr : value, count, lines_are_rows},
                      *lines.index_range, kept);
      value = kept.value;
    } else {
      copy_indices(index, count, *lines.index_range, kept.index);
    }

    // Only what is kept is looked up.
    for (std::int32_t a = l; a < last; ++a) {
      std::int64_t first = in_tile(offset[a]), stop = in_tile(offset[a + 1]);
      if (drops) {
        first = kept.kept_of(first);
        stop = kept.kept_of(stop);
      }
      sum_line<T, Binary>(sums, kept.index + first, value + first, stop - first,
                          out + a * sums.width, offset[a] < from);
    }
    from = to;
    l = next;
  }
}

}  // namespace

template <class T>
void line_sums(const SparseLines<T>& lines, bool lines_are_rows, const Dropout& dropout,
               const T* table, std::int64_t width, T* out) {
  const Sums<T> sums{table, padded_width(width), width, static_cast<T>(dropout.scale())};
  const auto rows = lines.value ? sum_lines<T, false> : sum_lines<T, true>;
  for_each_light_piece(lines.num_pieces(), [&](int c) {
    rows(lines, lines.pieces[c], lines.pieces[c + 1], lines_are_rows, dropout, sums, out);
  });
}

template void line_sums(const SparseLines<float>&, bool, const Dropout&, const float*, std::int64_t,
                        float*);
template void line_sums(const SparseLines<double>&, bool, const Dropout&, const double*,
                        std::int64_t, double*);

}  // namespace fastgat
