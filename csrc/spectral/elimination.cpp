#include "spectral/elimination.hpp"

#include <algorithm>

#include "parallel/chunks.hpp"
#include "random/splitmix.hpp"
#include "simd/lanes.hpp"

namespace fastgat {
namespace {

// One side of an edge in a node's list. The two sides of an edge are stored next to each other
// (2k, 2k + 1), so each finds the other. An edge that elimination replaces keeps its two places.
struct HalfEdge {
  double weight;
  std::int32_t node;   // the far end
  std::uint32_t next;  // in the near end's list
};

constexpr std::uint32_t kEnd = 0xFFFFFFFFu;

// Nodes in buckets by degree, least first; large degrees share a bucket with others of their size.
class DegreeQueue {
 public:
  explicit DegreeQueue(const Adjacency& graph)
      : degree_(graph.num_nodes), next_(graph.num_nodes), previous_(graph.num_nodes),
        first_(kBuckets, -1) {
    // Backwards, so that equal degrees leave in node order: neighbours in memory stay together.
    for (std::int32_t u = graph.num_nodes; u-- > 0;) {
      degree_[u] = graph.offset[u + 1] - graph.offset[u];
      insert(u);
    }
  }

  std::int32_t pop() {
    while (first_[least_] < 0) ++least_;
    const std::int32_t u = first_[least_];
    remove(u);
    return u;
  }

  void change(std::int32_t u, std::int64_t by) {
    const int before = bucket(degree_[u]), after = bucket(degree_[u] + by);
    if (before == after) {
      degree_[u] += by;
      return;
    }
    remove(u);
    degree_[u] += by;
    insert(u);
  }

 private:
  static constexpr int kExact = 64, kBuckets = kExact + 64;

  // Exact up to 64, then one bucket per factor of two: the order among hubs hardly matters.
  static int bucket(std::int64_t degree) {
    if (degree < kExact) return static_cast<int>(std::max<std::int64_t>(degree, 0));
    return kExact + 63 - __builtin_clzll(static_cast<unsigned long long>(degree));
  }
  void insert(std::int32_t u) {
    const int b = bucket(degree_[u]);
    next_[u] = first_[b];
    previous_[u] = -1;
    if (first_[b] >= 0) previous_[first_[b]] = u;
    first_[b] = u;
    least_ = std::min(least_, b);
  }
  void remove(std::int32_t u) {
    if (previous_[u] >= 0) next_[previous_[u]] = next_[u];
    else first_[bucket(degree_[u])] = next_[u];
    if (next_[u] >= 0) previous_[next_[u]] = previous_[u];
  }

  Buffer<std::int64_t> degree_;
  Buffer<std::int32_t> next_, previous_;
  std::vector<std::int32_t> first_;
  int least_ = 0;
};

// The lists of all remaining nodes.
struct Lists {
  Buffer<HalfEdge> half;
  Buffer<std::uint32_t> first;

