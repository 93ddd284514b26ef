#pragma once

#include <cstdint>

#include "graph/adjacency.hpp"
#include "parallel/monitor.hpp"
#include "spectral/elimination.hpp"

namespace fastgat {

struct SolveOptions {
  double tolerance = 1e-6;      // on |r| / |b|, in the norm below
  std::int32_t max_iterations = 10000;
  // With the diagonal preconditioner: give up once the iterations so far say that the whole solve
  // would take more than this. 0 never gives up.
  std::int32_t stall_limit = 0;
  // Measure r in the preconditioner's norm, which estimates the error in energy, |x - L^+ b|_L;
  // otherwise in the norm of D^-1.
  bool in_energy = false;
};

template <int W>
struct SolveResult {
  std::int32_t iterations[W] = {};
  double residual[W] = {};
  bool stalled = false;
};

// Solves L x = b for W columns, from the x given, by conjugate gradients: one recurrence a column,
// all columns in step, converged columns frozen. Each column of b must sum to zero over every
// component. The preconditioner is the diagonal, or the factor where there is one.
template <class T, int W>
SolveResult<W> conjugate_gradient(const Adjacency& graph, const Factor* factor, const T* b, T* x,
                                  const SolveOptions& options, Monitor& monitor);

}  // namespace fastgat
