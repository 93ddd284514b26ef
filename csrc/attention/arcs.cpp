#include "attention/arcs.hpp"

#include <algorithm>
#include <array>
#include <numeric>
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
  auto storage = std::make_shared<Storage>();
  Side &by_target = storage->target, &by_source = storage->source;
  std::vector<std::int64_t> next_of_source(num_sources), next_of_target(num_targets);
  for (std::size_t k = 0; k < source.size(); ++k) {
    if (add_loops && source[k] == target[k]) continue;
    ++next_of_source[source[k]];
    ++next_of_target[target[k]];
  }
  by_source.offset = offsets_from(next_of_source);
  by_target.offset = offsets_from(next_of_target);
  const std::int64_t stored = by_target.offset[num_targets];
  for (Side* side : {&by_source, &by_target}) {
    side->other = Buffer<std::int32_t>(stored);
    if (with_ids) side->id = Buffer<std::int32_t>(stored);
  }

  std::int32_t id = 0;
  for (std::size_t k = 0; k < source.size(); ++k) {
    if (add_loops && source[k] == target[k]) continue;
    const std::int64_t place = next_of_source[source[k]]++;
    by_source.other[place] = static_cast<std::int32_t>(target[k]);
    if (with_ids) by_source.id[place] = id++;
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
  file(by_source, num_sources, by_target, next_of_target);
  std::copy(by_source.offset.begin(), by_source.offset.end() - 1, next_of_source.begin());
  file(by_target, num_targets, by_source, next_of_source);

  bool has_repeats = false;
  for (std::int32_t row = 0; row < num_targets && !has_repeats; ++row) {
    const std::int32_t* begin = by_target.other.data() + by_target.offset[row];
    const std::int32_t* end = by_target.other.data() + by_target.offset[row + 1];
    has_repeats = std::adjacent_find(begin, end) != end;
  }
  is_symmetric_ =
      num_sources == num_targets &&
      std::equal(by_source.offset.begin(), by_source.offset.end(), by_target.offset.begin()) &&
      std::equal(by_source.other.begin(), by_source.other.end(), by_target.other.begin());
  const auto rows_of = [&](Side& side, std::int32_t rows) {
    side.pieces = cut_rows(side.offset);
    return ArcRows{rows, side.offset.data(), side.offset.data() + 1, side.other.data(),
                   with_ids ? side.id.data() : nullptr, add_loops, has_repeats, stored,
                   side.pieces};
  };
  by_target_ = rows_of(by_target, num_targets);
  if (is_symmetric_) {
    by_source.offset = Buffer<std::int64_t>();
    by_source.other = Buffer<std::int32_t>();
    by_source_ = by_target_;
    by_source_.id = with_ids ? by_source.id.data() : nullptr;
  } else {
    by_source_ = rows_of(by_source, num_sources);
  }
  storage_ = std::move(storage);
}

Arcs::Arcs(const Adjacency& graph) : is_symmetric_(true) {
  auto storage = std::make_shared<Storage>();
  storage->target.pieces = cut_rows(graph.offset);
  by_target_ = {graph.num_nodes, graph.offset.data(), graph.offset.data() + 1,
                graph.neighbor.data(), nullptr, false, false, 2 * graph.num_edges,
                storage->target.pieces};
  by_source_ = by_target_;
  storage_ = std::move(storage);
}

Arcs::Arcs(const Adjacency& graph, std::span<const std::int32_t> edge_of_arc,
           std::span<const std::uint8_t> kept)
    : is_symmetric_(true) {
  auto storage = std::make_shared<Storage>();
  Side& side = storage->target;
  side.other = Buffer<std::int32_t>(edge_of_arc.size());
  side.offset = Buffer<std::int64_t>(graph.num_nodes);
  std::array<std::int64_t, kMaxChunks> stored{};
  // Rows stay where they are: moving them together would cost a second pass.
  for_each_part(graph.num_chunks(), [&](int c) {
    for (std::int32_t u = graph.rows[c]; u < graph.rows[c + 1]; ++u) {
      std::int64_t out = graph.offset[u];
      for (std::int64_t a = graph.offset[u]; a < graph.offset[u + 1]; ++a) {
        side.other[out] = graph.neighbor[a];
        out += kept[edge_of_arc[a]];
      }
      side.offset[u] = out;
      stored[c] += out - graph.offset[u];
    }
  });
  side.pieces = graph.rows;
  by_target_ = {graph.num_nodes, graph.offset.data(), side.offset.data(), side.other.data(),
                nullptr, false, false, std::accumulate(stored.begin(), stored.end(), std::int64_t{0}),
                side.pieces};
  by_source_ = by_target_;
  storage_ = std::move(storage);
}

Arcs Arcs::variant(bool add_loops, bool with_ids) const {
  Arcs other = *this;
  other.by_target_.has_loops = other.by_source_.has_loops = add_loops;
  if (!with_ids) return other;
  auto storage = std::make_shared<Storage>();
  storage->base = storage_;
  const std::int32_t rows = by_target_.num_rows;
  const std::int64_t places = rows ? by_target_.end[rows - 1] : 0;
  Buffer<std::int32_t>&of_target = storage->target.id, &of_source = storage->source.id;
  of_target = Buffer<std::int32_t>(places);
  of_source = Buffer<std::int32_t>(places);
  std::vector<std::int64_t> next(by_target_.begin, by_target_.begin + rows);
  std::int32_t id = 0;
  for (std::int32_t row = 0; row < rows; ++row)
    for (std::int64_t a = by_target_.begin[row]; a < by_target_.end[row]; ++a, ++id) {
      of_target[a] = id;
      of_source[next[by_target_.other[a]]++] = id;
    }
  other.by_target_.id = of_target.data();
  other.by_source_.id = of_source.data();
  other.storage_ = std::move(storage);
  return other;
}

Buffer<std::int32_t> edges_of_arcs(const Adjacency& graph) {
  Buffer<std::int32_t> edge(graph.neighbor.size());
  std::vector<std::int64_t> next(graph.offset.begin(), graph.offset.end() - 1);
  for (std::int32_t u = 0; u < graph.num_nodes; ++u) {
    std::int32_t e = static_cast<std::int32_t>(graph.edge_start[u]);
    // Rows fill up from below: when u's turn comes, its lower neighbours have named their edges.
    for (std::int64_t a = graph.upper_begin(u); a < graph.offset[u + 1]; ++a, ++e) {
      edge[a] = e;
      edge[next[graph.neighbor[a]]++] = e;
    }
  }
  return edge;
}

}  // namespace fastgat
