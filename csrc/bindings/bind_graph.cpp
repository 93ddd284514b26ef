#include <cmath>
#include <optional>

#include "bindings/array_args.hpp"
#include "bindings/kernel_clock.hpp"
#include "graph/adjacency.hpp"
#include "graph/edges.hpp"
#include "graph/forest.hpp"
#include "graph/similarity.hpp"

namespace fastgat {
namespace {

template <class Index>
void require_edges(std::int64_t num_nodes, const Vector<Index>& source, const Vector<Index>& target,
                   const OptionalWeights& weight) {
  require_size("target", target.size(), source.size());
  if (source.size() > std::numeric_limits<std::uint32_t>::max())
    refuse("more than 2^32 - 1 arcs are not supported");
  if (weight) {
    require_size("weight", weight->size(), source.size());
    require_positive("weight", as_span(*weight));
  }
  const std::int64_t bad = first_arc_out_of_range<Index>(num_nodes, as_span(source),
                                                         as_span(target));
  if (bad >= 0)
    refuse("edge (" + std::to_string(as_span(source)[bad]) + ", " +
           std::to_string(as_span(target)[bad]) +
           ") does not fit num_nodes=" + std::to_string(num_nodes));
}

template <class Index>
nb::tuple canonical(std::int64_t num_nodes, Vector<Index> source, Vector<Index> target,
                    OptionalWeights weight) {
  const std::int32_t n = require_num_nodes(num_nodes);
  EdgeList edges;
  {
    const KernelClock running("canonical_edges");
    require_edges<Index>(n, source, target, weight);
    edges = canonical_edges<Index>(n, as_span(source), as_span(target), weights_or_none(weight));
  }
  const Repairs repairs = edges.repairs;
  nb::object weights = nb::none();
  if (weight) weights = nb::cast(to_numpy<const double>(std::move(edges.weight)));
  return nb::make_tuple(to_numpy<const std::int32_t>(std::move(edges.source)),
                        to_numpy<const std::int32_t>(std::move(edges.target)), weights,
                        nb::make_tuple(repairs.self_loops, repairs.repeated, repairs.merged,
                                       repairs.averaged));
}

template <class Index>
std::int64_t largest(Vector<Index> source, Vector<Index> target) {
  require_size("target", target.size(), source.size());
  return largest_node<Index>(as_span(source), as_span(target));
}

Adjacency make_adjacency(std::int64_t num_nodes, Vector<std::int32_t> source,
                         Vector<std::int32_t> target, OptionalWeights weight) {
  const KernelClock running("Adjacency");
  const std::int32_t n = require_num_nodes(num_nodes);
  require_edges<std::int32_t>(n, source, target, weight);
  const EdgeSpan edges{n, as_span(source), as_span(target), weights_or_none(weight)};
  if (!is_canonical(edges.source, edges.target))
    refuse("edges must be sorted, each once, source < target");
  return build_adjacency(edges);
}

// A read-only NumPy view that keeps the adjacency alive.
template <class T>
nb::ndarray<nb::numpy, const T> view(nb::handle self, const Buffer<T>& buffer) {
  return nb::ndarray<nb::numpy, const T>(buffer.data(), {buffer.size()}, self);
}

}  // namespace

void bind_graph(nb::module_& m) {
  m.def("canonical_edges", &canonical<std::int32_t>, nb::arg("num_nodes"),
        nb::arg("source").noconvert(), nb::arg("target").noconvert(),
        nb::arg("weight").noconvert().none());
  m.def("canonical_edges", &canonical<std::int64_t>, nb::arg("num_nodes"),
        nb::arg("source").noconvert(), nb::arg("target").noconvert(),
        nb::arg("weight").noconvert().none());
  m.def("largest_node", &largest<std::int32_t>, nb::arg("source").noconvert(),
        nb::arg("target").noconvert());
  m.def("largest_node", &largest<std::int64_t>, nb::arg("source").noconvert(),
        nb::arg("target").noconvert());

  nb::class_<Adjacency>(m, "Adjacency")
      .def("__init__", [](Adjacency* self, std::int64_t num_nodes, Vector<std::int32_t> source,
                          Vector<std::int32_t> target, OptionalWeights weight) {
        new (self) Adjacency(make_adjacency(num_nodes, source, target, weight));
      }, nb::arg("num_nodes"), nb::arg("source").noconvert(), nb::arg("target").noconvert(),
         nb::arg("weight").noconvert().none())
      .def_ro("num_nodes", &Adjacency::num_nodes)
      .def_ro("num_edges", &Adjacency::num_edges)
      .def_prop_ro("is_weighted", &Adjacency::is_weighted)
      .def_prop_ro("offset", [](nb::handle self) {
        return view(self, nb::cast<const Adjacency&>(self).offset);
      })
      .def_prop_ro("neighbor", [](nb::handle self) {
        return view(self, nb::cast<const Adjacency&>(self).neighbor);
      })
      .def_prop_ro("weight", [](nb::handle self) -> nb::object {
        const auto& graph = nb::cast<const Adjacency&>(self);
        if (!graph.is_weighted()) return nb::none();
        return nb::cast(view(self, graph.weight));
      })
      .def_prop_ro("degree", [](nb::handle self) {
        return view(self, nb::cast<const Adjacency&>(self).degree);
      });

  m.def("connected_components", [](const Adjacency& graph) {
    Components components;
    {
      Monitor monitor = make_monitor(nb::none());  // for Ctrl-C
      const KernelClock running("connected_components");
      components = connected_components(graph, monitor);
    }
    return nb::make_tuple(components.count,
                          to_numpy<std::int32_t>(std::move(components.label)));
  }, nb::arg("adjacency"));

  m.def("find_bridges", [](const Adjacency& graph) {
    Bridges bridges;
    {
      Monitor monitor = make_monitor(nb::none());  // for Ctrl-C
      const KernelClock running("find_bridges");
      bridges = find_bridges(graph, monitor);
    }
    return nb::make_tuple(copy_to_numpy(bridges.edge), bridges.num_components);
  }, nb::arg("adjacency"));

  m.def("maximum_spanning_forest", [](std::int64_t num_nodes, Vector<std::int32_t> source,
                                      Vector<std::int32_t> target, Vector<double> score) {
    const std::int32_t n = require_num_nodes(num_nodes);
    require_edges<std::int32_t>(n, source, target, std::nullopt);
    require_size("score", score.size(), source.size());
    for (std::size_t e = 0; e < score.size(); ++e)
      if (std::isnan(as_span(score)[e])) refuse("score[" + std::to_string(e) + "] is NaN");
    std::vector<std::int64_t> forest;
    {
      const KernelClock running("maximum_spanning_forest");
      forest = maximum_spanning_forest({n, as_span(source), as_span(target), {}},
                                       as_span(score));
    }
    return copy_to_numpy(forest);
  }, nb::arg("num_nodes"), nb::arg("source").noconvert(), nb::arg("target").noconvert(),
     nb::arg("score").noconvert());

  m.def("dense_products", [](const Adjacency& graph, Matrix<float> features) {
    require_size("features", features.shape(0), static_cast<std::size_t>(graph.num_nodes));
    const float* rows = numbers(features);
    Buffer<double> found;
    {
      const KernelClock running("dense_products");
      found = dense_products(graph, rows, static_cast<std::int64_t>(features.shape(1)));
    }
    return to_numpy<double>(std::move(found));
  }, nb::arg("adjacency"), nb::arg("features").noconvert());

  m.def("sparse_products", [](const Adjacency& graph, Vector<std::int64_t> offset,
                              Vector<std::int32_t> column, Vector<float> value,
                              std::int64_t num_columns) {
    require_size("offset", offset.size(), graph.num_nodes + std::size_t{1});
    require_size("value", value.size(), column.size());
    const std::int32_t width = require_count("num_columns", num_columns);
    const float* values = numbers(value);
    const std::span<const std::int32_t> columns = as_span(column);
    Buffer<double> found;
    {
      const KernelClock running("sparse_products");
      const Buffer<std::int64_t> rows = copy_offsets("offset", offset, column.size());
      Buffer<std::int32_t> copy(columns.size());  // nobody can change what has been checked
      for (std::size_t k = 0; k < copy.size(); ++k) {
        copy[k] = columns[k];
        if (copy[k] < 0 || copy[k] >= width)
          refuse("column[" + std::to_string(k) + "]=" + std::to_string(copy[k]) +
                 " does not fit num_columns=" + std::to_string(width));
      }
      found = sparse_products(graph, {rows, copy, values, width});
    }
    return to_numpy<double>(std::move(found));
  }, nb::arg("adjacency"), nb::arg("offset").noconvert(), nb::arg("column").noconvert(),
     nb::arg("value").noconvert(), nb::arg("num_columns"));

  m.def("jaccard_index", [](const Adjacency& graph) {
    Buffer<double> found;
    {
      const KernelClock running("jaccard_index");
      found = jaccard_index(graph);
    }
    return to_numpy<double>(std::move(found));
  }, nb::arg("adjacency"));
}

}  // namespace fastgat
