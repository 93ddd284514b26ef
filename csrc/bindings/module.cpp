#include <nanobind/nanobind.h>

#include <cstdlib>
#include <stdexcept>
#include <string>

namespace nb = nanobind;

// The whole core is there once per width of vectors, in bytes, or only for what every processor has:
// CMake gives each a namespace.
#if defined(FASTGAT_BY_PROCESSOR)
namespace fastgat_64 {
void bind_all(nb::module_& m);
}
namespace fastgat_32 {
void bind_all(nb::module_& m);
}

namespace {

bool wants_wide_vectors(bool has_them) {
  const char* asked = std::getenv("FASTGAT_VECTOR_BYTES");
  if (!asked || !*asked) return has_them;
  const std::string value = asked;
  if (value == "32" || (value == "64" && has_them)) return value == "64";
  throw std::runtime_error("FASTGAT_VECTOR_BYTES=" + value +
                           " must be 32, or 64 on a processor with AVX-512; leave it out to have "
                           "the widest vectors there are");
}

// Returns the bytes of the vectors that will be used.
int bind_core(nb::module_& m) {
  if (wants_wide_vectors(__builtin_cpu_supports("x86-64-v4"))) {
    fastgat_64::bind_all(m);
    return 64;
  }
  fastgat_32::bind_all(m);
  return __builtin_cpu_supports("x86-64-v3") ? 32 : 16;
}

}  // namespace
#else
namespace fastgat_baseline {
void bind_all(nb::module_& m);
}

namespace {
int bind_core(nb::module_& m) {
  fastgat_baseline::bind_all(m);
  return 16;
}
}  // namespace
#endif

NB_MODULE(_core, m) {
  // A graph at module level is alive when the interpreter ends: nothing a user could mend.
  nb::set_leak_warnings(false);
  m.doc() = "The compiled core of fastgat. Private: use the package's own functions.";
  m.attr("vector_bytes") = bind_core(m);
}
