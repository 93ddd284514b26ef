#pragma once

#include <nanobind/nanobind.h>

#include <chrono>

namespace fastgat {

// Runs what follows without the interpreter lock, and adds the seconds it takes to the clock of the
// binding of this name: kernel_seconds().
class KernelClock {
 public:
  explicit KernelClock(const char* name) : name_(name) {}
  ~KernelClock();
  KernelClock(const KernelClock&) = delete;
  KernelClock& operator=(const KernelClock&) = delete;

 private:
  nanobind::gil_scoped_release unlocked_;
  const char* name_;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

void bind_kernel_clock(nanobind::module_& m);

}  // namespace fastgat
