#include <nanobind/nanobind.h>

#include "memory_pool.hpp"
#include "parallel.hpp"

namespace nb = nanobind;

namespace fastgat {
void bind_additive(nb::module_& m);
void bind_arcs(nb::module_& m);
void bind_graph(nb::module_& m);
void bind_linear(nb::module_& m);
void bind_pairwise(nb::module_& m);
void bind_sampling(nb::module_& m);
void bind_spectral(nb::module_& m);
}  // namespace fastgat

NB_MODULE(_core, m) {
  // A graph at module level is alive when the interpreter ends: nothing a user could mend.
  nb::set_leak_warnings(false);
  m.doc() = "The compiled core of fastgat. Private: use the package's own functions.";
#if defined(_OPENMP)
  m.attr("has_openmp") = true;
#else
  m.attr("has_openmp") = false;
#endif
  m.def("num_threads", &fastgat::max_threads);
  m.def("set_num_threads", [](int threads) {
    if (threads < 1 || threads > 4096)
      throw nb::value_error("threads must lie in [1, 4096]");
#if defined(_OPENMP)
    omp_set_num_threads(threads);
#endif
  }, nb::arg("threads"));
  m.def("release_memory", &fastgat::release_memory);
  fastgat::bind_graph(m);
  fastgat::bind_spectral(m);
  fastgat::bind_sampling(m);
  fastgat::bind_linear(m);
  fastgat::bind_arcs(m);
  fastgat::bind_additive(m);
  fastgat::bind_pairwise(m);
}
