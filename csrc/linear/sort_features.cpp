#include "linear/sort_features.hpp"

#include <algorithm>
#include <limits>

namespace fastgat {
namespace {

// With 64 floats each these rows fill half of a second-level cache of 1 MB; wider ones do not fit.
constexpr std::int32_t kBandRows = 2048;
// A column has so many entries in a band on average, or the sums of all bands cost what they save.
constexpr std::int64_t kLeastEntries = 32;

// Every band costs a sum at the end: short columns are left whole.
std::int32_t count_bands(std::int64_t num_rows, std::int64_t num_entries,
                         std::int32_t num_columns) {
  const std::int64_t bands = (num_rows + kBandRows - 1) / kBandRows;
  const std::int64_t most = std::min<std::int64_t>(num_entries / kLeastEntries,
                                                   std::numeric_limits<std::int32_t>::max());
  return bands > 1 && bands * num_columns <= most ? static_cast<std::int32_t>(bands) : 1;
}

}  // namespace

template <class T>
Entries<T> columns_in_bands(const Entries<T>& rows, std::int32_t num_columns) {
  const std::int32_t num_rows = static_cast<std::int32_t>(rows.offset.size() - 1);
  const std::int64_t entries = static_cast<std::int64_t>(rows.index.size());
  const std::int32_t num_bands = count_bands(num_rows, entries, num_columns);
  const std::int32_t num_lines = num_bands * num_columns;
  Entries<T> columns{Buffer<std::int64_t>(num_lines + std::size_t{1}),
                     Buffer<std::int32_t>(entries), Buffer<T>(rows.value.size())};
  const auto line_of = [&](std::int32_t row, std::int64_t entry) {
    const std::int32_t band = num_bands == 1 ? 0 : row / kBandRows;
    return band * num_columns + rows.index[entry];
  };
  Buffer<std::int64_t> cursor(num_lines + std::size_t{1});
  std::fill(cursor.begin(), cursor.end(), 0);
  for (std::int32_t r = 0; r < num_rows; ++r)
    for (std::int64_t e = rows.offset[r]; e < rows.offset[r + 1]; ++e) ++cursor[line_of(r, e)];
  std::int64_t begin = 0;
  for (std::int32_t l = 0; l < num_lines; ++l) {
    const std::int64_t length = cursor[l];
    columns.offset[l] = cursor[l] = begin;
    begin += length;
  }
  columns.offset[num_lines] = begin;
  for (std::int32_t r = 0; r < num_rows; ++r) {
    for (std::int64_t e = rows.offset[r]; e < rows.offset[r + 1]; ++e) {
      const std::int64_t slot = cursor[line_of(r, e)]++;
      columns.index[slot] = r;
      if (!rows.value.empty()) columns.value[slot] = rows.value[e];
    }
  }
  return columns;
}

template Entries<float> columns_in_bands(const Entries<float>&, std::int32_t);
template Entries<double> columns_in_bands(const Entries<double>&, std::int32_t);

}  // namespace fastgat
