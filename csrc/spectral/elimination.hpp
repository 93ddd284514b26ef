#pragma once

#include <cstdint>
#include <vector>

#include "graph/adjacency.hpp"
#include "memory/buffer.hpp"
#include "parallel/monitor.hpp"

namespace fastgat {

// L ~ F D F^T, with F unit triangular in the order of elimination: eliminating node v leaves the
// shares ratio = w_vj / sum_j w_vj on its remaining neighbours j. A node that is the last of its
// component has no neighbours left and pivot 0: its row of the inverse is taken as 0.
struct Factor {
  std::int32_t num_nodes = 0;
  Buffer<std::int32_t> order;       // the node eliminated at each step
  Buffer<std::int64_t> offset;      // num_nodes + 1, by step
  std::vector<std::int32_t> row;    // neighbours at the time of elimination, as steps
  // The shares; one of the two is empty. Single precision halves what a solve reads, but leaks a
  // 10^-7th of a node's charge: too much where light edges hang on heavy ones.
  std::vector<float> ratio_single;
  std::vector<double> ratio_double;
  Buffer<double> inverse_pivot;     // by step
};

// The widest range of weights for which shares are stored in single precision.
inline constexpr double kSingleShareRange = 1e4;

// Half edges are numbered in 32 bits.
inline constexpr std::int64_t kMaxFactorEdges = (std::int64_t{1} << 31) - 1;

// Approximate Cholesky by randomised elimination (Kyng, Sachdeva 2016; Gao, Kyng, Spielman 2023):
// the clique that eliminating a node leaves is replaced by a random tree with the same mean.
Factor eliminate_approximately(const Adjacency& graph, std::uint64_t seed, Monitor& monitor);

// z = (F D F^T)^+ r for W columns stored node by node; `work` holds num_nodes * W numbers.
template <class T, int W>
void apply_factor(const Factor& factor, const T* r, T* z, T* work);

}  // namespace fastgat
