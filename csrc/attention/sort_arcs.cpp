#include "attention/sort_arcs.hpp"

#include <algorithm>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace fastgat {
namespace {

void require_below(const char* name, std::size_t k, std::int64_t node, std::int64_t count) {
  if (node < 0 || node >= count)
    throw std::invalid_argument(std::string(name) + "[" + std::to_string(k) + "]=" +
                                std::to_string(node) + " must lie in [0, " +
                                std::to_string(count) + ")");
}

// Makes of the counts of rows the next free place of each.
Buffer<std::int64_t> offsets_from(std::vector<std::int64_t>& count) {
  Buffer<std::int64_t> offset(count.size() + 1);
  std::int64_t sum = 0;
  for (std::size_t r = 0; r < count.size(); ++r) {
    offset[r] = sum;
    sum += std::exchange(count[r], sum);
  }
  offset[count.size()] = sum;
  return offset;
}

// Moves the arcs of one side to the other, row after row.
void transpose(const ArcSide& from, std::int32_t rows, std::vector<std::int64_t>& next,
               bool with_ids, ArcSide& to) {
  for (std::int32_t row = 0; row < rows; ++row)
    for (std::int64_t a = from.offset[row]; a < from.offset[row + 1]; ++a) {
      const std::int64_t place = next[from.other[a]]++;
      to.other[place] = row;
      if (with_ids) to.id[place] = from.id[a];
    }
}

}  // namespace

// Two counting sorts: by source, then from there by target, leave every row sorted; a third, back by
// source, sorts those rows as well. Each keeps the order of equals. Only the first reads what it was
// given, once to count and once to move: if somebody writes there in between, rows overflow or stay
// short, and both are noticed.
SortedArcs sort_arcs(std::span<const std::int64_t> source, std::span<const std::int64_t> target,
                     const SortOptions& options) {
  const auto [num_sources, num_targets, drop_loops, with_ids] = options;
  SortedArcs arcs;
  ArcSide &by_target = arcs.by_target, &by_source = arcs.by_source;
  std::vector<std::int64_t> next_of_source(num_sources), next_of_target(num_targets);
  for (std::size_t k = 0; k < source.size(); ++k) {
    const std::int64_t from = source[k];
    require_below("source", k, from, num_sources);
    if (!(drop_loops && from == target[k])) ++next_of_source[from];
  }
  by_source.offset = offsets_from(next_of_source);
  const std::int64_t stored = by_source.offset[num_sources];
  for (ArcSide* side : {&by_source, &by_target}) {
    side->other = Buffer<std::int32_t>(stored);
    if (with_ids) side->id = Buffer<std::int32_t>(stored);
  }

  std::int64_t moved = 0;
  for (std::size_t k = 0; k < source.size(); ++k) {
    const std::int64_t from = source[k], to = target[k];
    require_below("source", k, from, num_sources);
    require_below("target", k, to, num_targets);
    if (drop_loops && from == to) continue;
    const std::int64_t place = next_of_source[from]++;
    if (place >= by_source.offset[from + 1]) break;
    ++next_of_target[to];
    by_source.other[place] = static_cast<std::int32_t>(to);
    if (with_ids) by_source.id[place] = static_cast<std::int32_t>(moved);
    ++moved;
  }
  if (moved != stored) throw std::invalid_argument("arcs were changed while they were sorted");
  by_target.offset = offsets_from(next_of_target);
  transpose(by_source, num_sources, next_of_target, with_ids, by_target);
  std::copy(by_source.offset.begin(), by_source.offset.end() - 1, next_of_source.begin());
  transpose(by_target, num_targets, next_of_source, with_ids, by_source);

  arcs.is_symmetric =
      num_sources == num_targets &&
      std::equal(by_source.offset.begin(), by_source.offset.end(), by_target.offset.begin()) &&
      std::equal(by_source.other.begin(), by_source.other.end(), by_target.other.begin());
  if (arcs.is_symmetric) {
    by_source.offset = Buffer<std::int64_t>();
    by_source.other = Buffer<std::int32_t>();
  }
  return arcs;
}

}  // namespace fastgat
