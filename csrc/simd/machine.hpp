#pragma once

// The vectors that this build of the core is for. CMake compiles the core once per width, in a
// namespace of its own; the module takes the widest that the processor has (see module.cpp).
//
// Only kernels are compiled for more than the baseline, so that nothing they share with the rest,
// such as the standard library's templates, can end on a processor that does not know it. A kernel is
// defined where it is first declared, and belongs to one source file: a declaration without the
// attribute would silently take it away, and versions for several processors cannot be merged by the
// linker. What they call with vectors is FASTGAT_INLINE, or a lambda that is always inlined.
#if defined(FASTGAT_BASELINE)
#define FASTGAT_KERNEL
#elif FASTGAT_VECTOR_BYTES == 64
#define FASTGAT_AVX512
#define FASTGAT_KERNEL __attribute__((target("arch=x86-64-v4")))
#elif FASTGAT_VECTOR_BYTES == 32
#define FASTGAT_KERNEL __attribute__((target_clones("arch=x86-64-v3", "default")))
#endif

#define FASTGAT_INLINE inline __attribute__((always_inline))

namespace fastgat {
inline constexpr int kVectorBytes = FASTGAT_VECTOR_BYTES;
}
