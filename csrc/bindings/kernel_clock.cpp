#include "bindings/kernel_clock.hpp"

#include <map>
#include <mutex>
#include <string_view>

namespace fastgat {
namespace {

using Spent = std::map<std::string_view, std::chrono::steady_clock::duration>;

struct Clocks {
  std::mutex lock;
  Spent spent;
};

// Never destroyed: threads may still be in a kernel while the interpreter ends.
Clocks& clocks() {
  static Clocks* const all = new Clocks;
  return *all;
}

// A copy: making Python's objects may run other code of Python's, kernels included, and those would
// wait for the lock for ever.
Spent copy_spent() {
  const std::lock_guard guard(clocks().lock);
  return clocks().spent;
}

}  // namespace

KernelClock::~KernelClock() {
  const auto spent = std::chrono::steady_clock::now() - start_;
  const std::lock_guard guard(clocks().lock);
  clocks().spent[name_] += spent;
}

void bind_kernel_clock(nanobind::module_& m) {
  m.def("kernel_seconds", [] {
    nanobind::dict seconds;
    for (const auto& [name, spent] : copy_spent())
      seconds[nanobind::str(name.data(), name.size())] =
          std::chrono::duration<double>(spent).count();
    return seconds;
  });
}

}  // namespace fastgat
