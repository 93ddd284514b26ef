#pragma once

// What the attention functions check on their way into the core, beside bindings/array_args.hpp.

#include <algorithm>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "attention/arc_rows.hpp"
#include "attention/shape.hpp"
#include "bindings/array_args.hpp"
#include "bindings/kernel_clock.hpp"
#include "memory/buffer.hpp"
#include "parallel/balanced_rows.hpp"
#include "parallel/chunks.hpp"
#include "parallel/index_range.hpp"

namespace fastgat {

inline constexpr std::int64_t kMostIds = std::numeric_limits<std::int32_t>::max();

template <class T>
using OptionalMatrix = std::optional<Matrix<T>>;
template <class T>
using OptionalVector = std::optional<Vector<T>>;

inline Shape require_shape(int heads, int channels, int head_offset, bool allows_half = true) {
  require_range("heads", heads, 1, kMaxHeads);
  require_range("channels", channels, 1, 1 << 20);
  require_range("head_offset", head_offset, 0, 1 << 20);
  if (head_offset % kMaxHeads) refuse("head_offset must be a multiple of 16");
  return {heads, channels, head_offset, allows_half};
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
const T* require_rows(const char* name, const OptionalMatrix<T>& array, std::int64_t rows,
                      std::int64_t size) {
  return array ? require_rows<T>(name, *array, rows, size) : nullptr;
}

// Arcs by one of their ends, as Python has them. Offsets are copied and checked here; what they lead
// to is checked by the kernels, in the copies they work with, and by require_in_range afterwards.
class ArcArgs {
 public:
  // The three arrays' names begin with `side`. `far` is the array of which `other` names rows.
  ArcArgs(const char* side, const Vector<std::int64_t>& offset, const Vector<std::int32_t>& other,
          const OptionalVector<std::int32_t>& id, bool has_loops, const char* far,
          std::size_t num_far)
      : side_(side),
        far_(far),
        offset_(copy_offsets((side_ + "offset").c_str(), offset, other.size())),
        pieces_(balance_rows(offset_, {.row_cost = 8, .smallest = 8192})),
        other_range_(require_num_nodes(static_cast<std::int64_t>(num_far))) {
    rows_.num_rows = static_cast<std::int32_t>(offset_.size() - 1);
    rows_.offset = offset_.data();
    rows_.other = numbers(other);
    rows_.has_loops = has_loops;
    rows_.pieces = pieces_;
    rows_.other_range = &other_range_;
    if (has_loops && num_rows() != num_far_rows())
      refuse("loops need as many sources as targets, got " + std::to_string(num_rows()) + " and " +
             std::to_string(num_far_rows()));
    if (rows_.num_stored() > 0 && num_far == 0)
      refuse(side_ + "other names nodes, but " + far_ + " has no rows");
    if (id) {
      require_size((side_ + "id").c_str(), id->size(), other.size());
      id_ = numbers(*id);
    }
  }

  std::int64_t num_rows() const { return rows_.num_rows; }
  std::int64_t num_far_rows() const { return other_range_.size(); }
  // The length of arrays with one entry per arc.
  std::int64_t num_arcs() const {
    return rows_.num_stored() + (rows_.has_loops ? rows_.num_rows : 0);
  }
  const ArcRows& rows() const { return rows_; }

  // Ids are looked at only where an array has something for every arc.
  void need_ids(const char* name) {
    if (!id_) refuse(std::string(name) + " has an entry per arc, so it needs " + side_ + "id");
    if (num_arcs() > kMostIds)
      refuse("values per arc are limited to 2147483647 arcs, loops included");
    if (!id_range_) id_range_ = std::make_unique<IndexRange>(num_arcs());
    rows_.id = id_;
    rows_.id_range = id_range_.get();
  }

  // To be called when the kernels are done.
  void require_in_range() const {
    if (const auto node = other_range_.outside())
      refuse(side_ + "other names node " + std::to_string(*node) + ", but " + far_ + " has " +
             std::to_string(num_far_rows()) + " rows");
    if (!id_range_) return;
    if (const auto arc = id_range_->outside())
      refuse(side_ + "id names arc " + std::to_string(*arc) + ", but there are " +
             std::to_string(num_arcs()));
  }

 private:
  std::string side_, far_;
  Buffer<std::int64_t> offset_;
  std::vector<std::int32_t> pieces_;
  IndexRange other_range_;
  const std::int32_t* id_ = nullptr;
  std::unique_ptr<IndexRange> id_range_;
  ArcRows rows_;
};

struct ByTarget : ArcArgs {
  using ArcArgs::ArcArgs;
  std::int64_t num_targets() const { return num_rows(); }
  std::int64_t num_sources() const { return num_far_rows(); }
};

// The same arcs by target and by source.
struct BothSides {
  ArcArgs by_target, by_source;

  std::int64_t num_targets() const { return by_target.num_rows(); }
  std::int64_t num_sources() const { return by_source.num_rows(); }
  std::int64_t num_arcs() const { return by_target.num_arcs(); }
  void need_ids(const char* name) {
    by_target.need_ids(name);
    by_source.need_ids(name);
  }
  void require_same_size() const {
    if (by_target.num_arcs() != by_source.num_arcs())
      refuse("there are " + std::to_string(by_target.num_arcs()) + " arcs by target, but " +
             std::to_string(by_source.num_arcs()) + " by source");
  }
};

template <class T, class Arcs>
const T* require_per_arc(const char* name, const OptionalVector<T>& array, Arcs& arcs) {
  if (!array) return nullptr;
  require_size(name, array->size(), static_cast<std::size_t>(arcs.num_arcs()));
  arcs.need_ids(name);
  return numbers(*array);
}

template <class T, class Arcs>
const T* require_per_arc(const char* name, const OptionalMatrix<T>& array, Arcs& arcs,
                         std::int64_t size) {
  if (!array) return nullptr;
  arcs.need_ids(name);
  return require_rows<T>(name, *array, arcs.num_arcs(), size);
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
    for_each_piece(chunks.pieces, [&](int c) {
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
