#include "bindings/kernel_clock.hpp"

#include <map>
#include <mutex>
#include <string_view>

namespace fastgat {
namespace {

struct Clocks {
  std::mutex lock;
  std::map<std::string_view, std::chrono::steady_clock::duration> spent;
};

// Never destroyed: threads may still be in a kernel while the interpreter ends.
Clocks& clocks() {
  static Clocks* const all = new Clocks;
  return *all;
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
    const std::lock_guard guard(clocks().lock);
    for (const auto& [name, spent] : clocks().spent)
      seconds[nanobind::str(name.data(), name.size())] =
          std::chrono::duration<double>(spent).count();
    return seconds;
  });
}

}  // namespace fastgat
