#include <algorithm>

#include "attention/additive.hpp"
#include "attention/head_scores.hpp"
#include "bindings/arc_args.hpp"

namespace fastgat {
namespace {

// Inputs that forward and backward check alike.
template <class T>
AdditiveInputs<T> require_additive(ArcArgs& arcs, const Shape& shape, const OptionalVector<T>& weight,
                                   const OptionalMatrix<T>& term, double slope, double dropout,
                                   std::uint64_t seed) {
  require_range("slope", slope, 0, 1);
  AdditiveInputs<T> in{};
  in.shape = shape;
  in.weight = require_per_arc<T>("weight", weight, arcs);
  in.term = require_per_arc<T>("term", term, arcs, shape.padded_heads());
  in.slope = static_cast<T>(slope);
  in.dropout = require_dropout("dropout", dropout, seed);
  return in;
}

template <class T>
void bind_additive_as(nb::module_& m) {
  m.def("head_scores", [](Matrix<T> value, Vector<T> att, int heads, int channels) {
    const Shape shape = require_shape(heads, channels, 0);
    const std::int32_t rows = require_num_nodes(static_cast<std::int64_t>(value.shape(0)));
    const T* values = require_rows<T>("value", value, rows, shape.row_size());
    require_size("att", att.size(), shape.row_size());
    Buffer<T> score(static_cast<std::size_t>(rows) * shape.padded_heads());
    {
      const KernelClock running("head_scores");
      head_scores<T>(rows, shape, values, numbers(att), score.data());
    }
    return rows_to_numpy(std::move(score), rows, shape.padded_heads());
  }, nb::arg("value").noconvert(), nb::arg("att").noconvert(), nb::arg("heads"),
     nb::arg("channels"));

  m.def("additive_forward", [](Vector<std::int64_t> offset, Vector<std::int32_t> other,
                               OptionalVector<std::int32_t> id, bool has_loops, int heads,
                               int channels, int head_offset, Matrix<T> value,
                               Matrix<T> source_score, Matrix<T> target_score,
                               OptionalVector<T> weight, OptionalMatrix<T> term,
                               OptionalVector<T> bias, double slope, double dropout,
                               std::uint64_t seed, bool training) {
    const Shape shape = require_shape(heads, channels, head_offset);
    ArcArgs arcs("", offset, other, id, has_loops, "value", value.shape(0));
    const std::int64_t padded = shape.padded_heads();
    const std::int64_t targets = arcs.num_rows(), sources = arcs.num_far_rows();
    AdditiveInputs<T> in = require_additive<T>(arcs, shape, weight, term, slope, dropout, seed);
    in.value = require_rows<T>("value", value, sources, shape.row_size());
    in.source_score = require_rows<T>("source_score", source_score, sources, padded);
    in.target_score = require_rows<T>("target_score", target_score, targets, padded);
    if (bias) {
      require_size("bias", bias->size(), shape.row_size());
      in.bias = numbers(*bias);
    }
    Buffer<T> out(targets * heads * channels);
    const std::int64_t kept = training ? targets : 0;
    Buffer<T> top(kept * padded), inverse_sum(kept * padded), share(kept * padded);
    Buffer<T> sums(kept * shape.row_size()), positive(kept * shape.row_size());
    {
      const KernelClock running("additive_forward");
      const GatheredRows<T> gathered(in.value, value.size());
      in.value = gathered.data();
      additive_forward<T>(arcs.rows(), in,
                          training ? AttentionOutputs<T>{out.data(), top.data(), inverse_sum.data(),
                                                         sums.data(), positive.data(), share.data()}
                                   : AttentionOutputs<T>{out.data(), nullptr, nullptr});
    }
    arcs.require_in_range();
    return nb::make_tuple(rows_to_numpy(std::move(out), targets, heads * channels),
                          rows_to_numpy(std::move(top), kept, padded),
                          rows_to_numpy(std::move(inverse_sum), kept, padded),
                          rows_to_numpy(std::move(sums), kept, shape.row_size()),
                          rows_to_numpy(std::move(positive), kept, shape.row_size()),
                          rows_to_numpy(std::move(share), kept, padded));
  }, nb::arg("offset").noconvert(), nb::arg("other").noconvert(), nb::arg("id").noconvert().none(),
     nb::arg("has_loops"), nb::arg("heads"), nb::arg("channels"), nb::arg("head_offset"),
     nb::arg("value").noconvert(), nb::arg("source_score").noconvert(),
     nb::arg("target_score").noconvert(), nb::arg("weight").noconvert().none(),
     nb::arg("term").noconvert().none(), nb::arg("bias").noconvert().none(), nb::arg("slope"),
     nb::arg("dropout"), nb::arg("seed"), nb::arg("training"));

  m.def("additive_backward", [](Vector<std::int64_t> offset, Vector<std::int32_t> other,
                                OptionalVector<std::int32_t> id, bool has_loops, int heads,
                                int channels, int head_offset, Matrix<T> gradient, Matrix<T> value,
                                Matrix<T> source_score,
                                Matrix<T> target_score, Matrix<T> top, Matrix<T> inverse_sum,
                                Matrix<T> sums, Matrix<T> positive, Matrix<T> positive_share,
                                Vector<T> att_source, OptionalVector<T> att_target,
                                OptionalVector<T> weight, OptionalMatrix<T> term, double slope,
                                double dropout, std::uint64_t seed) {
    const Shape shape = require_shape(heads, channels, head_offset);
    ArcArgs arcs("", offset, other, id, has_loops, "gradient", gradient.shape(0));
    const std::int64_t padded = shape.padded_heads(), size = shape.row_size();
    const std::int64_t sources = arcs.num_rows(), targets = arcs.num_far_rows();
    AdditiveInputs<T> in = require_additive<T>(arcs, shape, weight, term, slope, dropout, seed);
    in.value = require_rows<T>("value", value, sources, size);
    in.source_score = require_rows<T>("source_score", source_score, sources, padded);
    in.target_score = require_rows<T>("target_score", target_score, targets, padded);
    require_size("att_source", att_source.size(), size);
    if (att_target) {
      require_size("att_target", att_target->size(), size);
      if (sources != targets) refuse("att_target needs as many sources as targets");
    }
    Buffer<T> packed(targets * size), record(targets * padded * kAdditiveRecordSize);
    const TargetGradients<T> prepared{packed.data(), record.data()};
    Buffer<T> target_gradient(targets * padded), value_gradient(sources * size);
    Buffer<T> att_gradient(2 * size), bias_gradient(size);
    Buffer<T> weight_gradient(in.weight ? arcs.num_arcs() : 0);
    Buffer<T> term_gradient(in.term ? arcs.num_arcs() * padded : 0);
    const AttentionOutputs<const T> forward{
        nullptr,
        require_rows<T>("top", top, targets, padded),
        require_rows<T>("inverse_sum", inverse_sum, targets, padded),
        require_rows<T>("sums", sums, targets, size),
        require_rows<T>("positive", positive, targets, size),
        require_rows<T>("positive_share", positive_share, targets, padded)};
    const AdditiveTargets<T> of_targets{
        require_rows<T>("gradient", gradient, targets, heads * channels), in.target_score, forward,
        prepared, target_gradient.data(), bias_gradient.data()};
    {
      const KernelClock running("additive_backward");
      std::fill(weight_gradient.begin(), weight_gradient.end(), T{0});
      additive_targets<T>(static_cast<std::int32_t>(targets), shape, in.slope, of_targets);
      additive_backward<T>(arcs.rows(), in,
                           {prepared, numbers(att_source),
                            att_target ? numbers(*att_target) : nullptr, target_gradient.data(),
                            value_gradient.data(), att_gradient.data(),
                            in.weight ? weight_gradient.data() : nullptr,
                            in.term ? term_gradient.data() : nullptr});
    }
    arcs.require_in_range();
    const std::int64_t arc_rows = in.term ? arcs.num_arcs() : 0;
    return nb::make_tuple(rows_to_numpy(std::move(value_gradient), sources, size),
                          rows_to_numpy(std::move(att_gradient), 2, size),
                          rows_to_numpy(std::move(target_gradient), targets, padded),
                          to_numpy<T>(std::move(weight_gradient)),
                          rows_to_numpy(std::move(term_gradient), arc_rows, padded),
                          to_numpy<T>(std::move(bias_gradient)));
  }, nb::arg("offset").noconvert(), nb::arg("other").noconvert(), nb::arg("id").noconvert().none(),
     nb::arg("has_loops"), nb::arg("heads"), nb::arg("channels"), nb::arg("head_offset"),
     nb::arg("gradient").noconvert(), nb::arg("value").noconvert(),
     nb::arg("source_score").noconvert(), nb::arg("target_score").noconvert(),
     nb::arg("top").noconvert(), nb::arg("inverse_sum").noconvert(), nb::arg("sums").noconvert(),
     nb::arg("positive").noconvert(), nb::arg("positive_share").noconvert(),
     nb::arg("att_source").noconvert(), nb::arg("att_target").noconvert().none(),
     nb::arg("weight").noconvert().none(), nb::arg("term").noconvert().none(), nb::arg("slope"),
     nb::arg("dropout"), nb::arg("seed"));
}

}  // namespace

void bind_additive(nb::module_& m) {
  bind_additive_as<float>(m);
  bind_additive_as<double>(m);
}

}  // namespace fastgat
