#pragma once

#include <cstring>
#include <type_traits>

#include "simd/machine.hpp"

// W values side by side, one per column. Lanes<T, W> is one vector of the machine if that is wide
// enough, otherwise two halves: a vector type that the machine has not got would be kept in memory
// by the compiler and worked on number by number. W = 1 is a plain number.
namespace fastgat {

template <class Half>
struct Halves {
  Half low, high;

  FASTGAT_INLINE auto operator[](int lane) const {
    constexpr int size = sizeof(Half) / sizeof(low[0]);
    return lane < size ? low[lane] : high[lane - size];
  }
};

template <class T, int W, bool IsVector = sizeof(T) * W <= kVectorBytes>
struct LanesOf {
  typedef T type __attribute__((vector_size(sizeof(T) * W)));
};
template <class T, int W>
struct LanesOf<T, W, false> {
  using type = Halves<typename LanesOf<T, W / 2>::type>;
};
template <class T>
struct LanesOf<T, 1, true> {
  using type = T;
};
template <class T, int W>
using Lanes = typename LanesOf<T, W>::type;

template <class V>
inline constexpr bool kIsHalves = false;
template <class Half>
inline constexpr bool kIsHalves<Halves<Half>> = true;

// What machine vectors can do by themselves, lane by lane.
#define FASTGAT_LANEWISE(op)                                                        \
  template <class Half>                                                             \
  FASTGAT_INLINE auto operator op(Halves<Half> a, Halves<Half> b) {                 \
    return Halves<decltype(a.low op b.low)>{a.low op b.low, a.high op b.high};      \
  }                                                                                 \
  template <class Half, class Number>                                               \
    requires std::is_arithmetic_v<Number>                                           \
  FASTGAT_INLINE auto operator op(Halves<Half> a, Number number) {                  \
    const auto b = static_cast<decltype(a[0])>(number);                             \
    return Halves<decltype(a.low op b)>{a.low op b, a.high op b};                   \
  }                                                                                 \
  template <class Half, class Number>                                               \
    requires std::is_arithmetic_v<Number>                                           \
  FASTGAT_INLINE auto operator op(Number number, Halves<Half> b) {                  \
    const auto a = static_cast<decltype(b[0])>(number);                             \
    return Halves<decltype(a op b.low)>{a op b.low, a op b.high};                   \
  }
FASTGAT_LANEWISE(+)
FASTGAT_LANEWISE(-)
FASTGAT_LANEWISE(*)
FASTGAT_LANEWISE(/)
FASTGAT_LANEWISE(&)
FASTGAT_LANEWISE(|)
FASTGAT_LANEWISE(^)
FASTGAT_LANEWISE(<<)
FASTGAT_LANEWISE(>>)
#undef FASTGAT_LANEWISE

#define FASTGAT_ASSIGNING(op)                                                  \
  template <class Half, class Other>                                           \
  FASTGAT_INLINE Halves<Half>& operator op##=(Halves<Half>& a, Other b) {      \
    return a = a op b;                                                         \
  }
FASTGAT_ASSIGNING(+)
FASTGAT_ASSIGNING(*)
FASTGAT_ASSIGNING(|)
FASTGAT_ASSIGNING(^)
#undef FASTGAT_ASSIGNING

template <class Half>
FASTGAT_INLINE Halves<Half> operator-(Halves<Half> a) {
  return {-a.low, -a.high};
}

// a < b ? yes : no, lane by lane; a or b may be one number for all lanes. Comparing and choosing are
// one thing: a mask in between would be spelled out as numbers where registers for masks exist.
template <class A, class B, class V>
FASTGAT_INLINE V where_less(A a, B b, V yes, V no) {
  return a < b ? yes : no;
}
template <class A, class B, class Half>
FASTGAT_INLINE Halves<Half> where_less(A a, B b, Halves<Half> yes, Halves<Half> no) {
  const auto low = []<class V>(V lanes) __attribute__((always_inline)) {
    if constexpr (kIsHalves<V>) return lanes.low;
    else return lanes;
  };
  const auto high = []<class V>(V lanes) __attribute__((always_inline)) {
    if constexpr (kIsHalves<V>) return lanes.high;
    else return lanes;
  };
  return {where_less(low(a), low(b), yes.low, no.low),
          where_less(high(a), high(b), yes.high, no.high)};
}

template <class T, int W>
FASTGAT_INLINE Lanes<T, W> load(const T* from) {
  if constexpr (kIsHalves<Lanes<T, W>>) {
    return {load<T, W / 2>(from), load<T, W / 2>(from + W / 2)};
  } else {
    Lanes<T, W> lanes;
    std::memcpy(&lanes, from, sizeof lanes);
    return lanes;
  }
}

template <class T, int W>
FASTGAT_INLINE void store(T* to, Lanes<T, W> lanes) {
  if constexpr (kIsHalves<Lanes<T, W>>) {
    store<T, W / 2>(to, lanes.low);
    store<T, W / 2>(to + W / 2, lanes.high);
  } else {
    std::memcpy(to, &lanes, sizeof lanes);
  }
}

// The same bits as lanes of another type.
template <class To, class From>
FASTGAT_INLINE To bits_as(From from) {
  static_assert(sizeof(To) == sizeof(From));
  if constexpr (kIsHalves<To>) {
    using Half = decltype(To::low);
    return {bits_as<Half>(from.low), bits_as<Half>(from.high)};
  } else {
    To to;
    std::memcpy(&to, &from, sizeof to);
    return to;
  }
}

}  // namespace fastgat
