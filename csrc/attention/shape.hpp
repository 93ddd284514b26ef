#pragma once

#include <bit>

namespace fastgat {

// The most heads a kernel works on at once; more are done in groups.
inline constexpr int kMaxHeads = 16;

// How the values of one node are laid out. Heads are padded to a power of two, so that they repeat
// evenly along a vector, and a row to whole vectors; what is added is zero.
struct Shape {
  int heads = 1;        // as the user counts them, in this group
  int channels = 1;     // per head
  int head_offset = 0;  // heads in the groups before
  bool allows_half = true;  // rows of one head and up to eight numbers are done with half vectors

  int padded_heads() const { return static_cast<int>(std::bit_ceil(static_cast<unsigned>(heads))); }
  int row_size() const {
    const int used = padded_heads() * channels;
    return allows_half && heads == 1 && used <= 8 ? 8 : (used + 15) / 16 * 16;
  }
};

// Calls body.template operator()<H, NV>() with the padded heads and the vectors of a row, sixteen lanes
// each (0: known at run time only). The paper's shapes have their sums in registers, where that
// `helps`: 8 heads of 8 channels, and 1 head of up to 16.
template <class Body>
void dispatch_full_shape(const Shape& shape, bool helps, Body&& body) {
  const int heads = shape.padded_heads(), row = shape.row_size();
  if (helps && heads == 8 && row == 64) return body.template operator()<8, 4>();
  if (helps && heads == 1 && row == 16) return body.template operator()<1, 1>();
  if (heads == 1) return body.template operator()<1, 0>();
  if (heads == 2) return body.template operator()<2, 0>();
  if (heads == 4) return body.template operator()<4, 0>();
  if (heads == 8) return body.template operator()<8, 0>();
  return body.template operator()<16, 0>();
}

// Calls body.template operator()<W, H, NV>(): half vectors are allowed.
template <class Body>
void dispatch_shape(const Shape& shape, Body&& body) {
  if (shape.row_size() == 8) return body.template operator()<8, 1, 1>();
  dispatch_full_shape(shape, true, [&]<int H, int NV>() { body.template operator()<16, H, NV>(); });
}

}  // namespace fastgat
