#include <algorithm>
#include <optional>
#include <vector>

#include "bindings/array_args.hpp"
#include "bindings/kernel_clock.hpp"
#include "linear/dense_dropout.hpp"
#include "linear/narrow.hpp"
#include "linear/projection.hpp"
#include "linear/sort_features.hpp"
#include "parallel/balanced_rows.hpp"
#include "random/threefry.hpp"

namespace fastgat {
namespace {

// Sorts entries into rows and into columns. What is checked is the copy: nobody can change it between
// the check and its use.
template <class Index, class T>
nb::tuple sort_features(std::int64_t num_rows, std::int64_t num_columns,
                        Vector<std::int64_t> offset, Vector<Index> column, Vector<T> value) {
  const std::int32_t n = require_count("num_rows", num_rows);
  const std::int32_t width = require_count("num_columns", num_columns);
  const std::int64_t entries = static_cast<std::int64_t>(column.size());
  require_size("offset", offset.size(), n + std::size_t{1});
  require_size("value", value.size(), column.size());
  const Index* from = numbers(column);
  const T* values = numbers(value);
  Entries<T> rows, columns;
  {
    const KernelClock running("sort_features");
    rows.offset = copy_offsets("offset", offset, column.size());
    if (rows.offset[n] != entries)
      refuse("offset must end with " + std::to_string(entries) + ", the number of entries");
    rows.index = Buffer<std::int32_t>(entries);
    for (std::int64_t e = 0; e < entries; ++e) {
      const Index c = from[e];
      if (c < 0 || c >= width)
        refuse("column[" + std::to_string(e) + "]=" + std::to_string(c) +
               " does not fit num_columns=" + std::to_string(width));
      rows.index[e] = static_cast<std::int32_t>(c);
    }
    // Decided before the copy; another writer can at worst make a binary matrix of what is none.
    const bool is_binary =
        std::all_of(values, values + entries, [](T each) { return each == T{1}; });
    rows.value = Buffer<T>(is_binary ? 0 : entries);
    std::copy_n(values, rows.value.size(), rows.value.begin());
    columns = columns_in_bands(rows, width);
  }
  return nb::make_tuple(
      to_numpy<std::int64_t>(std::move(rows.offset)), to_numpy<std::int32_t>(std::move(rows.index)),
      to_numpy<T>(std::move(rows.value)), to_numpy<std::int64_t>(std::move(columns.offset)),
      to_numpy<std::int32_t>(std::move(columns.index)), to_numpy<T>(std::move(columns.value)));
}

// What sort_features returned, or something else: offsets are copied and checked here, indices by the
// kernels.
template <class T>
class LineArgs {
 public:
  LineArgs(const char* offset_name, const char* index_name, const Vector<std::int64_t>& offset,
           const Vector<std::int32_t>& index, const char* value_name, const Vector<T>& value,
           const char* table_name, std::size_t table_size)
      : index_name_(index_name),
        table_name_(table_name),
        offset_(copy_offsets(offset_name, offset, index.size())),
        pieces_(balance_rows(offset_)),
        range_(require_count(table_name, static_cast<std::int64_t>(table_size))) {
    if (value.size() != 0) require_size(value_name, value.size(), index.size());
    const std::int32_t num_lines = static_cast<std::int32_t>(offset_.size() - 1);
    if (offset_[num_lines] > 0 && table_size == 0)
      refuse(std::string(index_name) + " has entries, but " + table_name + " has none");
    lines_ = {offset_, numbers(index), value.size() ? numbers(value) : nullptr, num_lines, pieces_,
              &range_};
  }

  const SparseLines<T>& lines() const { return lines_; }
  void set_lines_per_band(std::int32_t lines) { lines_.lines_per_band = lines; }

  // To be called when the kernels are done.
  void require_in_range() const {
    if (const auto index = range_.outside())
      refuse(std::string(index_name_) + " has the entry " + std::to_string(*index) + ", but " +
             table_name_ + " has " + std::to_string(range_.size()));
  }

