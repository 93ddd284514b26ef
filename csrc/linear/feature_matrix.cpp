#include "linear/feature_matrix.hpp"

#include <algorithm>
#include <limits>

#include "parallel.hpp"

namespace fastgat {
namespace {

// With 64 floats each these rows fill half of a second-level cache of 1 MB; wider ones do not fit.
constexpr std::int32_t kBandRows = 2048;
// A column has so many entries in a band on average, or the sums of all bands cost what they save.
constexpr std::int64_t kLeastEntries = 32;

// Every band costs a sum at the end: short columns are left whole.
template <class T>
std::int32_t count_bands(const SparseLines<T>& rows, std::int32_t num_columns) {
  const std::int64_t bands = (rows.num_lines + std::int64_t{kBandRows} - 1) / kBandRows;
  const std::int64_t most = std::min<std::int64_t>(rows.num_entries() / kLeastEntries,
                                                   std::numeric_limits<std::int32_t>::max());
  return bands > 1 && bands * num_columns <= most ? static_cast<std::int32_t>(bands) : 1;
}

}  // namespace

template <class T>
SparseLines<T>::SparseLines(std::int32_t num_lines, std::int64_t num_entries, bool is_binary)
    : num_lines(num_lines),
      offset(num_lines + std::size_t{1}),
      index(num_entries + std::size_t{kEntryPadding}),
      value(is_binary ? 0 : num_entries + std::size_t{kEntryPadding}) {
  std::fill(index.end() - kEntryPadding, index.end(), 0);
  if (!is_binary) std::fill(value.end() - kEntryPadding, value.end(), T{0});
}

// Lines are cut where the running count of entries and lines passes equal shares.
template <class T>
void SparseLines<T>::balance() {
  const Chunks chunks(num_entries() + num_lines);
  cuts.assign(1, 0);
  for (int c = 1; c < chunks.pieces; ++c) {
    std::int32_t low = cuts.back(), high = num_lines;
    while (low < high) {
      const std::int32_t middle = low + (high - low) / 2;
      if (offset[middle] + middle < chunks.begin(c)) low = middle + 1;
      else high = middle;
    }
    cuts.push_back(low);
  }
  cuts.push_back(num_lines);
}

template <class T>
SparseLines<T> to_columns(const SparseLines<T>& rows, std::int32_t num_columns) {
  const std::int64_t entries = rows.num_entries();
  const std::int32_t num_bands = count_bands(rows, num_columns);
  const std::int32_t num_lines = num_bands * num_columns;
  SparseLines<T> columns(num_lines, entries, rows.is_binary());
  columns.num_bands = num_bands;
  const auto line_of = [&](std::int32_t row, std::int64_t entry) {
    const std::int32_t band = num_bands == 1 ? 0 : row / kBandRows;
    return band * num_columns + rows.index[entry];
  };
  Buffer<std::int64_t> cursor(num_lines + std::size_t{1});
  std::fill(cursor.begin(), cursor.end(), 0);
  for (std::int32_t r = 0; r < rows.num_lines; ++r)
    for (std::int64_t e = rows.offset[r]; e < rows.offset[r + 1]; ++e) ++cursor[line_of(r, e)];
  std::int64_t begin = 0;
  for (std::int32_t l = 0; l < num_lines; ++l) {
    const std::int64_t length = cursor[l];
    columns.offset[l] = cursor[l] = begin;
    begin += length;
  }
  columns.offset[num_lines] = begin;
  for (std::int32_t r = 0; r < rows.num_lines; ++r) {
    for (std::int64_t e = rows.offset[r]; e < rows.offset[r + 1]; ++e) {
      const std::int64_t slot = cursor[line_of(r, e)]++;
      columns.index[slot] = r;
      if (!rows.is_binary()) columns.value[slot] = rows.value[e];
    }
  }
  columns.balance();
  return columns;
}

template struct SparseLines<float>;
template struct SparseLines<double>;
template SparseLines<float> to_columns(const SparseLines<float>&, std::int32_t);
template SparseLines<double> to_columns(const SparseLines<double>&, std::int32_t);

}  // namespace fastgat
