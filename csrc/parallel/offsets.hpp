#pragma once

#include <cstdint>
#include <span>

namespace fastgat {

// Copies the offsets of compressed rows; returns whether none is smaller than the one before.
bool copy_rising(std::span<const std::int64_t> offset, std::int64_t* copy);

}  // namespace fastgat
