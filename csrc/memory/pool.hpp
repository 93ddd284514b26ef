#pragma once

namespace fastgat {

// Gives what the pool keeps for reuse back to the system, and what malloc keeps with it.
void release_memory() noexcept;

}  // namespace fastgat
