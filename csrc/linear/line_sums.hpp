#pragma once

#include <cstdint>

#include "linear/sparse_lines.hpp"
#include "random/dropout.hpp"

namespace fastgat {

// out[l] = scale * sum over the kept entries (l, i) of value * table[i], the first `width` columns.
// Tables have rows of padded_width(width) entries, `out` rows of `width`. An entry's mask depends
// on its row and column alone, whichever of the two is its line: `lines_are_rows` says which.
template <class T>
void line_sums(const SparseLines<T>& lines, bool lines_are_rows, const Dropout& dropout,
               const T* table, std::int64_t width, T* out);

}  // namespace fastgat
