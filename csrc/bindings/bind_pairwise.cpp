#include <algorithm>

#include "attention/pairwise.hpp"
#include "attention/unit_heads.hpp"
#include "bindings/arc_args.hpp"

namespace fastgat {
namespace {

Shape require_full_shape(int heads, int channels, int head_offset) {
  return require_shape(heads, channels, head_offset, false);
}

using Offsets = Vector<std::int64_t>;
using Ends = Vector<std::int32_t>;
using Ids = OptionalVector<std::int32_t>;

template <class T>
nb::tuple run_forward(const char* name, const ByTarget& by_target, const auto& in) {
  const Shape& shape = in.shape;
  const std::int64_t targets = by_target.num_targets(), size = shape.heads * shape.channels;
  Buffer<T> out(targets * size), top(targets * shape.padded_heads()), inverse_sum(top.size());
  {
    const KernelClock running(name);
    pair_forward(by_target.rows(), in,
                 AttentionOutputs<T>{out.data(), top.data(), inverse_sum.data()});
  }
  by_target.require_in_range();
  return nb::make_tuple(rows_to_numpy(std::move(out), targets, size),
                        rows_to_numpy(std::move(top), targets, shape.padded_heads()),
                        rows_to_numpy(std::move(inverse_sum), targets, shape.padded_heads()));
}

// What forward returned, as backward is given it.
template <class T>
AttentionOutputs<const T> require_forward(std::int64_t targets, const Shape& shape,
                                          const Matrix<T>& out, const Matrix<T>& top,
                                          const Matrix<T>& inverse_sum) {
  const std::int64_t padded = shape.padded_heads();
  return {require_rows<T>("out", out, targets, shape.heads * shape.channels),
          require_rows<T>("top", top, targets, padded),
          require_rows<T>("inverse_sum", inverse_sum, targets, padded)};
}

// Gradients that both families have, and what they are made from.
template <class T>
struct PairBuffers {
  Buffer<T> packed, record, key, value, weight, query;

  PairBuffers(const BothSides& arcs, const PairInputs<T>& in)
      : packed(arcs.num_targets() * in.shape.row_size()),
        record(arcs.num_targets() * in.shape.padded_heads() * kTargetRecordSize),
        key(arcs.num_sources() * in.score_shape.row_size()),
        value(in.value == in.key ? 0 : arcs.num_sources() * in.shape.row_size()),
        weight(in.weight ? arcs.num_arcs() : 0),
        query(arcs.num_targets() * in.score_shape.row_size()) {}

