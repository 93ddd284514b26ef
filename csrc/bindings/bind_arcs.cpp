#include "attention/sort_arcs.hpp"
#include "bindings/arc_args.hpp"

namespace fastgat {
namespace {

nb::object ids_or_none(Buffer<std::int32_t>&& id, bool with_ids) {
  if (!with_ids) return nb::none();
  return nb::cast(to_numpy<std::int32_t>(std::move(id)));
}

nb::tuple sort(Vector<std::int64_t> source, Vector<std::int64_t> target, std::int64_t num_sources,
               std::int64_t num_targets, bool drop_loops, bool with_ids) {
  const SortOptions options{require_count("num_sources", num_sources),
                            require_count("num_targets", num_targets), drop_loops, with_ids};
  require_size("target", target.size(), source.size());
  if (with_ids && static_cast<std::int64_t>(source.size()) + options.num_targets > kMostIds)
    refuse("values per arc are limited to 2147483647 arcs, loops included");
  const auto from = as_span(source), to = as_span(target);
  SortedArcs arcs;
  {
    const KernelClock running("sort_arcs");
    arcs = sort_arcs(from, to, options);
  }
  nb::object target_offset = nb::cast(to_numpy<std::int64_t>(std::move(arcs.by_target.offset)));
  nb::object target_other = nb::cast(to_numpy<std::int32_t>(std::move(arcs.by_target.other)));
  nb::object source_offset = target_offset, source_other = target_other;
  if (!arcs.is_symmetric) {
    source_offset = nb::cast(to_numpy<std::int64_t>(std::move(arcs.by_source.offset)));
    source_other = nb::cast(to_numpy<std::int32_t>(std::move(arcs.by_source.other)));
  }
  return nb::make_tuple(target_offset, target_other,
                        ids_or_none(std::move(arcs.by_target.id), with_ids), source_offset,
                        source_other, ids_or_none(std::move(arcs.by_source.id), with_ids),
                        arcs.is_symmetric);
}

}  // namespace

void bind_arcs(nb::module_& m) {
  m.def("sort_arcs", &sort, nb::arg("source").noconvert(), nb::arg("target").noconvert(),
        nb::arg("num_sources"), nb::arg("num_targets"), nb::arg("drop_loops"),
        nb::arg("with_ids"));

  m.attr("most_heads") = kMaxHeads;
  m.def("row_size", [](int heads, int channels, bool allows_half) {
    return require_shape(heads, channels, 0, allows_half).row_size();
  }, nb::arg("heads"), nb::arg("channels"), nb::arg("allows_half"));
  m.def("padded_heads", [](int heads) { return require_shape(heads, 1, 0).padded_heads(); },
        nb::arg("heads"));
}

}  // namespace fastgat
