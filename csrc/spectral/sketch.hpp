#pragma once

#include <cstdint>
#include <span>

#include "graph/adjacency.hpp"

namespace fastgat {

enum class SketchKind { signs, gaussian };

inline constexpr int kSketchWidth = 16;  // columns per block

// out = B' W^1/2 Q for block `block` of 16 columns of the random matrix Q: one random number per
// edge and column, found again from (seed, block, edge) wherever it is needed.
template <class T>
void sketch_right_side(const Adjacency& graph, SketchKind kind, std::uint64_t seed,
                       std::uint64_t block, T* out);

// What finishing an estimate tells about it, before anything is clipped.
struct EstimateSums {
  double foster = 0;  // sum of w R over the edges
  double share = 0;   // sum over the edges of (sketched part of R) / R

  EstimateSums& operator+=(const EstimateSums& other) {
    foster += other.foster;
    share += other.share;
    return *this;
  }
};

// The exact part of R, edge by edge. With one smoothing step and the walk polynomial
// (lambda + shift) / (1 + shift) it follows from the degrees:
// ((1 + 2 shift) (1/d_u + 1/d_v) - 2 w / (d_u d_v)) / (1 + shift)^2.
// With more steps it is given. Bridges are exact altogether: 1/w.
struct ExactPart {
  std::span<const double> local;           // empty: one smoothing step
  double shift = 0;
  std::span<const std::uint8_t> is_bridge;  // empty: no bridges
};

// R = exact + distance / columns; nothing is written.
EstimateSums measure_estimate(const Adjacency& graph, const ExactPart& exact, double columns,
                              const double* distance);

// The same, with R written in place of `distance`.
EstimateSums finish_estimate(const Adjacency& graph, const ExactPart& exact, double columns,
                             double* distance);

// The trace of (D^-1 A)^2: twice the sum of w^2 / (d_u d_v) over the edges.
double two_step_returns(const Adjacency& graph);

// Clips every R to what Rayleigh's monotonicity allows: [all other nodes shorted, the edge alone].
void clip_resistances(const Adjacency& graph, double* resistance);

}  // namespace fastgat
