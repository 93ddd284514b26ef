#include "attention/arcs.hpp"

#include <algorithm>
#include <utility>

#include "parallel.hpp"

namespace fastgat {
namespace {

// Pieces of rows with about equal work; a row costs about as much as a few arcs.
std::vector<std::int32_t> cut_rows(std::span<const std::int64_t> offset) {
  constexpr std::int64_t row_cost = 8;
  const std::int64_t rows = static_cast<std::int64_t>(offset.size()) - 1;
  const auto work_before = [&](std::int64_t row) { return offset[row] + row_cost * row; };
  const Chunks chunks(work_before(rows), 8192);
  std::vector<std::int32_t> pieces(chunks.pieces + 1);
  std::int64_t row = 0;
  for (int c = 1; c < chunks.pieces; ++c) {
    std::int64_t low = row, high = rows;
    while (low < high) {
      const std::int64_t middle = (low + high) / 2;
      if (work_before(middle) < chunks.begin(c)) low = middle + 1;
      else high = middle;
    }
    pieces[c] = static_cast<std::int32_t>(row = low);
  }
  pieces.back() = static_cast<std::int32_t>(rows);
  return pieces;
}

Buffer<std::int64_t> offsets_from(std::vector<std::int64_t>& count) {
  Buffer<std::int64_t> offset(count.size() + 1);
  std::int64_t sum = 0;
  for (std::size_t r = 0; r < count.size(); ++r) {
    offset[r] = sum;
    sum += std::exchange(count[r], sum);  // from now on the next free place of the row
  }
  offset[count.size()] = sum;
  return offset;
}

}  // namespace

// Two counting sorts: by source, then from there by target, leave every row sorted; a third, back by
// source, sorts those rows as well. Each keeps the order of equals.
Arcs::Arcs(std::span<const std::int64_t> source, std::span<const std::int64_t> target,
           std::int32_t num_sources, std::int32_t num_targets, bool add_loops, bool with_ids) {
  std::vector<std::int64_t> next_of_source(num_sources), next_of_target(num_targets);
  for (std::size_t k = 0; k < source.size(); ++k) {
    if (add_loops && source[k] == target[k]) continue;
    ++next_of_source[source[k]];
    ++next_of_target[target[k]];
  }
  source_side_.offset = offsets_from(next_of_source);
  target_side_.offset = offsets_from(next_of_target);
  const std::int64_t stored = target_side_.offset[num_targets];
  const auto make_room = [&](Side& side) {
    side.other = Buffer<std::int32_t>(stored);
    if (with_ids) side.id = Buffer<std::int32_t>(stored);
  };
  make_room(source_side_);
  make_room(target_side_);

  std::int32_t id = 0;
  for (std::size_t k = 0; k < source.size(); ++k) {
    if (add_loops && source[k] == target[k]) continue;
    const std::int64_t place = next_of_source[source[k]]++;
    source_side_.other[place] = static_cast<std::int32_t>(target[k]);
    if (with_ids) source_side_.id[place] = id++;
  }
  const auto file = [&](const Side& from, std::int32_t rows, Side& to,
                        std::vector<std::int64_t>& next) {
    for (std::int32_t row = 0; row < rows; ++row)
      for (std::int64_t a = from.offset[row]; a < from.offset[row + 1]; ++a) {
        const std::int64_t place = next[from.other[a]]++;
        to.other[place] = row;
        if (with_ids) to.id[place] = from.id[a];
      }
  };
  file(source_side_, num_sources, target_side_, next_of_target);
  std::copy(source_side_.offset.begin(), source_side_.offset.end() - 1, next_of_source.begin());
  file(target_side_, num_targets, source_side_, next_of_source);

  bool has_repeats = false;
  for (std::int32_t row = 0; row < num_targets && !has_repeats; ++row) {
    const auto* begin = target_side_.other.begin() + target_side_.offset[row];
    const auto* end = target_side_.other.begin() + target_side_.offset[row + 1];
    has_repeats = std::adjacent_find(begin, end) != end;
  }
  is_symmetric_ =
      num_sources == num_targets &&
      std::equal(source_side_.offset.begin(), source_side_.offset.end(),
                 target_side_.offset.begin()) &&
      std::equal(source_side_.other.begin(), source_side_.other.end(), target_side_.other.begin());
  if (is_symmetric_) {
    source_side_.offset = Buffer<std::int64_t>();
    source_side_.other = Buffer<std::int32_t>();
  }
  target_side_.pieces = cut_rows(target_side_.offset);
  by_target_ = {num_targets, target_side_.offset.data(), target_side_.other.data(),
                with_ids ? target_side_.id.data() : nullptr, add_loops, has_repeats, stored,
                target_side_.pieces};
  by_source_ = by_target_;
  by_source_.id = with_ids ? source_side_.id.data() : nullptr;
  if (!is_symmetric_) {
    source_side_.pieces = cut_rows(source_side_.offset);
    by_source_.num_rows = num_sources;
    by_source_.offset = source_side_.offset.data();
    by_source_.other = source_side_.other.data();
    by_source_.pieces = source_side_.pieces;
  }
}

Arcs::Arcs(const Adjacency& graph, bool add_loops, bool with_ids) : is_symmetric_(true) {
  const std::int64_t stored = 2 * graph.num_edges;
  target_side_.pieces = cut_rows(graph.offset);
  by_target_ = {graph.num_nodes, graph.offset.data(), graph.neighbor.data(), nullptr, add_loops,
                false, stored, target_side_.pieces};
  by_source_ = by_target_;
  if (!with_ids) return;
  target_side_.id = Buffer<std::int32_t>(stored);
  source_side_.id = Buffer<std::int32_t>(stored);
  std::vector<std::int64_t> next(graph.offset.begin(), graph.offset.end() - 1);
  for (std::int32_t row = 0; row < graph.num_nodes; ++row)
    for (std::int64_t a = graph.offset[row]; a < graph.offset[row + 1]; ++a) {
      target_side_.id[a] = static_cast<std::int32_t>(a);
      source_side_.id[next[graph.neighbor[a]]++] = static_cast<std::int32_t>(a);
    }
  by_target_.id = target_side_.id.data();
  by_source_.id = source_side_.id.data();
}

}  // namespace fastgat
