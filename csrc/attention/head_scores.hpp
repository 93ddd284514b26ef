#pragma once

#include <cstdint>

#include "attention/shape.hpp"

namespace fastgat {

// score[i][h] = sum over channels of value[i][c][h] att[c][h], for packed rows.
template <class T>
void head_scores(std::int32_t num_rows, const Shape& shape, const T* value, const T* att, T* score);

}  // namespace fastgat
