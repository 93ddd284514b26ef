#include <nanobind/nanobind.h>

#include <cstdlib>
#include <string_view>

namespace nb = nanobind;

// The whole core is there once per width of vectors, in bytes: CMake gives each a namespace.
#if defined(FASTGAT_HAS_64)
namespace fastgat_64 {
void bind_all(nb::module_& m);
}
namespace fastgat_32 {
void bind_all(nb::module_& m);
}

namespace {

// FASTGAT_VECTOR_BYTES=32 asks for the narrower ones on a machine that has both.
bool takes_wide_vectors() {
  const char* asked = std::getenv("FASTGAT_VECTOR_BYTES");
  return __builtin_cpu_supports("x86-64-v4") && !(asked && std::string_view(asked) == "32");
}

void bind_all(nb::module_& m) {
  if (takes_wide_vectors()) fastgat_64::bind_all(m);
  else fastgat_32::bind_all(m);
}

}  // namespace
#else
namespace fastgat_16 {
void bind_all(nb::module_& m);
}
using fastgat_16::bind_all;
#endif

NB_MODULE(_core, m) {
  // A graph at module level is alive when the interpreter ends: nothing a user could mend.
  nb::set_leak_warnings(false);
  m.doc() = "The compiled core of fastgat. Private: use the package's own functions.";
  bind_all(m);
}
