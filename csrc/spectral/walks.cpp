#include "spectral/walks.hpp"

#include <algorithm>
#include <vector>

namespace fastgat {
namespace {

// The nodes within a radius of one node, nearest first: shell r is [shell[r], shell[r + 1]).
class Ball {
 public:
  explicit Ball(std::int32_t num_nodes) : inside_(num_nodes, 0), node_(num_nodes) {}

  void grow(const Adjacency& graph, std::int32_t center, int radius) {
    size_ = 0;
    shell_[0] = 0;
    add(center);
    for (int r = 0; r < radius; ++r) {
      shell_[r + 1] = size_;
      for (std::int32_t k = shell_[r]; k < shell_[r + 1]; ++k)
        for (std::int64_t a = graph.offset[node_[k]]; a < graph.offset[node_[k] + 1]; ++a)
          if (!inside_[graph.neighbor[a]]) add(graph.neighbor[a]);
    }
    shell_[radius + 1] = size_;
    for (std::int32_t k = 0; k < size_; ++k) inside_[node_[k]] = 0;
  }

  std::int32_t node(std::int32_t k) const { return node_[k]; }
  std::int32_t within(int radius) const { return shell_[radius + 1]; }

 private:
  void add(std::int32_t u) {
    inside_[u] = 1;
    node_[size_++] = u;
  }

  std::vector<char> inside_;
  Buffer<std::int32_t> node_;
  std::int32_t shell_[18] = {};  // radius 16 at most: the bindings check
  std::int32_t size_ = 0;
};

struct Workspace {
  Ball ball;
  std::vector<double> share, next;  // A D^-1 ... e_u, divided by the degree; zero outside the ball

  explicit Workspace(std::int32_t num_nodes) : ball(num_nodes), share(num_nodes, 0.0), next(num_nodes) {}
};

// (D^-1 A) once: next = D^-1 A share on the first `count` nodes of the ball.
void walk_once(const Adjacency& graph, Workspace& space, std::int32_t count) {
  for (std::int32_t k = 0; k < count; ++k) {
    const std::int32_t x = space.ball.node(k);
    double sum = 0;
    for (std::int64_t a = graph.offset[x]; a < graph.offset[x + 1]; ++a) {
      const double weight = graph.is_weighted() ? graph.weight[a] : 1.0;
      sum += weight * space.share[graph.neighbor[a]];
    }
    space.next[k] = sum / graph.degree[x];
  }
}

}  // namespace

Buffer<double> walk_terms(const Adjacency& graph, int steps, Monitor& monitor) {
  const std::int32_t n = graph.num_nodes;
  const int length = 2 * steps;
  Buffer<double> across(static_cast<std::size_t>(graph.num_edges) * length);  // (P^i D^-1)[u, v]
  Buffer<double> home(static_cast<std::size_t>(n) * length);                  // (P^i D^-1)[u, u]
  std::vector<Workspace> spaces;
  const int threads = max_threads();
  for (int t = 0; t < threads; ++t) spaces.emplace_back(n);

  // Pieces small enough that the monitor is reached often.
  const std::int64_t batch = std::max<std::int64_t>(256, n / 4096);
  for (std::int64_t first = 0; first < n; first += batch * threads) {
    monitor.tick(static_cast<double>(first) / n);
#pragma omp parallel for schedule(static, 1) num_threads(threads)
    for (int t = 0; t < threads; ++t) {
      Workspace& space = spaces[t];
      const std::int64_t begin = std::min<std::int64_t>(first + t * batch, n);
      const std::int64_t end = std::min<std::int64_t>(begin + batch, n);
      for (std::int32_t u = static_cast<std::int32_t>(begin); u < end; ++u) {
        if (graph.offset[u] == graph.offset[u + 1]) continue;
        space.ball.grow(graph, u, steps);
        space.share[u] = 1 / graph.degree[u];
        std::int32_t filled = 1;
        for (int i = 0; i < length; ++i) {
          if (i > 0) {
            // After i steps a walk is within i of u, and matters only if it can be back at a
            // neighbour of u after 2 steps - 1.
            const std::int32_t count = space.ball.within(std::min(i, length - i));
            walk_once(graph, space, count);
            for (std::int32_t k = count; k < filled; ++k) space.share[space.ball.node(k)] = 0;
            for (std::int32_t k = 0; k < count; ++k) space.share[space.ball.node(k)] = space.next[k];
            filled = count;
          }
          home[std::int64_t{u} * length + i] = space.share[u];
          std::int64_t e = graph.edge_start[u];
          for (std::int64_t a = graph.upper_begin(u); a < graph.offset[u + 1]; ++a, ++e)
            across[e * length + i] = space.share[graph.neighbor[a]];
        }
        for (std::int32_t k = 0; k < filled; ++k) space.share[space.ball.node(k)] = 0;
      }
    }
  }
  for_each_chunk(graph.num_chunks(), [&](int c) {
    for (std::int32_t u = graph.rows[c]; u < graph.rows[c + 1]; ++u) {
      std::int64_t e = graph.edge_start[u];
      for (std::int64_t a = graph.upper_begin(u); a < graph.offset[u + 1]; ++a, ++e)
        for (int i = 0; i < length; ++i)
          across[e * length + i] = home[std::int64_t{u} * length + i] +
                                   home[std::int64_t{graph.neighbor[a]} * length + i] -
                                   2 * across[e * length + i];
    }
  });
  return across;
}

double estimate_walk_work(const Adjacency& graph, int steps, std::int32_t samples, double limit) {
  const std::int32_t n = graph.num_nodes;
  if (n == 0) return 0;
  const std::int32_t taken = std::min(samples, n);
  Ball ball(n);
  double work = 0;
  for (std::int32_t k = 0; k < taken; ++k) {
    const std::int32_t u = static_cast<std::int32_t>(std::int64_t{n} * k / taken);
    ball.grow(graph, u, steps);
    for (int i = 1; i < 2 * steps; ++i)
      for (std::int32_t at = 0; at < ball.within(std::min(i, 2 * steps - i)); ++at)
        work += static_cast<double>(graph.offset[ball.node(at) + 1] - graph.offset[ball.node(at)]);
    if (work * n / taken > limit) break;
  }
  return work * n / taken;
}

}  // namespace fastgat
