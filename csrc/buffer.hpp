#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <new>
#include <span>
#include <utility>

#if defined(__linux__)
#include <sys/mman.h>
#endif

namespace fastgat {

// A fixed-size array that is not zeroed when made. Very large ones ask for huge pages: random access
// over hundreds of megabytes spends its time in address translation. Below that they do not pay: the
// system may take a millisecond to find and clear each of them.
template <class T>
class Buffer {
 public:
  Buffer() = default;
  explicit Buffer(std::size_t size) : size_(size) {
    constexpr std::size_t huge_page = std::size_t{1} << 21;
    const std::size_t bytes = size * sizeof(T);
    const std::size_t alignment = bytes >= 32 * huge_page ? huge_page : 64;
    if (size > (SIZE_MAX - alignment) / sizeof(T)) throw std::bad_alloc();
    const std::size_t rounded = (bytes + alignment - 1) / alignment * alignment;
    data_.reset(static_cast<T*>(std::aligned_alloc(alignment, rounded ? rounded : alignment)));
    if (!data_) throw std::bad_alloc();
#if defined(__linux__) && defined(MADV_HUGEPAGE)
    if (alignment == huge_page) madvise(data_.get(), rounded, MADV_HUGEPAGE);
#endif
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

  // Hands the memory over to the caller, who frees it with std::free.
  T* release() {
    size_ = 0;
    return data_.release();
  }

 private:
  struct Free {
    void operator()(T* pointer) const { std::free(pointer); }
  };
  std::unique_ptr<T[], Free> data_;
  std::size_t size_ = 0;
};

}  // namespace fastgat
