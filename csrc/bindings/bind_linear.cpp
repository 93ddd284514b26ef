#include <algorithm>
#include <variant>

#include "bindings/door.hpp"
#include "linear/dense_dropout.hpp"
#include "linear/feature_matrix.hpp"
#include "linear/narrow.hpp"
#include "linear/projection.hpp"

namespace fastgat {
namespace {

// Features have the element type of the values they were made from.
struct AnyFeatures {
  std::variant<FeatureMatrix<float>, FeatureMatrix<double>> matrix;

  std::int32_t num_rows() const {
    return std::visit([](const auto& features) { return features.num_rows(); }, matrix);
  }
  std::int32_t num_columns() const {
    return std::visit([](const auto& features) { return features.num_columns(); }, matrix);
  }
  std::int64_t num_entries() const {
    return std::visit([](const auto& features) { return features.rows.num_entries(); }, matrix);
  }
  std::int32_t num_bands() const {
    return std::visit([](const auto& features) { return features.columns.num_bands; }, matrix);
  }
};

// What is checked is the copy: nobody can change it between the check and its use.
template <class Index, class T>
FeatureMatrix<T> make_features(std::int64_t num_rows, std::int64_t num_columns,
                               Vector<std::int64_t> offset, Vector<Index> column, Vector<T> value) {
  const std::int32_t n = require_count("num_rows", num_rows);
  const std::int32_t width = require_count("num_columns", num_columns);
  const std::int64_t entries = static_cast<std::int64_t>(column.size());
  require_size("offset", offset.size(), n + std::size_t{1});
  require_size("value", value.size(), column.size());
  // Decided before the copy; another writer can at worst make a binary matrix of what is none.
  const bool is_binary =
      std::all_of(numbers(value), numbers(value) + entries, [](T each) { return each == T{1}; });
  FeatureMatrix<T> features;
  features.rows = SparseLines<T>(n, entries, is_binary);
  auto& rows = features.rows;
  std::copy_n(numbers(offset), n + std::size_t{1}, rows.offset.begin());
  if (rows.offset[0] != 0 || rows.offset[n] != entries)
    refuse("offset must begin with 0 and end with " + std::to_string(entries) +
           ", the number of entries");
  for (std::int32_t r = 0; r < n; ++r)
    if (rows.offset[r] > rows.offset[r + 1])
      refuse("offset[" + std::to_string(r + std::int64_t{1}) + "] is smaller than the one before");
  const Index* from = numbers(column);
  for (std::int64_t e = 0; e < entries; ++e) {
    const Index c = from[e];
    if (c < 0 || c >= width)
      refuse("column[" + std::to_string(e) + "]=" + std::to_string(c) +
             " does not fit num_columns=" + std::to_string(width));
    rows.index[e] = static_cast<std::int32_t>(c);
  }
  if (!is_binary) std::copy_n(numbers(value), entries, rows.value.begin());
  rows.balance();
  features.columns = to_columns(rows, width);
  return features;
}

template <class Index, class T>
void construct(AnyFeatures* self, std::int64_t num_rows, std::int64_t num_columns,
               Vector<std::int64_t> offset, Vector<Index> column, Vector<T> value) {
  nb::gil_scoped_release unlocked;
  new (self) AnyFeatures{make_features<Index, T>(num_rows, num_columns, offset, column, value)};
}

template <class T>
const FeatureMatrix<T>& require_type(const AnyFeatures& features, const char* name) {
  const auto* matrix = std::get_if<FeatureMatrix<T>>(&features.matrix);
  if (!matrix) refuse(std::string(name) + " and features must have the same element type");
  return *matrix;
}

void require_heads(std::size_t width, std::int64_t heads) {
  if (heads < 1 || width == 0 || static_cast<std::int64_t>(width) % heads != 0)
    refuse("heads=" + std::to_string(heads) + " must divide the width, which is " +
           std::to_string(width));
}

Dropout require_dropout(double probability, std::uint64_t seed) {
  require_range("probability", probability, 0, 1);
  return Dropout(probability, seed);
}

template <class T>
nb::ndarray<nb::numpy, T> sparse_project(const AnyFeatures& any, Matrix<T> weight,
                                         std::int64_t heads, double probability,
                                         std::uint64_t seed) {
  const FeatureMatrix<T>& features = require_type<T>(any, "weight");
  require_size("each row of weight", weight.shape(1), features.num_columns());
  require_heads(weight.shape(0), heads);
  const Dropout dropout = require_dropout(probability, seed);
  const T* data = numbers(weight);
  const std::size_t width = weight.shape(0);
  Buffer<T> out;
  {
    nb::gil_scoped_release unlocked;
    out = project<T>(features, data, static_cast<std::int64_t>(width), heads, dropout);
  }
  return to_numpy<T>(std::move(out), {static_cast<std::size_t>(features.num_rows()), width});
}

template <class T>
nb::ndarray<nb::numpy, T> sparse_project_weight_grad(const AnyFeatures& any, Matrix<T> grad,
                                                     std::int64_t heads, double probability,
                                                     std::uint64_t seed) {
  const FeatureMatrix<T>& features = require_type<T>(any, "grad");
  require_size("grad", grad.shape(0), features.num_rows());
  require_heads(grad.shape(1), heads);
  const Dropout dropout = require_dropout(probability, seed);
  const T* data = numbers(grad);
  const std::size_t width = grad.shape(1);
  Buffer<T> out;
  {
    nb::gil_scoped_release unlocked;
    out = project_weight_gradient<T>(features, data, static_cast<std::int64_t>(width), heads,
                                     dropout);
  }
  return to_numpy<T>(std::move(out), {width, static_cast<std::size_t>(features.num_columns())});
}

template <class T>
nb::ndarray<nb::numpy, T> dropout(Vector<T> x, double probability, std::uint64_t seed) {
  const Dropout masks = require_dropout(probability, seed);
  const std::span<const T> values = as_span(x);
  Buffer<T> out;
  {
    nb::gil_scoped_release unlocked;
    out = dense_dropout<T>(values, masks);
  }
  return to_numpy<T>(std::move(out));
}

template <class T>
nb::ndarray<nb::numpy, T> elu_dropout(Vector<T> x, std::optional<Vector<T>> gradient,
                                      double probability, std::uint64_t seed) {
  const Dropout masks = require_dropout(probability, seed);
  const std::span<const T> values = as_span(x);
  if (gradient) require_size("gradient", gradient->size(), x.size());
  const std::span<const T> slopes = gradient ? as_span(*gradient) : values;
  Buffer<T> out;
  {
    nb::gil_scoped_release unlocked;
    out = gradient ? elu_dropout_gradient<T>(values, slopes, masks)
                   : fastgat::elu_dropout<T>(values, masks);
  }
  return to_numpy<T>(std::move(out));
}

template <class T>
NarrowShape require_narrow(const Matrix<T>& x, const Matrix<T>& weight) {
  require_size("each row of weight", weight.shape(1), x.shape(1));
  require_range("the rows of weight", static_cast<double>(weight.shape(0)), 1, kNarrowWidth);
  if (x.shape(1) == 0 || x.shape(1) % kNarrowStep)
    refuse("rows have " + std::to_string(x.shape(1)) + " entries, need a multiple of " +
           std::to_string(kNarrowStep));
  return {require_num_nodes(static_cast<std::int64_t>(x.shape(0))),
          static_cast<std::int64_t>(x.shape(1)), static_cast<std::int64_t>(weight.shape(0))};
}

template <class T>
nb::ndarray<nb::numpy, T> narrow_project(Matrix<T> x, Matrix<T> weight) {
  const NarrowShape shape = require_narrow<T>(x, weight);
  const T *rows = numbers(x), *weights = numbers(weight);
  Buffer<T> out;
  {
    nb::gil_scoped_release unlocked;
    out = fastgat::narrow_project<T>(shape, rows, weights);
  }
  return to_numpy<T>(std::move(out), {x.shape(0), weight.shape(0)});
}

template <class T>
nb::tuple narrow_project_gradient(Matrix<T> gradient, Matrix<T> x, Matrix<T> weight) {
  const NarrowShape shape = require_narrow<T>(x, weight);
  require_size("gradient", gradient.shape(0), x.shape(0));
  require_size("each row of gradient", gradient.shape(1), weight.shape(0));
  const T *slopes = numbers(gradient), *rows = numbers(x), *weights = numbers(weight);
  Buffer<T> x_gradient(x.size()), weight_gradient(weight.size());
  {
    nb::gil_scoped_release unlocked;
    fastgat::narrow_project_gradient<T>(shape, slopes, rows, weights, x_gradient.data(),
                                        weight_gradient.data());
  }
  return nb::make_tuple(
      to_numpy<T>(std::move(x_gradient), {x.shape(0), x.shape(1)}),
      to_numpy<T>(std::move(weight_gradient), {weight.shape(0), weight.shape(1)}));
}

template <class T>
void bind_type(nb::module_& m, nb::class_<AnyFeatures>& features) {
  const auto constructor = [&](auto construct) {
    features.def("__init__", construct, nb::arg("num_rows"), nb::arg("num_columns"),
                 nb::arg("offset").noconvert(), nb::arg("column").noconvert(),
                 nb::arg("value").noconvert());
  };
  constructor(&construct<std::int32_t, T>);
  constructor(&construct<std::int64_t, T>);
  m.def("sparse_project", &sparse_project<T>, nb::arg("features"), nb::arg("weight").noconvert(),
        nb::arg("heads"), nb::arg("probability"), nb::arg("seed"));
  m.def("sparse_project_weight_grad", &sparse_project_weight_grad<T>, nb::arg("features"),
        nb::arg("grad").noconvert(), nb::arg("heads"), nb::arg("probability"), nb::arg("seed"));
  m.def("narrow_project", &narrow_project<T>, nb::arg("x").noconvert(),
        nb::arg("weight").noconvert());
  m.def("narrow_project_gradient", &narrow_project_gradient<T>, nb::arg("gradient").noconvert(),
        nb::arg("x").noconvert(), nb::arg("weight").noconvert());
  m.def("dropout", &dropout<T>, nb::arg("x").noconvert(), nb::arg("probability"), nb::arg("seed"));
  m.def("elu_dropout", &elu_dropout<T>, nb::arg("x").noconvert(),
        nb::arg("gradient").noconvert().none(), nb::arg("probability"), nb::arg("seed"));
}

}  // namespace

void bind_linear(nb::module_& m) {
  nb::class_<AnyFeatures> features(m, "FeatureMatrix", nb::is_weak_referenceable());
  bind_type<float>(m, features);
  bind_type<double>(m, features);
  features.def_prop_ro("num_rows", &AnyFeatures::num_rows)
      .def_prop_ro("num_columns", &AnyFeatures::num_columns)
      .def_prop_ro("num_entries", &AnyFeatures::num_entries)
      .def_prop_ro("num_bands", &AnyFeatures::num_bands);

  // The generators behind all masks, for tests against their definition: of four words, or of two.
  m.def("threefry", [](Vector<std::uint32_t> counter, std::uint64_t seed) {
    const std::span<const std::uint32_t> words = as_span(counter);
    if (words.size() == 2) {
      const RandomPairs<1> random = threefry2<1>(seed, {{words[0], words[1]}});
      return copy_to_numpy(std::vector<std::uint32_t>(random.word, random.word + 2));
    }
    require_size("counter", counter.size(), 4);
    const RandomWords<1> random = threefry<1>(seed, {{words[0], words[1], words[2], words[3]}});
    return copy_to_numpy(std::vector<std::uint32_t>(random.word, random.word + 4));
  }, nb::arg("counter").noconvert(), nb::arg("seed"));
}

}  // namespace fastgat
