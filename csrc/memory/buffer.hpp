#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <span>
#include <type_traits>
#include <utility>

#include "memory/pool.hpp"

namespace fastgat {

// A fixed-size array that is not zeroed when made; empty when moved from.
template <class T>
class Buffer {
  static_assert(std::is_trivially_copyable_v<T>, "entries are neither made nor destroyed");

 public:
  Buffer() = default;
  explicit Buffer(std::size_t size) : size_(size) {
    if (size > SIZE_MAX / 2 / sizeof(T)) throw std::bad_alloc();
    data_.reset(static_cast<T*>(take_memory(size * sizeof(T))));
  }

  Buffer(Buffer&& other) noexcept
      : data_(std::move(other.data_)), size_(std::exchange(other.size_, 0)) {}
  Buffer& operator=(Buffer&& other) noexcept {
    data_ = std::move(other.data_);
    size_ = std::exchange(other.size_, 0);
    return *this;
  }

  T* data() { return data_.get(); }
  const T* data() const { return data_.get(); }
  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  T& operator[](std::size_t i) { return data_[i]; }
  const T& operator[](std::size_t i) const { return data_[i]; }
  T* begin() { return data(); }
  T* end() { return data() + size_; }
  const T* begin() const { return data(); }
  const T* end() const { return data() + size_; }
  operator std::span<const T>() const { return {data(), size_}; }

  // Hands the memory over to the caller, who gives it back with give_back_memory.
  T* release() {
    size_ = 0;
    return data_.release();
  }

 private:
  struct Free {
    void operator()(T* pointer) const { give_back_memory(pointer); }
  };
  std::unique_ptr<T[], Free> data_;
  std::size_t size_ = 0;
};

}  // namespace fastgat
