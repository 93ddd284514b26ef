#pragma once

#include <cstdint>

#include "graph/adjacency.hpp"
#include "memory/buffer.hpp"
#include "parallel/monitor.hpp"

namespace fastgat {

// With P = D^-1 A and b = e_u - e_v, for every edge (u, v): b' P^i D^-1 b for i = 0 .. 2 steps - 1,
// row by row (edges x 2 steps): the exact part of `steps` smoothing steps.
Buffer<double> walk_terms(const Adjacency& graph, int steps, Monitor& monitor);

// Additions that walk_terms would make, estimated from `samples` nodes; stops counting at `limit`.
double estimate_walk_work(const Adjacency& graph, int steps, std::int32_t samples, double limit);

}  // namespace fastgat
