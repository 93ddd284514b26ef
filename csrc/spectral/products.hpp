#pragma once

#include <cstdint>

#include "graph/adjacency.hpp"

// Products of the graph's matrices with W columns at a time, stored node by node (column fastest).
// Kernels work on a range of rows; callers share the ranges out among threads.
namespace fastgat {

// out = (D - A) x on rows [begin, end); dot[c] = sum of x[u][c] * out[u][c] over them.
template <class T, int W>
void laplacian_rows(const Adjacency& graph, std::int32_t begin, std::int32_t end, const T* x,
                    T* out, T* dot);

// out = D^-1 A x on all rows; zero at isolated nodes.
template <class T, int W>
void walk_product(const Adjacency& graph, const T* x, T* out);

// sum over nodes and columns of degree x (y - z): with z = D^-1 A y, the energy of x against y.
template <class T, int W>
double walk_energy(const Adjacency& graph, const T* x, const T* y, const T* z);

// out[e] += |y[source[e]] - y[target[e]]|^2 over the W columns, for every edge.
template <class T, int W>
void add_edge_distances(const Adjacency& graph, const T* y, double* out);

}  // namespace fastgat
