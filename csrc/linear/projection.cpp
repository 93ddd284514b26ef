#include "linear/projection.hpp"

#include "linear/line_sums.hpp"
#include "linear/table.hpp"

namespace fastgat {

template <class T>
Buffer<T> project(const FeatureMatrix<T>& features, const T* weight, std::int64_t width,
                  std::int64_t heads, const Dropout& dropout) {
  const Buffer<T> table = weight_to_table(weight, features.num_columns(), width, heads);
  Buffer<T> out(features.num_rows() * width);
  line_sums(features.rows, true, dropout, table.data(), width, out.data());
  return out;
}

template <class T>
Buffer<T> project_weight_gradient(const FeatureMatrix<T>& features, const T* gradient,
                                  std::int64_t width, std::int64_t heads, const Dropout& dropout) {
  const std::int64_t padded = padded_width(width);
  Buffer<T> copy;
  if (padded != width) {
    copy = pad_rows(gradient, features.num_rows(), width);
    gradient = copy.data();
  }
  Buffer<T> table(features.num_columns() * padded);
  line_sums(features.columns, false, dropout, gradient, padded, table.data());
  return table_to_weight(table.data(), features.num_columns(), width, heads);
}

#define FASTGAT_INSTANTIATE(T)                                                                   \
  template Buffer<T> project(const FeatureMatrix<T>&, const T*, std::int64_t, std::int64_t,      \
                             const Dropout&);                                                    \
  template Buffer<T> project_weight_gradient(const FeatureMatrix<T>&, const T*, std::int64_t,    \
                                             std::int64_t, const Dropout&);
FASTGAT_INSTANTIATE(float)
FASTGAT_INSTANTIATE(double)
#undef FASTGAT_INSTANTIATE

}  // namespace fastgat