  explicit Lists(const Adjacency& graph)
      : half(2 * static_cast<std::size_t>(graph.num_edges)), first(graph.num_nodes) {
    std::fill(first.begin(), first.end(), kEnd);
    for (std::int32_t u = 0; u < graph.num_nodes; ++u) {
      std::uint32_t side = static_cast<std::uint32_t>(2 * graph.edge_start[u]);
      for (std::int64_t a = graph.upper_begin(u); a < graph.offset[u + 1]; ++a, side += 2) {
        const std::int32_t v = graph.neighbor[a];
        const double weight = graph.is_weighted() ? graph.weight[a] : 1.0;
        half[side] = {weight, v, first[u]};
        first[u] = side;
        half[side + 1] = {weight, u, first[v]};
        first[v] = side + 1;
      }
    }
  }
};

double weight_range(const Adjacency& graph) {
  if (!graph.is_weighted()) return 1;
  const auto [least, most] = std::minmax_element(graph.weight.begin(), graph.weight.end());
  return *most / *least;
}

struct Neighbor {
  double weight;
  std::int32_t node;
  std::uint32_t side;  // the half edge in the list of the node that is eliminated
};

}  // namespace

Factor eliminate_approximately(const Adjacency& graph, std::uint64_t seed, Monitor& monitor) {
  const std::int32_t n = graph.num_nodes;
  Lists lists(graph);
  DegreeQueue queue(graph);
  Factor factor;
  factor.num_nodes = n;
  factor.order = Buffer<std::int32_t>(n);
  factor.offset = Buffer<std::int64_t>(n + std::size_t{1});
  factor.inverse_pivot = Buffer<double>(n);
  factor.row.reserve(2 * static_cast<std::size_t>(graph.num_edges));
  const bool single = weight_range(graph) <= kSingleShareRange;
  if (single) factor.ratio_single.reserve(factor.row.capacity());
  else factor.ratio_double.reserve(factor.row.capacity());
  Buffer<std::int32_t> step_of(n);
  std::fill(step_of.begin(), step_of.end(), -1);
  Buffer<std::int32_t> seen_at(n);  // where a node stands in `star`, if it is there
  std::fill(seen_at.begin(), seen_at.end(), -1);
  std::vector<Neighbor> star;
  std::vector<double> remaining;
  const std::uint64_t key = stream_key(seed, 0x4641);
  std::uint64_t draws = 0;

  for (std::int32_t step = 0; step < n; ++step) {
    if (step % 4096 == 0) monitor.tick(static_cast<double>(step) / n);
    const std::int32_t v = queue.pop();
    factor.order[step] = v;
    factor.offset[step] = static_cast<std::int64_t>(factor.row.size());
    step_of[v] = step;

    // The star of v: its remaining neighbours, parallel edges merged.
    star.clear();
    for (std::uint32_t side = lists.first[v]; side != kEnd; side = lists.half[side].next) {
      const HalfEdge& half = lists.half[side];
      if (half.node < 0) continue;  // dropped when a parallel edge was merged
      if (seen_at[half.node] < 0) {
        seen_at[half.node] = static_cast<std::int32_t>(star.size());
        star.push_back({half.weight, half.node, side});
      } else {
        star[seen_at[half.node]].weight += half.weight;
        lists.half[side ^ 1].node = -1;
        queue.change(half.node, -1);
      }
    }
    for (const Neighbor& neighbor : star) seen_at[neighbor.node] = -1;
    std::sort(star.begin(), star.end(), [](const Neighbor& a, const Neighbor& b) {
      return a.weight != b.weight ? a.weight < b.weight : a.node < b.node;
    });

    // remaining[i]: total weight of star[i..].
    const int size = static_cast<int>(star.size());
    remaining.resize(size + std::size_t{1});
    remaining[size] = 0;
    for (int i = size; i-- > 0;) remaining[i] = remaining[i + 1] + star[i].weight;
    const double total = remaining[0];
    factor.inverse_pivot[step] = total > 0 ? 1 / total : 0;
    for (const Neighbor& neighbor : star) {
      factor.row.push_back(neighbor.node);
      if (single) factor.ratio_single.push_back(static_cast<float>(neighbor.weight / total));
      else factor.ratio_double.push_back(neighbor.weight / total);
    }

    // Neighbour i gets one edge, to j > i with probability w_j / remaining, of weight
    // w_i * remaining / total: on average every pair (i, j) has w_i w_j / total, as it should.
    for (int i = 0; i + 1 < size; ++i) {
      const double threshold = to_unit(random_bits(key, draws++)) * remaining[i + 1];
      // remaining falls from left to right; j is the last one still above the threshold.
      const auto begin = remaining.begin() + i + 1, end = remaining.begin() + size;
      const auto after = std::partition_point(begin, end, [&](double r) { return r > threshold; });
      const int j = std::max(static_cast<int>(after - remaining.begin()) - 1, i + 1);
      const double weight = star[i].weight * (remaining[i + 1] / total);
      // The half edge i -> v becomes i -> j where it stands; v -> i moves to j's list as j -> i.
      const std::uint32_t side = star[i].side;
      lists.half[side ^ 1].node = star[j].node;
      lists.half[side ^ 1].weight = weight;
      lists.half[side] = {weight, star[i].node, lists.first[star[j].node]};
      lists.first[star[j].node] = side;
      queue.change(star[j].node, 1);
    }
    if (size > 0) {
      lists.half[star[size - 1].side ^ 1].node = -1;
      queue.change(star[size - 1].node, -1);
    }
  }
  factor.offset[n] = static_cast<std::int64_t>(factor.row.size());
  for (auto& node : factor.row) node = step_of[node];
  return factor;
}

namespace {

// Columns [first, first + V) of W. Work is ordered by step.
template <class T, int W, int V, class Ratio>
FASTGAT_KERNEL void solve_columns(const Factor& factor, const Ratio* ratio, const T* r, T* z,
                                  T* work, int first) {
  using Vec = Lanes<T, V>;
  const std::int32_t n = factor.num_nodes;
  const auto at = [first](std::int64_t row) { return row * W + first; };
  for (std::int32_t step = 0; step < n; ++step)
    store<T, V>(work + at(step), load<T, V>(r + at(factor.order[step])));
  for (std::int32_t step = 0; step < n; ++step) {
    const Vec here = load<T, V>(work + at(step));
    for (std::int64_t k = factor.offset[step]; k < factor.offset[step + 1]; ++k) {
      T* below = work + at(factor.row[k]);
      store<T, V>(below, load<T, V>(below) + static_cast<T>(ratio[k]) * here);
    }
    store<T, V>(work + at(step), static_cast<T>(factor.inverse_pivot[step]) * here);
  }
  for (std::int32_t step = n; step-- > 0;) {
    Vec here = load<T, V>(work + at(step));
    for (std::int64_t k = factor.offset[step]; k < factor.offset[step + 1]; ++k)
      here += static_cast<T>(ratio[k]) * load<T, V>(work + at(factor.row[k]));
    store<T, V>(work + at(step), here);
    store<T, V>(z + at(factor.order[step]), here);
  }
}

}  // namespace

template <class T, int W>
void apply_factor(const Factor& factor, const T* r, T* z, T* work) {
  // A triangular solve is one long chain: columns, not rows, are shared out among threads.
  constexpr int pieces = W == 16 ? 2 : 1, V = W / pieces;
  for_each_piece(pieces, [&](int c) {
    if (factor.ratio_double.empty())
      solve_columns<T, W, V>(factor, factor.ratio_single.data(), r, z, work, V * c);
    else
      solve_columns<T, W, V>(factor, factor.ratio_double.data(), r, z, work, V * c);
  });
}

template void apply_factor<float, 16>(const Factor&, const float*, float*, float*);
template void apply_factor<double, 16>(const Factor&, const double*, double*, double*);
template void apply_factor<double, 4>(const Factor&, const double*, double*, double*);
template void apply_factor<double, 1>(const Factor&, const double*, double*, double*);

}  // namespace fastgat