 private:
  const char *index_name_, *table_name_;
  Buffer<std::int64_t> offset_;
  std::vector<std::int32_t> pieces_;
  IndexRange range_;
  SparseLines<T> lines_;
};

void require_heads(std::size_t width, std::int64_t heads) {
  if (heads < 1 || width == 0 || static_cast<std::int64_t>(width) % heads != 0)
    refuse("heads=" + std::to_string(heads) + " must divide the width, which is " +
           std::to_string(width));
}

template <class T>
nb::ndarray<nb::numpy, T> sparse_project(Vector<std::int64_t> row_offset,
                                         Vector<std::int32_t> column, Vector<T> value,
                                         Matrix<T> weight, std::int64_t heads, double probability,
                                         std::uint64_t seed) {
  const LineArgs<T> rows("row_offset", "column", row_offset, column, "value", value,
                         "each row of weight", weight.shape(1));
  require_heads(weight.shape(0), heads);
  const Dropout dropout = require_dropout("probability", probability, seed);
  const T* data = numbers(weight);
  const std::size_t width = weight.shape(0), num_rows = row_offset.size() - 1;
  Buffer<T> out;
  {
    const KernelClock running("sparse_project");
    out = project<T>(rows.lines(), static_cast<std::int32_t>(weight.shape(1)), data,
                     static_cast<std::int64_t>(width), heads, dropout);
  }
  rows.require_in_range();
  return to_numpy<T>(std::move(out), {num_rows, width});
}

template <class T>
nb::ndarray<nb::numpy, T> sparse_project_weight_grad(Vector<std::int64_t> band_offset,
                                                     Vector<std::int32_t> band_row,
                                                     Vector<T> band_value, std::int64_t num_columns,
                                                     Matrix<T> grad, std::int64_t heads,
                                                     double probability, std::uint64_t seed) {
  const std::int32_t lines = require_count("num_columns", num_columns);
  LineArgs<T> columns("band_offset", "band_row", band_offset, band_row, "band_value", band_value,
                      "grad", grad.shape(0));
  const std::size_t num_lines = band_offset.size() - 1;
  if (lines ? num_lines % lines != 0 || num_lines == 0 : num_lines != 0)
    refuse("band_offset has " + std::to_string(num_lines) +
           " lines, needs a multiple of num_columns=" + std::to_string(lines));
  columns.set_lines_per_band(lines);
  require_heads(grad.shape(1), heads);
  const Dropout dropout = require_dropout("probability", probability, seed);
  const T* data = numbers(grad);
  const std::size_t width = grad.shape(1);
  Buffer<T> out;
  {
    const KernelClock running("sparse_project_weight_grad");
    out = project_weight_gradient<T>(columns.lines(), static_cast<std::int32_t>(grad.shape(0)),
                                     data, static_cast<std::int64_t>(width), heads, dropout);
  }
  columns.require_in_range();
  return to_numpy<T>(std::move(out), {width, static_cast<std::size_t>(lines)});
}

template <class T>
nb::ndarray<nb::numpy, T> dropout(Vector<T> x, double probability, std::uint64_t seed) {
  const Dropout masks = require_dropout("probability", probability, seed);
  const std::span<const T> values = as_span(x);
  Buffer<T> out;
  {
    const KernelClock running("dropout");
    out = dense_dropout<T>(values, masks);
  }
  return to_numpy<T>(std::move(out));
}

template <class T>
nb::ndarray<nb::numpy, T> elu_dropout(Vector<T> x, std::optional<Vector<T>> gradient,
                                      double probability, std::uint64_t seed) {
  const Dropout masks = require_dropout("probability", probability, seed);
  const std::span<const T> values = as_span(x);
  if (gradient) require_size("gradient", gradient->size(), x.size());
  const std::span<const T> slopes = gradient ? as_span(*gradient) : values;
  Buffer<T> out;
  {
    const KernelClock running("elu_dropout");
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
    const KernelClock running("narrow_project");
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
    const KernelClock running("narrow_project_gradient");
    fastgat::narrow_project_gradient<T>(shape, slopes, rows, weights, x_gradient.data(),
                                        weight_gradient.data());
  }
  return nb::make_tuple(
      to_numpy<T>(std::move(x_gradient), {x.shape(0), x.shape(1)}),
      to_numpy<T>(std::move(weight_gradient), {weight.shape(0), weight.shape(1)}));
}

template <class T>
void bind_type(nb::module_& m) {
  const auto sorter = [&](auto sort) {
    m.def("sort_features", sort, nb::arg("num_rows"), nb::arg("num_columns"),
          nb::arg("offset").noconvert(), nb::arg("column").noconvert(),
          nb::arg("value").noconvert());
  };
  sorter(&sort_features<std::int32_t, T>);
  sorter(&sort_features<std::int64_t, T>);
  m.def("sparse_project", &sparse_project<T>, nb::arg("row_offset").noconvert(),
        nb::arg("column").noconvert(), nb::arg("value").noconvert(), nb::arg("weight").noconvert(),
        nb::arg("heads"), nb::arg("probability"), nb::arg("seed"));
  m.def("sparse_project_weight_grad", &sparse_project_weight_grad<T>,
        nb::arg("band_offset").noconvert(), nb::arg("band_row").noconvert(),
        nb::arg("band_value").noconvert(), nb::arg("num_columns"), nb::arg("grad").noconvert(),
        nb::arg("heads"), nb::arg("probability"), nb::arg("seed"));
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
  bind_type<float>(m);
  bind_type<double>(m);
  m.attr("narrow_most_rows") = kNarrowWidth;
  m.attr("narrow_step") = kNarrowStep;

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
