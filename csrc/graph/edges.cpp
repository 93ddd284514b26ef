#include "graph/edges.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <limits>
#include <stdexcept>

#include "parallel/chunks.hpp"

namespace fastgat {
namespace {

template <class Index>
EdgeList copy_edges(std::span<const Index> source, std::span<const Index> target,
                    std::span<const double> weight) {
  EdgeList edges{Buffer<std::int32_t>(source.size()), Buffer<std::int32_t>(source.size()),
                 Buffer<double>(weight.size()), {}};
  const Chunks chunks(source.size());
  for_each_light_piece(chunks.pieces, [&](int c) {
    for (std::int64_t a = chunks.begin(c); a < chunks.end(c); ++a) {
      edges.source[a] = static_cast<std::int32_t>(source[a]);
      edges.target[a] = static_cast<std::int32_t>(target[a]);
      if (!weight.empty()) edges.weight[a] = weight[a];
    }
  });
  return edges;
}

// Arcs filed into one bucket per lower node; `Item` is what a bucket keeps of an arc.
template <class Item>
struct Filed {
  Buffer<std::int64_t> start;  // num_nodes + 1
  Buffer<Item> item;
  std::int64_t self_loops = 0;
};

// Reads the arcs twice, once to count and once to file them. Somebody may write there in between: what
// no longer fits is left out, and noticed.
template <class Item, class Index, class MakeItem>
Filed<Item> file_by_lower_node(std::int32_t num_nodes, std::span<const Index> source,
                               std::span<const Index> target, MakeItem make_item) {
  Filed<Item> filed;
  filed.start = Buffer<std::int64_t>(num_nodes + std::size_t{1});
  std::fill(filed.start.begin(), filed.start.end(), 0);
  const std::int64_t arcs = static_cast<std::int64_t>(source.size());
  for (std::int64_t a = 0; a < arcs; ++a) {
    const Index u = source[a], v = target[a];
    const Index low = std::min(u, v);
    if (u == v) ++filed.self_loops;
    else if (low >= 0 && low < num_nodes) ++filed.start[low + 1];
  }
  for (std::int32_t u = 0; u < num_nodes; ++u) filed.start[u + 1] += filed.start[u];
  filed.item = Buffer<Item>(filed.start[num_nodes]);

  // Every scan reads all arcs and files only those of its own nodes: buckets keep the given order
  // for any number of scans.
  Buffer<std::int64_t> cursor(num_nodes);
  std::copy_n(filed.start.begin(), num_nodes, cursor.begin());
  const int scans = arcs < (1 << 20) ? 1 : std::min(max_threads(), 8);
  std::atomic<std::int64_t> num_filed{0};
  for_each_piece(scans, [&](int scan) {
    const auto boundary = [&](int p) {
      return std::lower_bound(filed.start.begin(), filed.start.end() - 1,
                              filed.start[num_nodes] * p / scans) - filed.start.begin();
    };
    const Index first = scan == 0 ? 0 : static_cast<Index>(boundary(scan));
    const Index last = static_cast<Index>(scan + 1 == scans ? num_nodes : boundary(scan + 1));
    std::int64_t here = 0;
    for (std::int64_t a = 0; a < arcs; ++a) {
      const Index u = source[a], v = target[a];
      const Index low = std::min(u, v), high = std::max(u, v);
      if (low < first || low >= last || u == v) continue;
      const std::int64_t slot = cursor[low];
      if (slot >= filed.start[low + 1] || high >= num_nodes) break;
      cursor[low] = slot + 1;
      filed.item[slot] = make_item(a, high);
      ++here;
    }
    num_filed += here;
  });
  if (num_filed != filed.start[num_nodes])
    throw std::invalid_argument("edges were changed while they were read");
  return filed;
}

// first[u]: sum of counts before u.
Buffer<std::int64_t> running_sum(const Buffer<std::int64_t>& counts) {
  Buffer<std::int64_t> first(counts.size() + 1);
  first[0] = 0;
  for (std::size_t u = 0; u < counts.size(); ++u) first[u + 1] = first[u] + counts[u];
  return first;
}

template <class Index>
EdgeList fold_unweighted(std::int32_t num_nodes, std::span<const Index> source,
                         std::span<const Index> target) {
  auto filed = file_by_lower_node<std::int32_t, Index>(
      num_nodes, source, target,
      [](std::int64_t, Index high) { return static_cast<std::int32_t>(high); });
  Buffer<std::int64_t> kept(num_nodes);
  const Chunks chunks(num_nodes, 256);
  for_each_light_piece(chunks.pieces, [&](int c) {
    for (std::int64_t u = chunks.begin(c); u < chunks.end(c); ++u) {
      std::int32_t* node = filed.item.data() + filed.start[u];
      std::int32_t* last = filed.item.data() + filed.start[u + 1];
      if (!std::is_sorted(node, last)) std::sort(node, last);
      kept[u] = std::unique(node, last) - node;
    }
  });
  const Buffer<std::int64_t> first = running_sum(kept);
  EdgeList edges;
  edges.source = Buffer<std::int32_t>(first[num_nodes]);
  edges.target = Buffer<std::int32_t>(first[num_nodes]);
  for_each_light_piece(chunks.pieces, [&](int c) {
    for (std::int64_t u = chunks.begin(c); u < chunks.end(c); ++u) {
      std::fill(edges.source.data() + first[u], edges.source.data() + first[u + 1],
                static_cast<std::int32_t>(u));
      std::copy_n(filed.item.data() + filed.start[u], kept[u], edges.target.data() + first[u]);
    }
  });
  edges.repairs.self_loops = filed.self_loops;
  edges.repairs.repeated = static_cast<std::int64_t>(filed.item.size() - edges.source.size());
  return edges;
}

// A weighted arc is filed as (upper node, number of the arc) in 64 bits: sorted, arcs of one edge
// stand together in the order they were given, which is the order their weights are added in.
template <class Index>
EdgeList fold_weighted(std::int32_t num_nodes, std::span<const Index> source,
                       std::span<const Index> target, std::span<const double> weight) {
  auto filed = file_by_lower_node<std::uint64_t, Index>(
      num_nodes, source, target, [](std::int64_t a, Index high) {
        return static_cast<std::uint64_t>(high) << 32 | static_cast<std::uint64_t>(a);
      });
  // The weight of the edge that starts at `arc`, and the first arc of the next edge.
  struct Folded {
    double weight;
    const std::uint64_t* next;
    std::int64_t merged;
    bool averaged;
  };
  const auto fold = [&](const std::uint64_t* arc, const std::uint64_t* last) {
    std::int64_t count[2] = {0, 0};
    double sum[2] = {0, 0};
    const std::uint64_t node = *arc >> 32;
    for (; arc != last && *arc >> 32 == node; ++arc) {
      const std::uint32_t a = static_cast<std::uint32_t>(*arc);
      const bool downwards = source[a] > target[a];
      ++count[downwards];
      sum[downwards] += weight[a];
    }
    const bool both = count[0] && count[1];
    // Halved before they are added: two huge weights must not overflow.
    return Folded{both ? 0.5 * sum[0] + 0.5 * sum[1] : sum[0] + sum[1], arc,
                  std::max<std::int64_t>(count[0] - 1, 0) + std::max<std::int64_t>(count[1] - 1, 0),
                  both && sum[0] != sum[1]};
  };
  EdgeList edges;
  edges.repairs.self_loops = filed.self_loops;
  Buffer<std::int64_t> kept(num_nodes);
  std::array<std::int64_t, kMaxPieces> merged{}, averaged{};
  const Chunks chunks(num_nodes, 256);
  for_each_light_piece(chunks.pieces, [&](int c) {
    for (std::int64_t u = chunks.begin(c); u < chunks.end(c); ++u) {
      std::uint64_t* arc = filed.item.data() + filed.start[u];
      std::uint64_t* last = filed.item.data() + filed.start[u + 1];
      if (!std::is_sorted(arc, last)) std::sort(arc, last);
      kept[u] = 0;
      for (const std::uint64_t* at = arc; at != last; ++kept[u]) {
        const Folded folded = fold(at, last);
        merged[c] += folded.merged;
        averaged[c] += folded.averaged;
        at = folded.next;
      }
    }
  });
  const Buffer<std::int64_t> first = running_sum(kept);
  edges.source = Buffer<std::int32_t>(first[num_nodes]);
  edges.target = Buffer<std::int32_t>(first[num_nodes]);
  edges.weight = Buffer<double>(first[num_nodes]);
  for_each_light_piece(chunks.pieces, [&](int c) {
    for (std::int64_t u = chunks.begin(c); u < chunks.end(c); ++u) {
      const std::uint64_t* at = filed.item.data() + filed.start[u];
      const std::uint64_t* last = filed.item.data() + filed.start[u + 1];
      for (std::int64_t e = first[u]; e < first[u + 1]; ++e) {
        const Folded folded = fold(at, last);
        edges.source[e] = static_cast<std::int32_t>(u);
        edges.target[e] = static_cast<std::int32_t>(*at >> 32);
        edges.weight[e] = folded.weight;
        at = folded.next;
      }
    }
  });
  for (int c = 0; c < kMaxPieces; ++c) {
    edges.repairs.merged += merged[c];
    edges.repairs.averaged += averaged[c];
  }
  return edges;
}

}  // namespace

template <class Index>
bool is_canonical(std::span<const Index> source, std::span<const Index> target) {
  const Chunks chunks(source.size());
  std::atomic<bool> canonical{true};
  for_each_light_piece(chunks.pieces, [&](int c) {
    bool good = true;
    for (std::int64_t a = chunks.begin(c); a < chunks.end(c) && good; ++a) {
      good = source[a] < target[a] &&
             (a == 0 || source[a - 1] < source[a] ||
              (source[a - 1] == source[a] && target[a - 1] < target[a]));
    }
    if (!good) canonical = false;
  });
  return canonical;
}

template <class Index>
EdgeList canonical_edges(std::int32_t num_nodes, std::span<const Index> source,
                         std::span<const Index> target, std::span<const double> weight) {
  if (is_canonical(source, target)) return copy_edges(source, target, weight);
  if (weight.empty()) return fold_unweighted(num_nodes, source, target);
  return fold_weighted(num_nodes, source, target, weight);
}

template <class Index>
std::int64_t first_arc_out_of_range(std::int64_t num_nodes, std::span<const Index> source,
                                    std::span<const Index> target) {
  constexpr std::int64_t none = std::numeric_limits<std::int64_t>::max();
  std::array<std::int64_t, kMaxPieces> first;
  first.fill(none);
  const Chunks chunks(source.size());
  for_each_light_piece(chunks.pieces, [&](int c) {
    for (std::int64_t a = chunks.begin(c); a < chunks.end(c); ++a) {
      if (source[a] >= 0 && source[a] < num_nodes && target[a] >= 0 && target[a] < num_nodes)
        continue;
      first[c] = a;
      break;
    }
  });
  const std::int64_t least = *std::min_element(first.begin(), first.end());
  return least == none ? -1 : least;
}

template <class Index>
Index largest_node(std::span<const Index> source, std::span<const Index> target) {
  std::array<Index, kMaxPieces> largest;
  largest.fill(-1);
  const Chunks chunks(source.size());
  for_each_light_piece(chunks.pieces, [&](int c) {
    Index most = -1;
    for (std::int64_t a = chunks.begin(c); a < chunks.end(c); ++a)
      most = std::max(most, std::max(source[a], target[a]));
    largest[c] = most;
  });
  return *std::max_element(largest.begin(), largest.end());
}

#define FASTGAT_INSTANTIATE(Index)                                                               \
  template EdgeList canonical_edges(std::int32_t, std::span<const Index>, std::span<const Index>, \
                                    std::span<const double>);                                    \
  template bool is_canonical(std::span<const Index>, std::span<const Index>);                    \
  template std::int64_t first_arc_out_of_range(std::int64_t, std::span<const Index>,             \
                                               std::span<const Index>);                          \
  template Index largest_node(std::span<const Index>, std::span<const Index>);
FASTGAT_INSTANTIATE(std::int32_t)
FASTGAT_INSTANTIATE(std::int64_t)
#undef FASTGAT_INSTANTIATE

}  // namespace fastgat
