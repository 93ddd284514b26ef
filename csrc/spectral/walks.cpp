#include "spectral/walks.hpp"

#include <algorithm>
#include <vector>

#include "parallel/chunks.hpp"

namespace fastgat {
namespace {

constexpr int kMaxSteps = 16;  // the bindings check

// Walks from one node. After i steps they are spread over the ball of radius i around it; those
// that matter are back beside it after 2 steps - 1, so the ball need not grow beyond radius `steps`.
template <bool Weighted>
class Walker {
 public:
  explicit Walker(const Adjacency& graph)
      : graph_(graph), cell_(graph.num_nodes), node_(graph.num_nodes + std::size_t{1}), next_(graph.num_nodes) {}

  // P^i D^-1 e_u at node x, for the number of steps taken so far.
  double share(std::int32_t x) const { return cell_[x].share; }

  void start(std::int32_t u) {
    clear(0);
    origin_ = u;
    radius_ = 0;
    count_ = filled_ = shell_[0] = 1;
    node_[0] = u;
    cell_[u].seen = u;
    cell_[u].share = 1 / graph_.degree[u];
  }

  // One step outwards: every node that holds a share hands it on to its neighbours.
  void spread() {
    for (std::int32_t k = 0; k < filled_; ++k) {
      const std::int32_t x = node_[k];
      const double share = cell_[x].share;
      if (share == 0) continue;
      for (std::int64_t a = graph_.offset[x]; a < graph_.offset[x + 1]; ++a) {
        const std::int32_t y = graph_.neighbor[a];
        Cell& cell = cell_[y];
        // Whether y is new is a toss-up, so no branch: it is written down and counted if it is.
        node_[count_] = y;
        count_ += cell.seen != origin_;
        cell.seen = origin_;
        cell.sum += Weighted ? graph_.weight[a] * share : share;
      }
    }
    filled_ = shell_[++radius_] = count_;
    for (std::int32_t k = 0; k < filled_; ++k) {
      Cell& cell = cell_[node_[k]];
      cell.share = cell.sum / graph_.degree[node_[k]];
      cell.sum = 0;
    }
  }

  // One step inwards: the nodes of the next smaller ball gather from their neighbours. In the last
  // step those below the origin may be left out: their edge is another origin's.
  void gather(bool is_last) {
    const std::int32_t count = shell_[--radius_];
    for (std::int32_t k = 0; k < count; ++k) {
      const std::int32_t x = node_[k];
      next_[k] = 0;
      if (is_last && x < origin_) continue;
      double sum = 0;
      for (std::int64_t a = graph_.offset[x]; a < graph_.offset[x + 1]; ++a) {
        const double share = cell_[graph_.neighbor[a]].share;
        sum += Weighted ? graph_.weight[a] * share : share;
      }
      next_[k] = sum / graph_.degree[x];
    }
    clear(count);
    for (std::int32_t k = 0; k < count; ++k) cell_[node_[k]].share = next_[k];
    filled_ = count;
  }

  // Arcs of the nodes within a radius that has been reached.
  double volume(int radius) const {
    double arcs = 0;
    for (std::int32_t k = 0; k < shell_[radius]; ++k)
      arcs += static_cast<double>(graph_.offset[node_[k] + 1] - graph_.offset[node_[k]]);
    return arcs;
  }

 private:
  struct Cell {
    double share = 0, sum = 0;  // both zero where no walk is
    std::int32_t seen = -1;     // the origin that saw the node last
  };

  void clear(std::int32_t from) {
    for (std::int32_t k = from; k < filled_; ++k) cell_[node_[k]].share = 0;
  }

