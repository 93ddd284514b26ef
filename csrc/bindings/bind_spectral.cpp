#include <algorithm>
#include <optional>

#include "bindings/array_args.hpp"
#include "bindings/kernel_clock.hpp"
#include "graph/adjacency.hpp"
#include "parallel/chunks.hpp"
#include "spectral/conjugate_gradient.hpp"
#include "spectral/elimination.hpp"
#include "spectral/products.hpp"
#include "spectral/sketch.hpp"
#include "spectral/walks.hpp"

namespace fastgat {
namespace {

template <class Array>
void require_columns(const char* name, const Array& array, const Adjacency& graph,
                     std::size_t columns) {
  require_size(name, array.shape(0), static_cast<std::size_t>(graph.num_nodes));
  if (array.shape(1) != columns)
    refuse(std::string(name) + " has " + std::to_string(array.shape(1)) + " columns, needs " +
           std::to_string(columns));
}

struct SolveCall {
  const Adjacency& graph;
  const Factor* factor;
  SolveOptions options;
  Monitor& monitor;
  Buffer<std::int32_t>& iterations;
  Buffer<double>& residual;
  bool& stalled;
};

// Columns [first, first + W) of `total`; packed side by side unless they are so already.
template <class T, int W>
void solve_group(const SolveCall& call, const T* b, T* x, std::size_t first, std::size_t total) {
  const std::size_t n = static_cast<std::size_t>(call.graph.num_nodes);
  SolveResult<W> result;
  if (total == W) {
    result = conjugate_gradient<T, W>(call.graph, call.factor, b, x, call.options, call.monitor);
  } else {
    Buffer<T> right(n * W), left(n * W);
    for (std::size_t u = 0; u < n; ++u) {
      std::copy_n(b + u * total + first, W, right.data() + u * W);
      std::copy_n(x + u * total + first, W, left.data() + u * W);
    }
    result = conjugate_gradient<T, W>(call.graph, call.factor, right.data(), left.data(),
                                      call.options, call.monitor);
    for (std::size_t u = 0; u < n; ++u)
      std::copy_n(left.data() + u * W, W, x + u * total + first);
  }
  std::copy_n(result.iterations, W, call.iterations.data() + first);
  std::copy_n(result.residual, W, call.residual.data() + first);
  call.stalled = call.stalled || result.stalled;
}

template <class T>
nb::tuple solve(const Adjacency& graph, const Factor* factor, Matrix<T> b, MutableMatrix<T> x,
                double tolerance, std::int32_t max_iterations, std::int32_t stall_limit,
                bool in_energy, nb::object progress) {
  const std::size_t columns = b.shape(1);
  require_columns("b", b, graph, columns);
  require_columns("x", x, graph, columns);
  if (static_cast<const void*>(numbers(b)) == static_cast<const void*>(numbers(x)) && b.size())
    refuse("b and x must be different arrays");
  require_range("tolerance", tolerance, 1e-300, 1);
  require_range("max_iterations", max_iterations, 0, 2147483646);
  if (factor && factor->num_nodes != graph.num_nodes)
    refuse("the factor was made for another graph");
  if (std::is_same_v<T, float> && columns != 16) refuse("float32 needs 16 columns");
  Buffer<std::int32_t> iterations(columns);
  Buffer<double> residual(columns);
  bool stalled = false;
  {
    Monitor monitor = make_monitor(progress);
    const T* right = numbers(b);
    T* left = numbers(x);
    const KernelClock running("solve");
    const SolveCall call{graph, factor, {tolerance, max_iterations, stall_limit, in_energy},
                         monitor, iterations, residual, stalled};
    std::size_t first = 0;
    for (; first + 16 <= columns; first += 16) solve_group<T, 16>(call, right, left, first, columns);
    if constexpr (std::is_same_v<T, double>) {
      for (; first + 4 <= columns; first += 4) solve_group<T, 4>(call, right, left, first, columns);
      for (; first < columns; ++first) solve_group<T, 1>(call, right, left, first, columns);
    }
  }
  return nb::make_tuple(to_numpy<std::int32_t>(std::move(iterations)),
                        to_numpy<double>(std::move(residual)), stalled);
}

template <class T>
nb::ndarray<nb::numpy, T> right_side(const Adjacency& graph, bool gaussian, std::uint64_t seed,
                                     std::uint64_t block) {
  const std::size_t n = static_cast<std::size_t>(graph.num_nodes);
  Buffer<T> out(n * kSketchWidth);
  {
    const KernelClock running("sketch_right_side");
    sketch_right_side<T>(graph, gaussian ? SketchKind::gaussian : SketchKind::signs, seed, block,
                         out.data());
  }
  return to_numpy<T>(std::move(out), {n, kSketchWidth});
}

template <class T>
nb::ndarray<nb::numpy, T> walk(const Adjacency& graph, Matrix<T> x) {
  require_columns("x", x, graph, kSketchWidth);
  Buffer<T> out(x.size());
  const std::size_t n = x.shape(0);
  {
    const KernelClock running("walk_product");
    walk_product<T, kSketchWidth>(graph, numbers(x), out.data());
  }
  return to_numpy<T>(std::move(out), {n, kSketchWidth});
}

template <class T>
double energy(const Adjacency& graph, Matrix<T> x, Matrix<T> y, Matrix<T> z) {
  require_columns("x", x, graph, kSketchWidth);
  require_columns("y", y, graph, kSketchWidth);
  require_columns("z", z, graph, kSketchWidth);
  const KernelClock running("walk_energy");
  return walk_energy<T, kSketchWidth>(graph, numbers(x), numbers(y), numbers(z));
}

template <class T>
void edge_distances(const Adjacency& graph, Matrix<T> y, MutableVector<double> out) {
  require_columns("y", y, graph, kSketchWidth);
  require_size("out", out.size(), static_cast<std::size_t>(graph.num_edges));
  const KernelClock running("add_edge_distances");
  add_edge_distances<T, kSketchWidth>(graph, numbers(y), numbers(out));
}

ExactPart exact_part(const Adjacency& graph, const std::optional<Vector<double>>& local,
                     double shift, const std::optional<Vector<std::uint8_t>>& is_bridge,
                     double columns, std::size_t distances) {
  const std::size_t edges = static_cast<std::size_t>(graph.num_edges);
  require_size("distance", distances, edges);
  if (local) require_size("local", local->size(), edges);
  if (is_bridge) require_size("is_bridge", is_bridge->size(), edges);
  require_range("shift", shift, 0, 1e6);
  require_range("columns", columns, 1, 1e12);
  ExactPart exact;
  if (local) exact.local = as_span(*local);
  exact.shift = shift;
  if (is_bridge) exact.is_bridge = as_span(*is_bridge);
  return exact;
}

template <class T>
void bind_for(nb::module_& m) {
  m.def("solve", &solve<T>, nb::arg("adjacency"), nb::arg("factor").none(),
        nb::arg("b").noconvert(), nb::arg("x").noconvert(), nb::arg("tolerance"),
        nb::arg("max_iterations"), nb::arg("stall_limit"), nb::arg("in_energy"),
        nb::arg("progress") = nb::none());
  m.def("walk_product", &walk<T>, nb::arg("adjacency"), nb::arg("x").noconvert());
  m.def("walk_energy", &energy<T>, nb::arg("adjacency"), nb::arg("x").noconvert(),
        nb::arg("y").noconvert(), nb::arg("z").noconvert());
  m.def("add_edge_distances", &edge_distances<T>, nb::arg("adjacency"), nb::arg("y").noconvert(),
        nb::arg("out").noconvert());
}

}  // namespace

void bind_spectral(nb::module_& m) {
  m.attr("sketch_width") = kSketchWidth;

  nb::class_<Factor>(m, "Factor")
      .def("__init__", [](Factor* self, const Adjacency& graph, std::uint64_t seed,
                          nb::object progress) {
        if (graph.num_edges > kMaxFactorEdges)
          refuse("the approximate Cholesky factor takes at most 2147483647 edges");
        Monitor monitor = make_monitor(progress);
        const KernelClock running("Factor");
        new (self) Factor(eliminate_approximately(graph, seed, monitor));
      }, nb::arg("adjacency"), nb::arg("seed"), nb::arg("progress") = nb::none())
      .def_prop_ro("num_entries", [](const Factor& factor) { return factor.row.size(); });

  bind_for<float>(m);
  bind_for<double>(m);
  m.def("sketch_right_side", [](const Adjacency& graph, bool gaussian, bool single,
                                std::uint64_t seed, std::uint64_t block) -> nb::object {
    if (single) return nb::cast(right_side<float>(graph, gaussian, seed, block));
    return nb::cast(right_side<double>(graph, gaussian, seed, block));
  }, nb::arg("adjacency"), nb::arg("gaussian"), nb::arg("single"), nb::arg("seed"),
     nb::arg("block"));

  m.def("measure_estimate", [](const Adjacency& graph, std::optional<Vector<double>> local,
                               double shift, std::optional<Vector<std::uint8_t>> is_bridge,
                               double columns, Vector<double> distance) {
    const ExactPart exact = exact_part(graph, local, shift, is_bridge, columns, distance.size());
    const KernelClock running("measure_estimate");
    const EstimateSums sums = measure_estimate(graph, exact, columns, numbers(distance));
    return std::pair(sums.foster, sums.share);
  }, nb::arg("adjacency"), nb::arg("local").noconvert().none(), nb::arg("shift"),
     nb::arg("is_bridge").noconvert().none(), nb::arg("columns"), nb::arg("distance").noconvert());

  m.def("finish_estimate", [](const Adjacency& graph, std::optional<Vector<double>> local,
                              double shift, std::optional<Vector<std::uint8_t>> is_bridge,
                              double columns, MutableVector<double> distance) {
    const ExactPart exact = exact_part(graph, local, shift, is_bridge, columns, distance.size());
    const KernelClock running("finish_estimate");
    const EstimateSums sums = finish_estimate(graph, exact, columns, numbers(distance));
    return std::pair(sums.foster, sums.share);
  }, nb::arg("adjacency"), nb::arg("local").noconvert().none(), nb::arg("shift"),
     nb::arg("is_bridge").noconvert().none(), nb::arg("columns"), nb::arg("distance").noconvert());

  m.def("edge_zeros", [](const Adjacency& graph) {
    Buffer<double> zeros(static_cast<std::size_t>(graph.num_edges));
    {
      const KernelClock running("edge_zeros");
      const Chunks chunks(graph.num_edges);
      for_each_light_piece(chunks.pieces, [&](int c) {
        std::fill(zeros.data() + chunks.begin(c), zeros.data() + chunks.end(c), 0.0);
      });
    }
    return to_numpy<double>(std::move(zeros));
  }, nb::arg("adjacency"));

  m.def("two_step_returns", [](const Adjacency& graph) {
    const KernelClock running("two_step_returns");
    return two_step_returns(graph);
  }, nb::arg("adjacency"));

  m.def("clip_resistances", [](const Adjacency& graph, MutableVector<double> resistance) {
    require_size("resistance", resistance.size(), static_cast<std::size_t>(graph.num_edges));
    const KernelClock running("clip_resistances");
    clip_resistances(graph, numbers(resistance));
  }, nb::arg("adjacency"), nb::arg("resistance").noconvert());

  m.def("walk_terms", [](const Adjacency& graph, int steps, nb::object progress) {
    require_range("steps", steps, 1, 16);
    Buffer<double> terms;
    {
      Monitor monitor = make_monitor(progress);
      const KernelClock running("walk_terms");
      terms = walk_terms(graph, steps, monitor);
    }
    return to_numpy<double>(std::move(terms), {static_cast<std::size_t>(graph.num_edges),
                                               static_cast<std::size_t>(2 * steps)});
  }, nb::arg("adjacency"), nb::arg("steps"), nb::arg("progress") = nb::none());

  m.def("estimate_walk_work", [](const Adjacency& graph, int steps, std::int32_t samples,
                                 double limit) {
    require_range("steps", steps, 1, 16);
    require_range("samples", samples, 1, 2147483646);
    const KernelClock running("estimate_walk_work");
    return estimate_walk_work(graph, steps, samples, limit);
  }, nb::arg("adjacency"), nb::arg("steps"), nb::arg("samples"), nb::arg("limit"));
}

}  // namespace fastgat
