#pragma once

#include <cstdint>

#include "memory/buffer.hpp"

namespace fastgat {

// Entries of a sparse matrix, line after line.
template <class T>
struct Entries {
  Buffer<std::int64_t> offset;  // one per line, and the number of entries
  Buffer<std::int32_t> index;   // place in the line
  Buffer<T> value;              // nothing at all if every value is 1
};

// The columns of a matrix of rows, which must be valid; entries come in the order of their rows. Where
// columns are long they are cut into bands of rows: what a product looks up for a band stays in the
// cache. Line b * num_columns + c is column c in band b.
template <class T>
Entries<T> columns_in_bands(const Entries<T>& rows, std::int32_t num_columns);

}  // namespace fastgat
