#include "bindings/attention_door.hpp"

namespace fastgat {

void bind_arcs(nb::module_& m) {
  using Ends = Vector<std::int64_t>;
  nb::class_<Arcs>(m, "Arcs")
      .def_static("from_ends", [](Ends source, Ends target, std::int64_t num_sources,
                                  std::int64_t num_targets, bool add_loops, bool with_ids) {
        const std::int32_t sources = require_num_nodes(num_sources);
        const std::int32_t targets = require_num_nodes(num_targets);
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
      .def_static("from_adjacency", [](const Adjacency& graph, bool add_loops, bool with_ids) {
        if (with_ids && 2 * graph.num_edges + graph.num_nodes > kMostIds)
          refuse("values per arc are limited to 2147483647 arcs, loops included");
        return Arcs(graph, add_loops, with_ids);
      }, nb::arg("adjacency"), nb::arg("add_loops"), nb::arg("with_ids"), nb::keep_alive<0, 1>())
      .def_prop_ro("num_sources", &Arcs::num_sources)
      .def_prop_ro("num_targets", &Arcs::num_targets)
      .def_prop_ro("num_arcs", &Arcs::num_arcs)
      .def_prop_ro("has_ids", &Arcs::has_ids)
      .def_prop_ro("has_repeats", &Arcs::has_repeats)
      .def_prop_ro("is_symmetric", &Arcs::is_symmetric);
}

}  // namespace fastgat
