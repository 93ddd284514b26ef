#include "bindings/attention_door.hpp"
#include "sampling/alias_table.hpp"
#include "sampling/draws.hpp"

namespace fastgat {

namespace {

// Draws sparse graphs as arcs, without the detour over their edges.
struct ArcDraws {
  const Adjacency& graph;
  Buffer<std::int32_t> edge_of_arc;

  explicit ArcDraws(const Adjacency& graph) : graph(graph), edge_of_arc(edges_of_arcs(graph)) {}
  Arcs keep(const Buffer<std::uint8_t>& kept) const { return Arcs(graph, edge_of_arc, kept); }
};

}  // namespace

void bind_arcs(nb::module_& m) {
  using Ends = Vector<std::int64_t>;
  nb::class_<Arcs>(m, "Arcs")
      .def_static("from_ends", [](Ends source, Ends target, std::int64_t num_sources,
                                  std::int64_t num_targets, bool add_loops, bool with_ids) {
        const std::int32_t sources = require_count("num_sources", num_sources);
        const std::int32_t targets = require_count("num_targets", num_targets);
        require_size("target", target.size(), source.size());
        if (add_loops && sources != targets)
          refuse("loops need as many sources as targets, got " + std::to_string(sources) +
                 " and " + std::to_string(targets));
        if (with_ids && static_cast<std::int64_t>(source.size()) + targets > kMostIds)
          refuse("values per arc are limited to 2147483647 arcs, loops included");
        const auto require_below = [](const char* name, std::span<const std::int64_t> nodes,
                                      std::int64_t count) {
          for (std::size_t k = 0; k < nodes.size(); ++k)
            if (nodes[k] < 0 || nodes[k] >= count)
              refuse(std::string(name) + "[" + std::to_string(k) +
                     "]=" + std::to_string(nodes[k]) + " must lie in [0, " +
                     std::to_string(count) + ")");
        };
        require_below("source", as_span(source), sources);
        require_below("target", as_span(target), targets);
        nb::gil_scoped_release unlocked;
        return Arcs(as_span(source), as_span(target), sources, targets, add_loops, with_ids);
      }, nb::arg("source").noconvert(), nb::arg("target").noconvert(), nb::arg("num_sources"),
         nb::arg("num_targets"), nb::arg("add_loops"), nb::arg("with_ids"))
      .def_static("from_adjacency", [](const Adjacency& graph) { return Arcs(graph); },
                  nb::arg("adjacency"), nb::keep_alive<0, 1>())
      .def("variant", [](const Arcs& arcs, bool add_loops, bool with_ids) {
        if (!arcs.is_symmetric() || arcs.has_loops() || arcs.has_ids() || arcs.has_repeats())
          refuse("variants are made of the plain arcs of an undirected graph");
        if (with_ids && arcs.num_stored() + arcs.num_targets() > kMostIds)
          refuse("values per arc are limited to 2147483647 arcs, loops included");
        return arcs.variant(add_loops, with_ids);
      }, nb::arg("add_loops"), nb::arg("with_ids"), nb::keep_alive<0, 1>())
      .def("ends", [](const Arcs& arcs) {
        const ArcRows& rows = arcs.by_target();
        Buffer<std::int64_t> ends(2 * static_cast<std::size_t>(arcs.num_stored()));
        std::int64_t* source = ends.data();
        std::int64_t* target = ends.data() + arcs.num_stored();
        for (std::int32_t row = 0; row < rows.num_rows; ++row)
          for (std::int64_t a = rows.begin[row]; a < rows.end[row]; ++a) {
            *source++ = rows.other[a];
            *target++ = row;
          }
        return rows_to_numpy(std::move(ends), 2, arcs.num_stored());
      })
      .def_prop_ro("num_sources", &Arcs::num_sources)
      .def_prop_ro("num_targets", &Arcs::num_targets)
      .def_prop_ro("num_arcs", &Arcs::num_arcs)
      .def_prop_ro("has_loops", &Arcs::has_loops)
      .def_prop_ro("has_ids", &Arcs::has_ids)
      .def_prop_ro("has_repeats", &Arcs::has_repeats)
      .def_prop_ro("is_symmetric", &Arcs::is_symmetric);

  nb::class_<ArcDraws>(m, "ArcDraws")
      .def("__init__", [](ArcDraws* self, const Adjacency& graph) {
        if (graph.num_edges > kMostIds) refuse("draws as arcs are limited to 2147483647 edges");
        nb::gil_scoped_release unlocked;
        new (self) ArcDraws(graph);
      }, nb::arg("adjacency"), nb::keep_alive<1, 2>())
      .def("independently", [](const ArcDraws& draws, Vector<double> probability,
                               std::uint64_t seed) {
        require_size("probability", probability.size(),
                     static_cast<std::size_t>(draws.graph.num_edges));
        const auto values = as_span(probability);
        nb::gil_scoped_release unlocked;
        return draws.keep(keep_independently(values, seed));
      }, nb::arg("probability").noconvert(), nb::arg("seed"), nb::keep_alive<0, 1>())
      .def("with_replacement", [](const ArcDraws& draws, const AliasTable& table,
                                  std::optional<Vector<std::uint8_t>> always,
                                  std::int64_t num_samples, std::uint64_t seed) {
        const auto edges = static_cast<std::size_t>(draws.graph.num_edges);
        require_size("table", static_cast<std::size_t>(table.size()), edges);
        if (always) require_size("always", always->size(), edges);
        require_range("num_samples", static_cast<double>(num_samples), 1, 4294967295.0);
        const auto besides = always ? as_span(*always) : std::span<const std::uint8_t>{};
        nb::gil_scoped_release unlocked;
        return draws.keep(keep_with_replacement(table, besides, num_samples, seed));
      }, nb::arg("table"), nb::arg("always").noconvert().none(), nb::arg("num_samples"),
         nb::arg("seed"), nb::keep_alive<0, 1>());
}

}  // namespace fastgat
