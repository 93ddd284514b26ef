#include <nanobind/nanobind.h>

#include "bindings/kernel_clock.hpp"
#include "memory/pool.hpp"
#include "parallel/chunks.hpp"

namespace nb = nanobind;

namespace fastgat {

void bind_additive(nb::module_& m);
void bind_arcs(nb::module_& m);
void bind_graph(nb::module_& m);
void bind_linear(nb::module_& m);
void bind_pairwise(nb::module_& m);
void bind_sampling(nb::module_& m);
void bind_spectral(nb::module_& m);

void bind_all(nb::module_& m) {
  m.def("num_threads", &max_threads);
  m.def("set_num_threads", [](int threads) {
    if (threads < 1 || threads > 4096)
      throw nb::value_error("threads must lie in [1, 4096]");
#if defined(_OPENMP)
    omp_set_num_threads(threads);
#endif
  }, nb::arg("threads"));
  m.def("release_memory", &release_memory);
  bind_kernel_clock(m);
  bind_graph(m);
  bind_spectral(m);
  bind_sampling(m);
  bind_linear(m);
  bind_arcs(m);
  bind_additive(m);
  bind_pairwise(m);
}

}  // namespace fastgat
