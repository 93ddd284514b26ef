#pragma once

// What the attention functions check on their way into the core, beside bindings/door.hpp.

#include "attention/arcs.hpp"
#include "attention/shape.hpp"
#include "bindings/door.hpp"
#include "threefry.hpp"

namespace fastgat {

inline constexpr std::int64_t kMostIds = std::numeric_limits<std::int32_t>::max();

inline Shape require_shape(int heads, int channels, int head_offset) {
  require_range("heads", heads, 1, kMaxHeads);
  require_range("channels", channels, 1, 1 << 20);
  require_range("head_offset", head_offset, 0, 1 << 20);
  if (head_offset % kMaxHeads) refuse("head_offset must be a multiple of 16");
  return {heads, channels, head_offset};
}

// Repeated arcs are told apart by their ids.
inline Dropout require_dropout(const Arcs& arcs, double probability, std::uint64_t seed) {
  if (arcs.has_repeats() && !arcs.has_ids() && probability > 0)
    refuse("dropout on repeated arcs needs arcs made with ids");
  require_range("dropout", probability, 0, 1);
  return {probability, seed};
}

template <class T>
const T* require_rows(const char* name, const Matrix<T>& array, std::int64_t rows,
                      std::int64_t size) {
  if (static_cast<std::int64_t>(array.shape(0)) != rows ||
      static_cast<std::int64_t>(array.shape(1)) != size)
    refuse(std::string(name) + " has shape (" + std::to_string(array.shape(0)) + ", " +
           std::to_string(array.shape(1)) + "), needs (" + std::to_string(rows) + ", " +
           std::to_string(size) + ")");
  return numbers(array);
}

template <class T>
using OptionalMatrix = std::optional<Matrix<T>>;
template <class T>
using OptionalVector = std::optional<Vector<T>>;

template <class T>
const T* require_rows(const char* name, const OptionalMatrix<T>& array, std::int64_t rows,
                      std::int64_t size) {
  return array ? require_rows<T>(name, *array, rows, size) : nullptr;
}

template <class T>
const T* require_per_arc(const char* name, const OptionalVector<T>& array, const Arcs& arcs) {
  if (!array) return nullptr;
  require_size(name, array->size(), static_cast<std::size_t>(arcs.num_arcs()));
  if (!arcs.has_ids()) refuse(std::string(name) + " needs arcs made with ids");
  return numbers(*array);
}

template <class T>
const T* require_term(const OptionalMatrix<T>& term, const Arcs& arcs, const Shape& shape) {
  if (term && !arcs.has_ids()) refuse("term needs arcs made with ids");
  return require_rows<T>("term", term, arcs.num_arcs(), shape.padded_heads());
}

// Rows that arcs read in any order: large ones are copied to huge pages, where each read is sooner
// done than with the small pages that torch's memory comes in. The copy costs one row per node.
template <class T>
class GatheredRows {
 public:
  GatheredRows(const T* rows, std::size_t count) : rows_(rows) {
    if (count * sizeof(T) < kLarge) return;
    copy_ = Buffer<T>(count);
    const Chunks chunks(static_cast<std::int64_t>(count), 1 << 18);
    for_each_part(chunks.pieces, [&](int c) {
      std::copy(rows + chunks.begin(c), rows + chunks.end(c), copy_.data() + chunks.begin(c));
    });
    rows_ = copy_.data();
  }
  const T* data() const { return rows_; }

 private:
  const T* rows_;
  Buffer<T> copy_;
};

template <class T>
nb::ndarray<nb::numpy, T> rows_to_numpy(Buffer<T>&& buffer, std::int64_t rows, std::int64_t size) {
  return to_numpy<T>(std::move(buffer),
                     {static_cast<std::size_t>(rows), static_cast<std::size_t>(size)});
}

}  // namespace fastgat