  PairGradients<T> gradients() {
    return {{packed.data(), record.data()}, key.data(), value.empty() ? nullptr : value.data(),
            weight.data(), query.data()};
  }
};

template <class T>
void run_backward(const char* name, const BothSides& arcs, const auto& in, const T* gradient,
                  const AttentionOutputs<const T>& forward, const auto& out) {
  {
    const KernelClock running(name);
    if (in.weight) std::fill_n(out.weight, arcs.num_arcs(), T{0});
    pair_targets(static_cast<std::int32_t>(arcs.num_targets()), in.shape, gradient, forward,
                 out.targets);
    pair_backward(arcs.by_target.rows(), arcs.by_source.rows(), in, out);
  }
  arcs.by_source.require_in_range();
  arcs.by_target.require_in_range();
}

// `arcs` are by target, or both sides.
template <class T, class Arcs>
DotInputs<T> require_dot(Arcs& arcs, int heads, int score_channels, int value_channels,
                         int head_offset, const Matrix<T>& query, const Matrix<T>& key,
                         const Matrix<T>& value, const OptionalVector<T>& weight, double dropout,
                         std::uint64_t seed) {
  DotInputs<T> in{};
  in.score_shape = require_full_shape(heads, score_channels, head_offset);
  in.shape = require_full_shape(heads, value_channels, head_offset);
  const std::int64_t score_size = in.score_shape.row_size();
  in.query = require_rows<T>("query", query, arcs.num_targets(), score_size);
  in.key = require_rows<T>("key", key, arcs.num_sources(), score_size);
  in.value = require_rows<T>("value", value, arcs.num_sources(), in.shape.row_size());
  in.weight = require_per_arc<T>("weight", weight, arcs);
  in.dropout = require_dropout("dropout", dropout, seed);
  return in;
}

template <class T>
void bind_dot_as(nb::module_& m) {
  m.def("dot_forward", [](Offsets offset, Ends other, Ids id, bool has_loops, int heads,
                          int score_channels, int value_channels, int head_offset, Matrix<T> query,
                          Matrix<T> key, Matrix<T> value, OptionalVector<T> weight, double dropout,
                          std::uint64_t seed) {
    ByTarget arcs("", offset, other, id, has_loops, "key", key.shape(0));
    const DotInputs<T> in = require_dot<T>(arcs, heads, score_channels, value_channels,
                                           head_offset, query, key, value, weight, dropout, seed);
    return run_forward<T>("dot_forward", arcs, in);
  }, nb::arg("offset").noconvert(), nb::arg("other").noconvert(), nb::arg("id").noconvert().none(),
     nb::arg("has_loops"), nb::arg("heads"), nb::arg("score_channels"), nb::arg("value_channels"),
     nb::arg("head_offset"), nb::arg("query").noconvert(), nb::arg("key").noconvert(),
     nb::arg("value").noconvert(), nb::arg("weight").noconvert().none(), nb::arg("dropout"),
     nb::arg("seed"));

  m.def("dot_backward", [](Offsets target_offset, Ends target_other, Ids target_id,
                           Offsets source_offset, Ends source_other, Ids source_id, bool has_loops,
                           int heads, int score_channels, int value_channels, int head_offset,
                           Matrix<T> gradient, Matrix<T> out, Matrix<T> query, Matrix<T> key,
                           Matrix<T> value, Matrix<T> top, Matrix<T> inverse_sum,
                           OptionalVector<T> weight, double dropout, std::uint64_t seed) {
    BothSides arcs{{"target_", target_offset, target_other, target_id, has_loops, "key",
                    key.shape(0)},
                   {"source_", source_offset, source_other, source_id, has_loops, "gradient",
                    gradient.shape(0)}};
    arcs.require_same_size();
    DotInputs<T> in = require_dot<T>(arcs, heads, score_channels, value_channels, head_offset,
                                     query, key, value, weight, dropout, seed);
    // One array given twice still has two gradients.
    Buffer<T> copy;
    if (in.value == in.key) {
      const KernelClock running("dot_backward");
      copy = Buffer<T>(value.size());
      std::copy(in.value, in.value + value.size(), copy.begin());
      in.value = copy.data();
    }
    const std::int64_t targets = arcs.num_targets(), sources = arcs.num_sources();
    PairBuffers<T> to(arcs, in);
    run_backward<T>("dot_backward", arcs, in,
                    require_rows<T>("gradient", gradient, targets, heads * value_channels),
                    require_forward<T>(targets, in.shape, out, top, inverse_sum), to.gradients());
    const std::int64_t score_size = in.score_shape.row_size();
    return nb::make_tuple(
        rows_to_numpy(std::move(to.query), targets, score_size),
        rows_to_numpy(std::move(to.key), sources, score_size),
        rows_to_numpy(std::move(to.value), sources, in.shape.row_size()),
        to_numpy<T>(std::move(to.weight)));
  }, nb::arg("target_offset").noconvert(), nb::arg("target_other").noconvert(),
     nb::arg("target_id").noconvert().none(), nb::arg("source_offset").noconvert(),
     nb::arg("source_other").noconvert(), nb::arg("source_id").noconvert().none(),
     nb::arg("has_loops"), nb::arg("heads"), nb::arg("score_channels"), nb::arg("value_channels"),
     nb::arg("head_offset"), nb::arg("gradient").noconvert(), nb::arg("out").noconvert(),
     nb::arg("query").noconvert(), nb::arg("key").noconvert(), nb::arg("value").noconvert(),
     nb::arg("top").noconvert(), nb::arg("inverse_sum").noconvert(),
     nb::arg("weight").noconvert().none(), nb::arg("dropout"), nb::arg("seed"));
}

template <class T, class Arcs>
GATv2Inputs<T> require_gatv2(Arcs& arcs, int heads, int channels, int head_offset,
                             const Matrix<T>& source, const Matrix<T>& target, const Vector<T>& att,
                             const OptionalVector<T>& weight, const OptionalMatrix<T>& attr,
                             const OptionalMatrix<T>& projection, double slope, double dropout,
                             std::uint64_t seed) {
  GATv2Inputs<T> in{};
  in.score_shape = in.shape = require_full_shape(heads, channels, head_offset);
  const std::int64_t size = in.score_shape.row_size();
  in.query = require_rows<T>("target", target, arcs.num_targets(), size);
  in.key = in.value = require_rows<T>("source", source, arcs.num_sources(), size);
  require_size("att", att.size(), static_cast<std::size_t>(size));
  in.att = numbers(att);
  in.weight = require_per_arc<T>("weight", weight, arcs);
  require_range("slope", slope, 0, 1);
  in.slope = static_cast<T>(slope);
  in.dropout = require_dropout("dropout", dropout, seed);
  if (attr.has_value() != projection.has_value()) refuse("attr and projection go together");
  if (attr) {
    in.attr_size = static_cast<std::int64_t>(attr->shape(1));
    require_range("attr_size", static_cast<double>(in.attr_size), 1, 1 << 20);
    in.attr = require_per_arc<T>("attr", attr, arcs, in.attr_size);
    in.projection = require_rows<T>("projection", *projection, in.attr_size, size);
  }
  return in;
}

template <class T>
void bind_gatv2_as(nb::module_& m) {
  m.def("gatv2_forward", [](Offsets offset, Ends other, Ids id, bool has_loops, int heads,
                            int channels, int head_offset, Matrix<T> source, Matrix<T> target,
                            Vector<T> att, OptionalVector<T> weight, OptionalMatrix<T> attr,
                            OptionalMatrix<T> projection, double slope, double dropout,
                            std::uint64_t seed) {
    ByTarget arcs("", offset, other, id, has_loops, "source", source.shape(0));
    const GATv2Inputs<T> in = require_gatv2<T>(arcs, heads, channels, head_offset, source, target,
                                               att, weight, attr, projection, slope, dropout, seed);
    return run_forward<T>("gatv2_forward", arcs, in);
  }, nb::arg("offset").noconvert(), nb::arg("other").noconvert(), nb::arg("id").noconvert().none(),
     nb::arg("has_loops"), nb::arg("heads"), nb::arg("channels"), nb::arg("head_offset"),
     nb::arg("source").noconvert(), nb::arg("target").noconvert(), nb::arg("att").noconvert(),
     nb::arg("weight").noconvert().none(), nb::arg("attr").noconvert().none(),
     nb::arg("projection").noconvert().none(), nb::arg("slope"), nb::arg("dropout"),
     nb::arg("seed"));

  m.def("gatv2_backward", [](Offsets target_offset, Ends target_other, Ids target_id,
                             Offsets source_offset, Ends source_other, Ids source_id,
                             bool has_loops, int heads, int channels, int head_offset,
                             Matrix<T> gradient, Matrix<T> out, Matrix<T> source, Matrix<T> target,
                             Vector<T> att, Matrix<T> top, Matrix<T> inverse_sum,
                             OptionalVector<T> weight, OptionalMatrix<T> attr,
                             OptionalMatrix<T> projection, double slope, double dropout,
                             std::uint64_t seed) {
    BothSides arcs{{"target_", target_offset, target_other, target_id, has_loops, "source",
                    source.shape(0)},
                   {"source_", source_offset, source_other, source_id, has_loops, "gradient",
                    gradient.shape(0)}};
    arcs.require_same_size();
    const GATv2Inputs<T> in = require_gatv2<T>(arcs, heads, channels, head_offset, source, target,
                                               att, weight, attr, projection, slope, dropout, seed);
    const std::int64_t targets = arcs.num_targets(), sources = arcs.num_sources();
    const std::int64_t size = in.score_shape.row_size();
    PairBuffers<T> to(arcs, in);
    Buffer<T> att_gradient(size), projection_gradient(in.attr_size * size);
    Buffer<T> attr_gradient(in.attr ? arcs.num_arcs() * in.attr_size : 0);
    {
      const KernelClock running("gatv2_backward");
      std::fill(attr_gradient.begin(), attr_gradient.end(), T{0});
    }
    run_backward<T>("gatv2_backward", arcs, in,
                    require_rows<T>("gradient", gradient, targets, heads * channels),
                    require_forward<T>(targets, in.shape, out, top, inverse_sum),
                    GATv2Gradients<T>{to.gradients(), att_gradient.data(), attr_gradient.data(),
                                      projection_gradient.data()});
    return nb::make_tuple(
        rows_to_numpy(std::move(to.key), sources, size),
        rows_to_numpy(std::move(to.query), targets, size), to_numpy<T>(std::move(att_gradient)),
        to_numpy<T>(std::move(to.weight)),
        rows_to_numpy(std::move(attr_gradient), in.attr ? arcs.num_arcs() : 0, in.attr_size),
        rows_to_numpy(std::move(projection_gradient), in.attr_size, size));
  }, nb::arg("target_offset").noconvert(), nb::arg("target_other").noconvert(),
     nb::arg("target_id").noconvert().none(), nb::arg("source_offset").noconvert(),
     nb::arg("source_other").noconvert(), nb::arg("source_id").noconvert().none(),
     nb::arg("has_loops"), nb::arg("heads"), nb::arg("channels"), nb::arg("head_offset"),
     nb::arg("gradient").noconvert(), nb::arg("out").noconvert(), nb::arg("source").noconvert(),
     nb::arg("target").noconvert(), nb::arg("att").noconvert(), nb::arg("top").noconvert(),
     nb::arg("inverse_sum").noconvert(), nb::arg("weight").noconvert().none(),
     nb::arg("attr").noconvert().none(), nb::arg("projection").noconvert().none(),
     nb::arg("slope"), nb::arg("dropout"), nb::arg("seed"));
}

template <class T>
void bind_unit_as(nb::module_& m) {
  m.def("unit_heads", [](Matrix<T> value, int heads, int channels) {
    const Shape shape = require_full_shape(heads, channels, 0);
    const auto rows = static_cast<std::int64_t>(value.shape(0));
    const std::int64_t padded = shape.padded_heads(), size = shape.row_size();
    const T* values = require_rows<T>("value", value, rows, size);
    Buffer<T> unit(rows * size), inverse(rows * padded);
    {
      const KernelClock running("unit_heads");
      unit_heads<T>(rows, shape, values, unit.data(), inverse.data());
    }
    return nb::make_tuple(rows_to_numpy(std::move(unit), rows, size),
                          rows_to_numpy(std::move(inverse), rows, padded));
  }, nb::arg("value").noconvert(), nb::arg("heads"), nb::arg("channels"));

  m.def("unit_heads_gradient", [](Matrix<T> gradient, Matrix<T> unit, Matrix<T> inverse, int heads,
                                  int channels) {
    const Shape shape = require_full_shape(heads, channels, 0);
    const auto rows = static_cast<std::int64_t>(gradient.shape(0));
    const std::int64_t padded = shape.padded_heads(), size = shape.row_size();
    const T* gradients = require_rows<T>("gradient", gradient, rows, size);
    const T* units = require_rows<T>("unit", unit, rows, size);
    const T* inverses = require_rows<T>("inverse", inverse, rows, padded);
    Buffer<T> out(rows * size);
    {
      const KernelClock running("unit_heads_gradient");
      unit_heads_gradient<T>(rows, shape, gradients, units, inverses, out.data());
    }
    return rows_to_numpy(std::move(out), rows, size);
  }, nb::arg("gradient").noconvert(), nb::arg("unit").noconvert(), nb::arg("inverse").noconvert(),
     nb::arg("heads"), nb::arg("channels"));
}

}  // namespace

void bind_pairwise(nb::module_& m) {
  bind_dot_as<float>(m);
  bind_dot_as<double>(m);
  bind_gatv2_as<float>(m);
  bind_gatv2_as<double>(m);
  bind_unit_as<float>(m);
  bind_unit_as<double>(m);
}

}  // namespace fastgat
