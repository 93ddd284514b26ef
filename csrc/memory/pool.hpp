#pragma once

#include <cstddef>

namespace fastgat {

// Memory for buffers, aligned to 64 bytes. Large pieces that are given back are kept for the next
// request of the same size: a training step asks for the same sizes again and again, and fresh pages
// cost more than the work on them. From kLarge bytes on, memory comes in huge pages.
inline constexpr std::size_t kLarge = std::size_t{1} << 24;
void* take_memory(std::size_t bytes);
void give_back_memory(void* pointer) noexcept;

// Gives what the pool keeps for reuse back to the system, and what malloc keeps with it.
void release_memory() noexcept;

}  // namespace fastgat
