#include "sampling/draws.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <memory>
#include <new>

#include "parallel/chunks.hpp"
#include "random/splitmix.hpp"
#include "simd/machine.hpp"

namespace fastgat {
namespace {

// Streams of random numbers, one per purpose.
enum Stream : std::uint64_t { kReplacement = 0x5245, kIndependent = 0x494e, kRanks = 0x524b };

constexpr double kNever = std::numeric_limits<double>::infinity();

double weight_of(const EdgeSpan& edges, std::int64_t e) {
  return edges.weight.empty() ? 1.0 : edges.weight[e];
}

// Keeps the edges e with weight(e) > 0, in order: every piece files its own, then all are joined.
template <class Weight>
Draw collect(const EdgeSpan& edges, Weight&& weight) {
  const std::int64_t m = static_cast<std::int64_t>(edges.source.size());
  const Chunks chunks(m);
  Buffer<std::int64_t> kept(m);
  Buffer<double> new_weight(m);
  std::array<std::int64_t, kMaxPieces + 1> first{};
  for_each_light_piece(chunks.pieces, [&](int c) {
    std::int64_t out = chunks.begin(c);
    for (std::int64_t e = chunks.begin(c); e < chunks.end(c); ++e) {
      const double value = weight(e);
      kept[out] = e;
      new_weight[out] = value;
      out += value > 0;
    }
    first[c + 1] = out - chunks.begin(c);
  });
  for (int c = 0; c < chunks.pieces; ++c) first[c + 1] += first[c];
  const std::size_t count = first[chunks.pieces];
  Draw draw{Buffer<std::int64_t>(count), Buffer<std::int32_t>(count), Buffer<std::int32_t>(count),
            Buffer<double>(count)};
  for_each_light_piece(chunks.pieces, [&](int c) {
    std::int64_t in = chunks.begin(c);
    for (std::int64_t out = first[c]; out < first[c + 1]; ++out, ++in) {
      const std::int64_t e = kept[in];
      draw.edge[out] = e;
      draw.source[out] = edges.source[e];
      draw.target[out] = edges.target[e];
      draw.weight[out] = new_weight[in];
    }
  });
  return draw;
}

// calloc: pages that no draw falls into are never touched.
struct Free {
  void operator()(std::uint32_t* pointer) const { std::free(pointer); }
};
using Counts = std::unique_ptr<std::uint32_t[], Free>;

// How often each edge is drawn.
Counts count_draws(const AliasTable& table, std::int64_t num_samples, std::uint64_t seed) {
  const std::size_t size = static_cast<std::size_t>(table.size());
  Counts count(static_cast<std::uint32_t*>(std::calloc(size ? size : 1, sizeof(std::uint32_t))));
  if (!count) throw std::bad_alloc();
  const std::uint64_t key = stream_key(seed, kReplacement);
  const Chunks draws(num_samples);
  for_each_light_piece(draws.pieces, [&](int c) {
    // Counting commutes, so the counts do not depend on which thread adds first.
    for (std::int64_t i = draws.begin(c); i < draws.end(c); ++i)
      __atomic_fetch_add(&count[table.draw(random_bits(key, i))], 1u, __ATOMIC_RELAXED);
  });
  return count;
}

FASTGAT_KERNEL void keep_range(const double* probability, std::uint64_t key, std::int64_t begin,
                               std::int64_t end, std::uint8_t* kept) {
  for (std::int64_t e = begin; e < end; ++e)
    kept[e] = to_unit(random_bits(key, e)) < probability[e];
}

}  // namespace

Buffer<std::uint8_t> keep_with_replacement(const AliasTable& table,
                                           std::span<const std::uint8_t> always,
                                           std::int64_t num_samples, std::uint64_t seed) {
  const Counts count = count_draws(table, num_samples, seed);
  Buffer<std::uint8_t> kept(table.size());
  const Chunks chunks(table.size());
  for_each_light_piece(chunks.pieces, [&](int c) {
    for (std::int64_t e = chunks.begin(c); e < chunks.end(c); ++e)
      kept[e] = count[e] > 0 || (!always.empty() && always[e]);
  });
  return kept;
}

Buffer<std::uint8_t> keep_independently(std::span<const double> probability, std::uint64_t seed) {
  Buffer<std::uint8_t> kept(probability.size());
  const std::uint64_t key = stream_key(seed, kIndependent);
  const Chunks chunks(static_cast<std::int64_t>(probability.size()));
  for_each_light_piece(chunks.pieces, [&](int c) {
    keep_range(probability.data(), key, chunks.begin(c), chunks.end(c), kept.data());
  });
  return kept;
}

Draw draw_with_replacement(const EdgeSpan& edges, const AliasTable& table,
                           std::span<const double> score, std::span<const std::uint8_t> always,
                           std::int64_t num_samples, std::uint64_t seed) {
  const Counts count = count_draws(table, num_samples, seed);
  const double scale = table.total() / static_cast<double>(num_samples);
  return collect(edges, [&](std::int64_t e) {
    double weight = count[e] ? count[e] * weight_of(edges, e) * (scale / score[e]) : 0.0;
    if (!always.empty() && always[e]) weight += weight_of(edges, e);
    return weight;
  });
}

Draw draw_independently(const EdgeSpan& edges, std::span<const double> probability,
                        std::uint64_t seed) {
  const std::uint64_t key = stream_key(seed, kIndependent);
  return collect(edges, [&](std::int64_t e) {
    const bool keep = to_unit(random_bits(key, e)) < probability[e];
    return keep ? weight_of(edges, e) / probability[e] : 0.0;
  });
}

EdgeRanks rank_edges(const Adjacency& graph, std::span<const double> score, bool best_first,
                     std::uint64_t seed) {
  struct Key {
    double value;
    std::uint64_t tie;
    std::int64_t edge;
    bool starts_here;
    bool operator<(const Key& other) const {
      return value != other.value ? value < other.value : tie < other.tie;
    }
  };
  const std::uint64_t key = stream_key(seed, kRanks);
  EdgeRanks rank{Buffer<std::int32_t>(graph.num_edges), Buffer<std::int32_t>(graph.num_edges)};
  // One node's at a time: keys of all would be the largest array of all.
  const std::int64_t most = graph.most_neighbors();
  Buffer<Key> scratch(most * max_threads());
  for_each_light_piece(graph.num_pieces(), [&](int c) {
    Key* row = scratch.data() + most * thread_number();
    for (std::int32_t u = graph.pieces[c]; u < graph.pieces[c + 1]; ++u) {
      const std::int64_t count = graph.num_neighbors(u);
      for (std::int64_t k = 0; k < count; ++k) {
        const std::int64_t a = graph.offset[u] + k;
        const std::int64_t e = graph.edge_of(u, a);
        const std::uint64_t bits = random_bits(key, a);
        // Exponential waiting times with this rate: the order in which they end is that of
        // sampling without replacement. No key is NaN, even if somebody changes scores meanwhile.
        const double rate = score[e] > 0 ? score[e] : 0;
        const double wait = rate > 0 ? -std::log1p(-to_unit(bits)) / rate : kNever;
        row[k] = {best_first ? -rate : wait, bits, e, graph.neighbor[a] > u};
      }
      std::sort(row, row + count);
      for (std::int64_t k = 0; k < count; ++k)
        (row[k].starts_here ? rank.at_source : rank.at_target)[row[k].edge] =
            static_cast<std::int32_t>(k);
    }
  });
  return rank;
}

}  // namespace fastgat
