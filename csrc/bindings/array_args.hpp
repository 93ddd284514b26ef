#pragma once

// The one place where Python's arrays are checked on their way into the core. Types, layout and
// device are enforced by the ndarray types (nothing is converted or copied silently); sizes and
// index ranges by the functions below. Kernels check nothing.

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "memory/buffer.hpp"
#include "parallel/monitor.hpp"
#include "parallel/offsets.hpp"
#include "random/dropout.hpp"

namespace fastgat {

namespace nb = nanobind;

template <class T>
using Vector = nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
template <class T>
using Matrix = nb::ndarray<const T, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
template <class T>
using MutableVector = nb::ndarray<T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
template <class T>
using MutableMatrix = nb::ndarray<T, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

[[noreturn]] inline void refuse(const std::string& message) {
  throw nb::value_error(message.c_str());
}

// The way to an array's numbers; NumPy can make arrays that start anywhere in memory.
template <class Array>
auto* numbers(const Array& array) {
  auto* data = array.data();
  if (reinterpret_cast<std::uintptr_t>(data) % alignof(std::remove_pointer_t<decltype(data)>))
    refuse("an array is not aligned in memory: pass a copy of it");
  return data;
}

template <class Array>
auto as_span(const Array& array) {
  return std::span(numbers(array), array.size());
}

inline void require_size(const char* name, std::size_t size, std::size_t needed) {
  if (size != needed)
    refuse(std::string(name) + " has " + std::to_string(size) + " entries, needs " +
           std::to_string(needed));
}

inline void require_range(const char* name, double value, double low, double high) {
  if (!(value >= low && value <= high))
    refuse(std::string(name) + "=" + std::to_string(value) + " must lie in [" +
           std::to_string(low) + ", " + std::to_string(high) + "]");
}

inline Dropout require_dropout(const char* name, double probability, std::uint64_t seed) {
  require_range(name, probability, 0, 1);
  return {probability, seed};
}

inline std::int32_t require_count(const char* name, std::int64_t count) {
  if (count < 0 || count > std::numeric_limits<std::int32_t>::max())
    refuse(std::string(name) + "=" + std::to_string(count) + " must lie in [0, 2147483647]");
  return static_cast<std::int32_t>(count);
}

inline std::int32_t require_num_nodes(std::int64_t num_nodes) {
  return require_count("num_nodes", num_nodes);
}

using OptionalWeights = std::optional<Vector<double>>;

inline std::span<const double> weights_or_none(const OptionalWeights& weight) {
  return weight ? as_span(*weight) : std::span<const double>{};
}

// Positive and finite, every one of them.
inline void require_positive(const char* name, std::span<const double> values) {
  for (std::size_t i = 0; i < values.size(); ++i)
    if (!(values[i] > 0 && values[i] <= std::numeric_limits<double>::max()))
      refuse(std::string(name) + "[" + std::to_string(i) + "]=" + std::to_string(values[i]) +
             " must be positive and finite");
}

// A copy of the offsets of compressed rows, so that nobody can change what has been checked: they begin
// with 0, never fall and end within `num_entries`. It looks for the mistake only if there is one.
inline Buffer<std::int64_t> copy_offsets(const char* name, const Vector<std::int64_t>& offset,
                                         std::size_t num_entries) {
  if (offset.size() == 0) refuse(std::string(name) + " is empty, needs at least the entry 0");
  require_count("the number of rows", static_cast<std::int64_t>(offset.size()) - 1);
  Buffer<std::int64_t> copy(offset.size());
  const bool rises = copy_rising(as_span(offset), copy.data());
  const std::int64_t last = copy[copy.size() - 1];
  if (copy[0] != 0 || last < 0 || last > static_cast<std::int64_t>(num_entries))
    refuse(std::string(name) + " must begin with 0 and end within " +
           std::to_string(num_entries) + ", the number of entries");
  for (std::size_t r = 1; !rises && r < copy.size(); ++r)
    if (copy[r] < copy[r - 1])
      refuse(std::string(name) + "[" + std::to_string(r) + "] is smaller than the one before");
  return copy;
}

// Hands a buffer to NumPy without copying. `const T` makes the array read-only.
template <class T>
nb::ndarray<nb::numpy, T> to_numpy(Buffer<std::remove_const_t<T>>&& buffer,
                                   std::initializer_list<std::size_t> shape = {}) {
  const std::size_t size = buffer.size();
  auto* data = buffer.release();
  nb::capsule owner(data, [](void* pointer) noexcept { give_back_memory(pointer); });
  return shape.size() ? nb::ndarray<nb::numpy, T>(data, shape, owner)
                      : nb::ndarray<nb::numpy, T>(data, {size}, owner);
}

template <class T>
nb::ndarray<nb::numpy, T> copy_to_numpy(const std::vector<T>& values) {
  Buffer<T> buffer(values.size());
  std::copy(values.begin(), values.end(), buffer.begin());
  return to_numpy<T>(std::move(buffer));
}

// Runs without the interpreter lock; between steps Ctrl-C is noticed and `progress` is called.
inline Monitor make_monitor(nb::object progress) {
  return Monitor([progress](double fraction) {
    nb::gil_scoped_acquire lock;
    if (PyErr_CheckSignals() != 0) throw nb::python_error();
    if (!progress.is_none()) progress(fraction);
  });
}

}  // namespace fastgat
