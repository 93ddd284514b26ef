#include "graph/forest.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

namespace fastgat {
namespace {

// Disjoint sets with path halving; the smaller root wins, so that roots are first nodes.
class DisjointSets {
 public:
  explicit DisjointSets(std::int32_t size) : parent_(size) {
    std::iota(parent_.begin(), parent_.end(), 0);
  }
  std::int32_t find(std::int32_t u) {
    while (parent_[u] != u) u = parent_[u] = parent_[parent_[u]];
    return u;
  }
  // Joins the sets of two roots; `root` becomes the root of both. False if they are one already.
  bool join(std::int32_t& root, std::int32_t other) {
    if (root == other) return false;
    parent_[std::max(root, other)] = std::min(root, other);
    root = std::min(root, other);
    return true;
  }
  bool unite(std::int32_t u, std::int32_t v) {
    std::int32_t root = find(u);
    return join(root, find(v));
  }

 private:
  Buffer<std::int32_t> parent_;
};

// Two edge-disjoint spanning forests, the second of what the first left: a cut of one or two edges
// of the graph is a cut of their union too (Nagamochi, Ibaraki 1992), so bridges can be sought among
// 2 num_nodes edges instead of all.
std::vector<std::int64_t> two_forests(const Adjacency& graph, Monitor& monitor) {
  DisjointSets first(graph.num_nodes), second(graph.num_nodes);
  std::vector<std::int64_t> edges;
  edges.reserve(2 * static_cast<std::size_t>(graph.num_nodes));
  for (std::int32_t u = 0; u < graph.num_nodes; ++u) {
    if (u % 4096 == 0) monitor.tick(static_cast<double>(u) / graph.num_nodes);
    const std::int64_t shift = graph.edge_start[u] - graph.upper_begin(u);
    std::int32_t root = first.find(u), second_root = second.find(u);
    for (std::int64_t a = graph.upper_begin(u); a < graph.offset[u + 1]; ++a) {
      const std::int32_t v = graph.neighbor[a];
      if (first.join(root, first.find(v)) || second.join(second_root, second.find(v)))
        edges.push_back(a + shift);
    }
  }
  return edges;
}

struct Arc {
  std::int32_t node;
  std::int64_t edge;  // place in the list of kept edges
};

}  // namespace

Components connected_components(const Adjacency& graph, Monitor& monitor) {
  const std::int32_t n = graph.num_nodes;
  DisjointSets sets(n);
  for (std::int32_t u = 0; u < n; ++u) {
    if (u % 4096 == 0) monitor.tick(static_cast<double>(u) / n);
    for (std::int64_t a = graph.upper_begin(u); a < graph.offset[u + 1]; ++a)
      sets.unite(u, graph.neighbor[a]);
  }
  Components components{0, Buffer<std::int32_t>(n)};
  for (std::int32_t u = 0; u < n; ++u) {
    const std::int32_t root = sets.find(u);
    components.label[u] = root == u ? components.count++ : components.label[root];
  }
  return components;
}

Bridges find_bridges(const Adjacency& graph, Monitor& monitor) {
  const std::int32_t n = graph.num_nodes;
  const std::vector<std::int64_t> kept = two_forests(graph, monitor);

  // Rows of the union of the forests. `kept` ascends, so sources are found by walking edge_start.
  Buffer<std::int32_t> source(kept.size()), target(kept.size());
  std::vector<std::int64_t> offset(n + std::size_t{1}, 0);
  std::int32_t u = 0;
  for (std::size_t k = 0; k < kept.size(); ++k) {
    while (graph.edge_start[u + 1] <= kept[k]) ++u;
    source[k] = u;
    target[k] = graph.neighbor[graph.upper_begin(u) + kept[k] - graph.edge_start[u]];
    ++offset[source[k]];
    ++offset[target[k]];
  }
  std::int64_t arcs = 0;
  for (auto& entry : offset) entry = std::exchange(arcs, arcs + entry);
  Buffer<Arc> arc(arcs);
  {
    std::vector<std::int64_t> cursor(offset);
    for (std::size_t k = 0; k < kept.size(); ++k) {
      arc[cursor[source[k]]++] = {target[k], static_cast<std::int64_t>(k)};
      arc[cursor[target[k]]++] = {source[k], static_cast<std::int64_t>(k)};
    }
  }

  // Tarjan's search, with a stack of its own: edge (parent, u) is a bridge if nothing below u
  // reaches above u.
  Bridges bridges;
  std::vector<std::int64_t> cursor(offset.begin(), offset.end() - 1);
  std::vector<std::int32_t> enter(n, 0), low(n, 0);
  std::vector<Arc> path;  // the node and the edge by which it was entered
  std::int32_t clock = 0, left = 0;
  for (std::int32_t root = 0; root < n; ++root) {
    if (enter[root]) continue;
    ++bridges.num_components;
    enter[root] = low[root] = ++clock;
    path.push_back({root, -1});
    while (!path.empty()) {
      const Arc at = path.back();
      if (cursor[at.node] < offset[at.node + 1]) {
        const Arc next = arc[cursor[at.node]++];
        if (next.edge == at.edge) continue;
        if (enter[next.node]) {
          low[at.node] = std::min(low[at.node], enter[next.node]);
        } else {
          enter[next.node] = low[next.node] = ++clock;
          path.push_back(next);
        }
        continue;
      }
      if (++left % 65536 == 0) monitor.tick(static_cast<double>(left) / n);
      path.pop_back();
      if (path.empty()) break;
      const std::int32_t parent = path.back().node;
      low[parent] = std::min(low[parent], low[at.node]);
      if (low[at.node] > enter[parent]) bridges.edge.push_back(kept[at.edge]);
    }
  }
  std::sort(bridges.edge.begin(), bridges.edge.end());
  return bridges;
}

std::vector<std::int64_t> maximum_spanning_forest(const EdgeSpan& edges,
                                                  std::span<const double> score) {
  Buffer<std::int64_t> order(edges.source.size());
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(), [&](std::int64_t a, std::int64_t b) {
    return score[a] != score[b] ? score[a] > score[b] : a < b;
  });
  DisjointSets sets(edges.num_nodes);
  std::vector<std::int64_t> forest;
  for (std::int64_t e : order)
    if (sets.unite(edges.source[e], edges.target[e])) forest.push_back(e);
  std::sort(forest.begin(), forest.end());
  return forest;
}

}  // namespace fastgat
