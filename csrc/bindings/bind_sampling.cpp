#include <optional>

#include "bindings/array_args.hpp"
#include "bindings/kernel_clock.hpp"
#include "sampling/alias_table.hpp"
#include "sampling/arc_draws.hpp"
#include "sampling/draws.hpp"

namespace fastgat {
namespace {

using Nodes = Vector<std::int32_t>;

// Draws never follow a node number, so sizes are all there is to check.
EdgeSpan require_edge_arrays(const Nodes& source, const Nodes& target,
                             const OptionalWeights& weight) {
  require_size("target", target.size(), source.size());
  if (weight) require_size("weight", weight->size(), source.size());
  return {0, as_span(source), as_span(target), weights_or_none(weight)};
}

nb::tuple to_tuple(Draw&& draw) {
  return nb::make_tuple(to_numpy<const std::int64_t>(std::move(draw.edge)),
                        to_numpy<const std::int32_t>(std::move(draw.source)),
                        to_numpy<const std::int32_t>(std::move(draw.target)),
                        to_numpy<const double>(std::move(draw.weight)));
}

// Draws sparse graphs as arcs, without the detour over their edges.
struct ArcDraws {
  const Adjacency& graph;
  Buffer<std::int32_t> edge_of_arc;

  explicit ArcDraws(const Adjacency& graph) : graph(graph), edge_of_arc(edges_of_arcs(graph)) {}
  std::size_t num_edges() const { return static_cast<std::size_t>(graph.num_edges); }
};

nb::tuple to_tuple(DrawnArcs&& arcs) {
  return nb::make_tuple(to_numpy<std::int64_t>(std::move(arcs.offset)),
                        to_numpy<std::int32_t>(std::move(arcs.other)));
}

void bind_arc_draws(nb::module_& m) {
  nb::class_<ArcDraws>(m, "ArcDraws")
      .def("__init__", [](ArcDraws* self, const Adjacency& graph) {
        if (graph.num_edges > std::numeric_limits<std::int32_t>::max())
          refuse("draws as arcs are limited to 2147483647 edges");
        const KernelClock running("ArcDraws");
        new (self) ArcDraws(graph);
      }, nb::arg("adjacency"), nb::keep_alive<1, 2>())
      .def("independently", [](const ArcDraws& draws, Vector<double> probability,
                               std::uint64_t seed) {
        require_size("probability", probability.size(), draws.num_edges());
        const auto values = as_span(probability);
        DrawnArcs arcs;
        {
          const KernelClock running("ArcDraws.independently");
          arcs = keep_arcs(draws.graph, draws.edge_of_arc, keep_independently(values, seed));
        }
        return to_tuple(std::move(arcs));
      }, nb::arg("probability").noconvert(), nb::arg("seed"))
      .def("with_replacement", [](const ArcDraws& draws, const AliasTable& table,
                                  std::optional<Vector<std::uint8_t>> always,
                                  std::int64_t num_samples, std::uint64_t seed) {
        require_size("table", static_cast<std::size_t>(table.size()), draws.num_edges());
        if (always) require_size("always", always->size(), draws.num_edges());
        require_range("num_samples", static_cast<double>(num_samples), 1, 4294967295.0);
        const auto besides = always ? as_span(*always) : std::span<const std::uint8_t>{};
        DrawnArcs arcs;
        {
          const KernelClock running("ArcDraws.with_replacement");
          arcs = keep_arcs(draws.graph, draws.edge_of_arc,
                           keep_with_replacement(table, besides, num_samples, seed));
        }
        return to_tuple(std::move(arcs));
      }, nb::arg("table"), nb::arg("always").noconvert().none(), nb::arg("num_samples"),
         nb::arg("seed"));
}

}  // namespace

void bind_sampling(nb::module_& m) {
  bind_arc_draws(m);
  nb::class_<AliasTable>(m, "AliasTable")
      .def("__init__", [](AliasTable* self, Vector<double> score) {
        if (score.size() == 0 || score.size() > 0xFFFFFFFFu)
          refuse("score needs between 1 and 2^32 - 1 entries");
        const std::span<const double> values = as_span(score);
        double total = 0;
        for (std::size_t i = 0; i < values.size(); ++i) {
          if (!(values[i] >= 0 && values[i] <= std::numeric_limits<double>::max()))
            refuse("score[" + std::to_string(i) + "] must be finite and not negative");
          total += values[i];
        }
        if (!(total > 0 && total <= std::numeric_limits<double>::max()))
          refuse("scores must add up to a positive finite number");
        const KernelClock running("AliasTable");
        new (self) AliasTable(values);
      }, nb::arg("score").noconvert());

  m.def("draw_with_replacement", [](Nodes source, Nodes target, OptionalWeights weight,
                                    const AliasTable& table, Vector<double> score,
                                    std::optional<Vector<std::uint8_t>> always,
                                    std::int64_t num_samples, std::uint64_t seed) {
    const EdgeSpan edges = require_edge_arrays(source, target, weight);
    require_size("table", static_cast<std::size_t>(table.size()), source.size());
    require_size("score", score.size(), source.size());
    if (always) require_size("always", always->size(), source.size());
    require_range("num_samples", static_cast<double>(num_samples), 1, 4294967295.0);
    Draw draw;
    {
      const KernelClock running("draw_with_replacement");
      draw = draw_with_replacement(
          edges, table, as_span(score),
          always ? as_span(*always) : std::span<const std::uint8_t>{}, num_samples, seed);
    }
    return to_tuple(std::move(draw));
  }, nb::arg("source").noconvert(), nb::arg("target").noconvert(),
     nb::arg("weight").noconvert().none(), nb::arg("table"), nb::arg("score").noconvert(),
     nb::arg("always").noconvert().none(), nb::arg("num_samples"), nb::arg("seed"));

  m.def("draw_independently", [](Nodes source, Nodes target, OptionalWeights weight,
                                 Vector<double> probability, std::uint64_t seed) {
    const EdgeSpan edges = require_edge_arrays(source, target, weight);
    require_size("probability", probability.size(), source.size());
    Draw draw;
    {
      const KernelClock running("draw_independently");
      draw = draw_independently(edges, as_span(probability), seed);
    }
    return to_tuple(std::move(draw));
  }, nb::arg("source").noconvert(), nb::arg("target").noconvert(),
     nb::arg("weight").noconvert().none(), nb::arg("probability").noconvert(), nb::arg("seed"));

  m.def("rank_edges", [](const Adjacency& graph, Vector<double> score, bool best_first,
                         std::uint64_t seed) {
    require_size("score", score.size(), static_cast<std::size_t>(graph.num_edges));
    const std::span<const double> values = as_span(score);
    for (const double value : values)
      if (!(value >= 0)) refuse("score must not be negative");
    EdgeRanks rank;
    {
      const KernelClock running("rank_edges");
      rank = rank_edges(graph, values, best_first, seed);
    }
    return nb::make_tuple(to_numpy<std::int32_t>(std::move(rank.at_source)),
                          to_numpy<std::int32_t>(std::move(rank.at_target)));
  }, nb::arg("adjacency"), nb::arg("score").noconvert(), nb::arg("best_first"), nb::arg("seed"));
}

}  // namespace fastgat
