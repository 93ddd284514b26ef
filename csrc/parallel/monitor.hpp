#pragma once

#include <chrono>
#include <functional>
#include <utility>

namespace fastgat {

// Called between steps of long work, never inside a parallel region: lets the caller stop the work
// (by throwing) and see how far it is. Asking is cheap; the caller is reached every 50 ms at most.
class Monitor {
 public:
  using Callback = std::function<void(double)>;

  Monitor() = default;
  explicit Monitor(Callback callback) : callback_(std::move(callback)) {}

  void tick(double progress) {
    if (!callback_) return;
    const auto now = std::chrono::steady_clock::now();
    if (now - last_ < std::chrono::milliseconds(50)) return;
    last_ = now;
    callback_(progress);
  }

 private:
  Callback callback_;
  std::chrono::steady_clock::time_point last_ = std::chrono::steady_clock::now();
};

}  // namespace fastgat
