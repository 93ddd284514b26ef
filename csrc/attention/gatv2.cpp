#include "attention/pair_scores.hpp"
#include "attention/pairwise.hpp"

namespace fastgat {
namespace {

// <att, leaky(inside)>, inside = query + key + projection attr
template <class T, int H>
class GATv2Formula {
 public:
  using V = Lanes<T, 16>;

  GATv2Formula(const GATv2Inputs<T>& in, T* scratch, const GATv2Gradients<T>* out, T* shared)
      : in_(in),
        out_(out),
        size_(in.score_shape.row_size()),
        edge_rows_(in.attr ? scratch : nullptr),
        shared_(shared) {}

  static std::int64_t scratch_size(const GATv2Inputs<T>& in) {
    return in.attr ? kTileArcs * in.score_shape.row_size() : 0;
  }
  // The gradients of att and of projection.
  static std::int64_t shared_size(const GATv2Inputs<T>& in) {
    return (1 + in.attr_size) * in.score_shape.row_size();
  }

  // projection attr, for every arc of the tile
  FASTGAT_INLINE void begin_tile(const ArcTile& tile) const {
    if (!edge_rows_) return;
    for (int k = 0; k < tile.count; ++k) {
      const T* attr = in_.attr + tile.id[k] * in_.attr_size;
      for (std::int64_t at = 0; at < size_; at += 16) {
        V sum{};
        for (std::int64_t d = 0; d < in_.attr_size; ++d)
          sum += attr[d] * load<T, 16>(in_.projection + d * size_ + at);
        store<T, 16>(edge_rows_ + k * size_ + at, sum);
      }
    }
  }

  FASTGAT_INLINE V part(int k, V here, V there, std::int64_t at) const {
    return load<T, 16>(in_.att + at) * leaky<T, 16>(inside(k, here, there, at), in_.slope);
  }

  FASTGAT_INLINE V derivative(int k, V here, V there, std::int64_t at) const {
    const V att = load<T, 16>(in_.att + at);
    return where_less(T{0}, inside(k, here, there, at), att, att * in_.slope);
  }

  FASTGAT_INLINE void add_shared(int k, V d, V here, V there, std::int64_t at) const {
    T* att = shared_ + at;
    store<T, 16>(att, load<T, 16>(att) + d * leaky<T, 16>(inside(k, here, there, at), in_.slope));
  }

  FASTGAT_INLINE void end_arc(const ArcTile& tile, int k, V d, const T* own, const T* far) const {
    if (!edge_rows_) return;
    const T* attr = in_.attr + tile.id[k] * in_.attr_size;
    T* attr_gradient = out_->attr + tile.id[k] * in_.attr_size;
    for (std::int64_t e = 0; e < in_.attr_size; ++e) {
      V sum{};
      for (std::int64_t at = 0; at < size_; at += 16) {
        const V of_inside = d * derivative(k, load<T, 16>(own + at), load<T, 16>(far + at), at);
        T* projection = shared_ + (e + 1) * size_ + at;
        store<T, 16>(projection, load<T, 16>(projection) + attr[e] * of_inside);
        sum += of_inside * load<T, 16>(in_.projection + e * size_ + at);
      }
      attr_gradient[e] += sum_lanes<T, 16>(sum);
    }
  }

 private:
  FASTGAT_INLINE V inside(int k, V here, V there, std::int64_t at) const {
    V sum = here + there;
    if (edge_rows_) sum += load<T, 16>(edge_rows_ + k * size_ + at);
    return sum;
  }

  const GATv2Inputs<T>& in_;
  const GATv2Gradients<T>* out_;
  std::int64_t size_;
  T* edge_rows_;  // projected attributes of the tile's arcs; null: none
  T* shared_;     // what this piece of rows adds to the gradients of att and of projection
};

}  // namespace

template <class T>
void pair_forward(const ArcRows& by_target, const GATv2Inputs<T>& in,
                  const AttentionOutputs<T>& out) {
  pair_forward_with<GATv2Formula>(by_target, in, out);
}

template <class T>
void pair_backward(const ArcRows& by_target, const ArcRows& by_source, const GATv2Inputs<T>& in,
                   const GATv2Gradients<T>& out) {
  pair_backward_from<RowIs::kSource, GATv2Formula, T>(by_source, in, out);
  const auto shared = pair_backward_from<RowIs::kTarget, GATv2Formula, T>(by_target, in, out);
  const std::int64_t size = in.score_shape.row_size();
  shared.add_up(out.att, 0, size);
  if (in.attr) shared.add_up(out.projection, size, in.attr_size * size);
}

#define FASTGAT_INSTANTIATE(T)                                                                   \
  template void pair_forward(const ArcRows&, const GATv2Inputs<T>&, const AttentionOutputs<T>&); \
  template void pair_backward(const ArcRows&, const ArcRows&, const GATv2Inputs<T>&,             \
                              const GATv2Gradients<T>&);
FASTGAT_INSTANTIATE(float)
FASTGAT_INSTANTIATE(double)
#undef FASTGAT_INSTANTIATE

}  // namespace fastgat
