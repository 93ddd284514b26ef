#include "attention/pair_scores.hpp"
#include "attention/pairwise.hpp"

namespace fastgat {
namespace {

// <query, key>
template <class T, int H>
struct DotFormula {
  using V = Lanes<T, 16>;

  DotFormula(const DotInputs<T>&, T*, const PairGradients<T>*, T*) {}
  static std::int64_t scratch_size(const DotInputs<T>&) { return 0; }
  static std::int64_t shared_size(const DotInputs<T>&) { return 0; }

  FASTGAT_INLINE void begin_tile(const ArcTile&) const {}
  FASTGAT_INLINE V part(int, V here, V there, std::int64_t) const { return here * there; }
  FASTGAT_INLINE V derivative(int, V, V there, std::int64_t) const { return there; }
  FASTGAT_INLINE void add_shared(int, V, V, V, std::int64_t) const {}
  FASTGAT_INLINE void end_arc(const ArcTile&, int, V, const T*, const T*) const {}
};

}  // namespace

template <class T>
void pair_forward(const ArcRows& by_target, const DotInputs<T>& in,
                  const AttentionOutputs<T>& out) {
  pair_forward_with<DotFormula>(by_target, in, out);
}

template <class T>
void pair_backward(const ArcRows& by_target, const ArcRows& by_source, const DotInputs<T>& in,
                   const PairGradients<T>& out) {
  pair_backward_from<RowIs::kSource, DotFormula, T>(by_source, in, out);
  pair_backward_from<RowIs::kTarget, DotFormula, T>(by_target, in, out);
}

#define FASTGAT_INSTANTIATE(T)                                                                   \
  template void pair_forward(const ArcRows&, const DotInputs<T>&, const AttentionOutputs<T>&);   \
  template void pair_backward(const ArcRows&, const ArcRows&, const DotInputs<T>&,               \
                              const PairGradients<T>&);
FASTGAT_INSTANTIATE(float)
FASTGAT_INSTANTIATE(double)
#undef FASTGAT_INSTANTIATE

}  // namespace fastgat