  const Adjacency& graph_;
  std::vector<Cell> cell_;
  Buffer<std::int32_t> node_;  // the ball, nearest first, and one place to spare
  Buffer<double> next_;
  std::int32_t shell_[kMaxSteps + 1] = {};  // nodes within each radius
  std::int32_t origin_ = -1, count_ = 0, filled_ = 0, radius_ = 0;
};

// (P^i D^-1)[u, v] for every edge, and [u, u] for every node, in rows of 2 steps.
template <bool Weighted>
void walk_from_all(const Adjacency& graph, int steps, Monitor& monitor, double* across,
                   double* diagonal) {
  const std::int32_t n = graph.num_nodes;
  const int length = 2 * steps, threads = max_threads();
  std::vector<Walker<Weighted>> walkers;
  walkers.reserve(threads);
  for (int t = 0; t < threads; ++t) walkers.emplace_back(graph);

  // Batches small enough that the monitor is reached often.
  const std::int64_t batch = std::max<std::int64_t>(1024, n / 4096);
  for (std::int64_t first = 0; first < n; first += batch * threads) {
    monitor.tick(static_cast<double>(first) / n);
    for_each_piece(threads, [&](int t) {
      Walker<Weighted>& walker = walkers[t];
      const std::int64_t begin = std::min<std::int64_t>(first + t * batch, n);
      const std::int64_t end = std::min<std::int64_t>(begin + batch, n);
      for (std::int32_t u = static_cast<std::int32_t>(begin); u < end; ++u) {
        if (graph.offset[u] == graph.offset[u + 1]) continue;
        walker.start(u);
        for (int i = 0; i < length; ++i) {
          if (i > steps) walker.gather(i + 1 == length);
          else if (i > 0) walker.spread();
          diagonal[std::int64_t{u} * length + i] = walker.share(u);
          std::int64_t e = graph.edge_start[u];
          for (std::int64_t a = graph.upper_begin(u); a < graph.offset[u + 1]; ++a, ++e)
            across[e * length + i] = walker.share(graph.neighbor[a]);
        }
      }
    });
  }
}

}  // namespace

Buffer<double> walk_terms(const Adjacency& graph, int steps, Monitor& monitor) {
  const std::int32_t n = graph.num_nodes;
  const int length = 2 * steps;
  Buffer<double> across(static_cast<std::size_t>(graph.num_edges) * length);  // (P^i D^-1)[u, v]
  Buffer<double> diagonal(static_cast<std::size_t>(n) * length);                  // (P^i D^-1)[u, u]
  if (graph.is_weighted()) walk_from_all<true>(graph, steps, monitor, across.data(), diagonal.data());
  else walk_from_all<false>(graph, steps, monitor, across.data(), diagonal.data());
  for_each_light_piece(graph.num_pieces(), [&](int c) {
    for (std::int32_t u = graph.pieces[c]; u < graph.pieces[c + 1]; ++u) {
      std::int64_t e = graph.edge_start[u];
      for (std::int64_t a = graph.upper_begin(u); a < graph.offset[u + 1]; ++a, ++e)
        for (int i = 0; i < length; ++i)
          across[e * length + i] = diagonal[std::int64_t{u} * length + i] +
                                   diagonal[std::int64_t{graph.neighbor[a]} * length + i] -
                                   2 * across[e * length + i];
    }
  });
  return across;
}

double estimate_walk_work(const Adjacency& graph, int steps, std::int32_t samples, double limit) {
  const std::int32_t n = graph.num_nodes;
  if (n == 0) return 0;
  const std::int32_t taken = std::min(samples, n);
  Walker<false> walker(graph);
  double work = 0;
  for (std::int32_t k = 0; k < taken; ++k) {
    const std::int32_t u = static_cast<std::int32_t>(std::int64_t{n} * k / taken);
    if (graph.offset[u] == graph.offset[u + 1]) continue;
    walker.start(u);
    // Outwards every ball but the largest is passed over, inwards the same without the first.
    for (int radius = 0; radius < steps; ++radius) {
      work += (radius ? 2 : 1) * walker.volume(radius);
      if (work * n / taken > limit) return work * n / taken;
      if (radius + 1 < steps) walker.spread();
    }
  }
  return work * n / taken;
}

}  // namespace fastgat
