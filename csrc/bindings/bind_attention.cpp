#include "attention/additive.hpp"
#include "attention/arcs.hpp"
#include "attention/head_scores.hpp"
#include "bindings/door.hpp"

namespace fastgat {
namespace {

constexpr std::int64_t kMostIds = std::numeric_limits<std::int32_t>::max();

Shape require_shape(int heads, int channels, int head_offset) {
  require_range("heads", heads, 1, kMaxHeads);
  require_range("channels", channels, 1, 1 << 20);
  require_range("head_offset", head_offset, 0, 1 << 20);
  if (head_offset % kMaxHeads) refuse("head_offset must be a multiple of 16");
  return {heads, channels, head_offset};
}

Dropout require_dropout(double probability, std::uint64_t seed) {
  require_range("dropout", probability, 0, 1);
  return {probability, seed};
}

template <class T>
const T* require_rows(const char* name, const Matrix<T>& array, std::int64_t rows,
                      std::int64_t size) {
  if (static_cast<std::int64_t>(array.shape(0)) != rows ||
      static_cast<std::int64_t>(array.shape(1)) != size)
    refuse(std::string(name) + " has shape (" + std::to_string(array.shape(0)) + ", " +
           std::to_string(array.shape(1)) + "), needs (" + std::to_string(rows) + ", " +
           std::to_string(size) + ")");
  return numbers(array);
}

template <class T>
using OptionalMatrix = std::optional<Matrix<T>>;
template <class T>
using OptionalVector = std::optional<Vector<T>>;

template <class T>
const T* require_rows(const char* name, const OptionalMatrix<T>& array, std::int64_t rows,
                      std::int64_t size) {
  return array ? require_rows<T>(name, *array, rows, size) : nullptr;
}

template <class T>
const T* require_per_arc(const char* name, const OptionalVector<T>& array, const Arcs& arcs) {
  if (!array) return nullptr;
  require_size(name, array->size(), static_cast<std::size_t>(arcs.num_arcs()));
  if (!arcs.has_ids()) refuse(std::string(name) + " needs arcs made with ids");
  return numbers(*array);
}

template <class T>
const T* require_term(const OptionalMatrix<T>& term, const Arcs& arcs, const Shape& shape) {
  if (term && !arcs.has_ids()) refuse("term needs arcs made with ids");
  return require_rows<T>("term", term, arcs.num_arcs(), shape.padded_heads());
}

template <class T>
nb::ndarray<nb::numpy, T> rows_to_numpy(Buffer<T>&& buffer, std::int64_t rows, std::int64_t size) {
  return to_numpy<T>(std::move(buffer),
                     {static_cast<std::size_t>(rows), static_cast<std::size_t>(size)});
}

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

// Inputs that forward and backward check alike.
template <class T>
AdditiveInputs<T> require_additive(const Arcs& arcs, const Shape& shape, const Matrix<T>& value,
                                   const OptionalVector<T>& weight, const OptionalMatrix<T>& term,
                                   double slope, double dropout, std::uint64_t seed) {
  require_range("slope", slope, 0, 1);
  if (arcs.has_repeats() && !arcs.has_ids() && dropout > 0)
    refuse("dropout on repeated arcs needs arcs made with ids");
  AdditiveInputs<T> in{};
  in.shape = shape;
  in.value = require_rows<T>("value", value, arcs.num_sources(), shape.row_size());
  in.weight = require_per_arc<T>("weight", weight, arcs);
  in.term = require_term<T>(term, arcs, shape);
  in.slope = static_cast<T>(slope);
  in.dropout = require_dropout(dropout, seed);
  return in;
}

template <class T>
void bind_additive(nb::module_& m) {
  m.def("head_scores", [](Matrix<T> value, Vector<T> att, int heads, int channels) {
    const Shape shape = require_shape(heads, channels, 0);
    const std::int32_t rows = require_num_nodes(static_cast<std::int64_t>(value.shape(0)));
    const T* values = require_rows<T>("value", value, rows, shape.row_size());
    require_size("att", att.size(), shape.row_size());
    Buffer<T> score(static_cast<std::size_t>(rows) * shape.padded_heads());
    {
      nb::gil_scoped_release unlocked;
      head_scores<T>(rows, shape, values, numbers(att), score.data());
    }
    return rows_to_numpy(std::move(score), rows, shape.padded_heads());
  }, nb::arg("value").noconvert(), nb::arg("att").noconvert(), nb::arg("heads"),
     nb::arg("channels"));

  m.def("additive_forward", [](const Arcs& arcs, int heads, int channels, int head_offset,
                               Matrix<T> value, Matrix<T> source_score, Matrix<T> target_score,
                               OptionalVector<T> weight, OptionalMatrix<T> term, double slope,
                               double dropout, std::uint64_t seed, bool training) {
    const Shape shape = require_shape(heads, channels, head_offset);
    const std::int64_t padded = shape.padded_heads(), targets = arcs.num_targets();
    AdditiveInputs<T> in =
        require_additive<T>(arcs, shape, value, weight, term, slope, dropout, seed);
    in.source_score =
        require_rows<T>("source_score", source_score, arcs.num_sources(), padded);
    in.target_score = require_rows<T>("target_score", target_score, targets, padded);
    Buffer<T> out(targets * heads * channels);
    const std::int64_t kept = training ? targets : 0;
    Buffer<T> top(kept * padded), inverse_sum(kept * padded), share(kept * padded);
    Buffer<T> positive(kept * shape.row_size());
    {
      nb::gil_scoped_release unlocked;
      additive_forward<T>(arcs.by_target(), in,
                          {out.data(), training ? top.data() : nullptr, inverse_sum.data(),
                           positive.data(), share.data()});
    }
    return nb::make_tuple(rows_to_numpy(std::move(out), targets, heads * channels),
                          rows_to_numpy(std::move(top), kept, padded),
                          rows_to_numpy(std::move(inverse_sum), kept, padded),
                          rows_to_numpy(std::move(positive), kept, shape.row_size()),
                          rows_to_numpy(std::move(share), kept, padded));
  }, nb::arg("arcs"), nb::arg("heads"), nb::arg("channels"), nb::arg("head_offset"),
     nb::arg("value").noconvert(), nb::arg("source_score").noconvert(),
     nb::arg("target_score").noconvert(), nb::arg("weight").noconvert().none(),
     nb::arg("term").noconvert().none(), nb::arg("slope"), nb::arg("dropout"), nb::arg("seed"),
     nb::arg("training"));

  m.def("additive_backward", [](const Arcs& arcs, int heads, int channels, int head_offset,
                                Matrix<T> gradient, Matrix<T> out, Matrix<T> value,
                                Matrix<T> source_score, Matrix<T> target_score, Matrix<T> top,
                                Matrix<T> inverse_sum, Matrix<T> positive,
                                Matrix<T> positive_share, Vector<T> att_source,
                                OptionalVector<T> att_target, OptionalVector<T> weight,
                                OptionalMatrix<T> term, double slope, double dropout,
                                std::uint64_t seed) {
    const Shape shape = require_shape(heads, channels, head_offset);
    const std::int64_t padded = shape.padded_heads(), size = shape.row_size();
    const std::int64_t sources = arcs.num_sources(), targets = arcs.num_targets();
    AdditiveInputs<T> in =
        require_additive<T>(arcs, shape, value, weight, term, slope, dropout, seed);
    in.source_score = require_rows<T>("source_score", source_score, sources, padded);
    in.target_score = require_rows<T>("target_score", target_score, targets, padded);
    require_size("att_source", att_source.size(), size);
    if (att_target) {
      require_size("att_target", att_target->size(), size);
      if (sources != targets) refuse("att_target needs as many sources as targets");
    }
    Buffer<T> packed(targets * size), record(targets * padded * kRecordSize);
    Buffer<T> target_gradient(targets * padded), value_gradient(sources * size);
    Buffer<T> att_gradient(2 * size);
    Buffer<T> weight_gradient(in.weight ? arcs.num_arcs() : 0);
    Buffer<T> term_gradient(in.term ? arcs.num_arcs() * padded : 0);
    const AdditiveTargets<T> prepared{
        require_rows<T>("gradient", gradient, targets, heads * channels),
        require_rows<T>("out", out, targets, heads * channels),
        in.target_score,
        require_rows<T>("top", top, targets, padded),
        require_rows<T>("inverse_sum", inverse_sum, targets, padded),
        require_rows<T>("positive", positive, targets, size),
        require_rows<T>("positive_share", positive_share, targets, padded),
        packed.data(), record.data(), target_gradient.data()};
    {
      nb::gil_scoped_release unlocked;
      std::fill(weight_gradient.begin(), weight_gradient.end(), T{0});
      additive_targets<T>(arcs.num_targets(), shape, in.slope, prepared);
      additive_backward<T>(
          arcs.by_source(), in,
          {packed.data(), record.data(), numbers(att_source),
           att_target ? numbers(*att_target) : nullptr, target_gradient.data(),
           value_gradient.data(), att_gradient.data(),
           in.weight ? weight_gradient.data() : nullptr,
           in.term ? term_gradient.data() : nullptr});
    }
    const std::int64_t arc_rows = in.term ? arcs.num_arcs() : 0;
    return nb::make_tuple(rows_to_numpy(std::move(value_gradient), sources, size),
                          rows_to_numpy(std::move(att_gradient), 2, size),
                          rows_to_numpy(std::move(target_gradient), targets, padded),
                          to_numpy<T>(std::move(weight_gradient)),
                          rows_to_numpy(std::move(term_gradient), arc_rows, padded));
  }, nb::arg("arcs"), nb::arg("heads"), nb::arg("channels"), nb::arg("head_offset"),
     nb::arg("gradient").noconvert(), nb::arg("out").noconvert(), nb::arg("value").noconvert(),
     nb::arg("source_score").noconvert(), nb::arg("target_score").noconvert(),
     nb::arg("top").noconvert(), nb::arg("inverse_sum").noconvert(),
     nb::arg("positive").noconvert(), nb::arg("positive_share").noconvert(),
     nb::arg("att_source").noconvert(), nb::arg("att_target").noconvert().none(),
     nb::arg("weight").noconvert().none(), nb::arg("term").noconvert().none(), nb::arg("slope"),
     nb::arg("dropout"), nb::arg("seed"));
}

}  // namespace

void bind_attention(nb::module_& m) {
  bind_arcs(m);
  bind_additive<float>(m);
  bind_additive<double>(m);
}

}  // namespace fastgat
