// Makes an op's meaning out of a function of one element. Private to ir/reference/.
#pragma once
#include "ir/reference/op_table.h"

namespace nacre::ir {

// Rounds what was computed in ComputeType<T> to T.
template <class T, class C>
T roundTo(C value) {
  if constexpr (std::is_same_v<T, BFloat16>)
    return BFloat16(static_cast<float>(value));
  else
    return static_cast<T>(value);
}

// `f` takes and returns ComputeType<T>, for each T of the list.
template <class List, class F>
OpFunction unary(F f) {
  return [f](OpCall& c) {
    withElementType<List>(c.result().element(), [&]<class T>() {
      auto x = c.operand().elements<T>();
      auto y = c.result().elements<T>();
      for (size_t i = 0; i < y.size(); ++i) y[i] = roundTo<T>(f(ComputeType<T>(x[i])));
    });
    return llvm::success();
  };
}

template <class List, class F>
OpFunction binary(F f) {
  return [f](OpCall& c) {
    withElementType<List>(c.result().element(), [&]<class T>() {
      auto a = c.operand(0).elements<T>(), b = c.operand(1).elements<T>();
      auto y = c.result().elements<T>();
      for (size_t i = 0; i < y.size(); ++i) y[i] = roundTo<T>(f(ComputeType<T>(a[i]), ComputeType<T>(b[i])));
    });
    return llvm::success();
  };
}

// Larger and smaller of two: NaN if either is, +0 above -0, or and and for bool.
template <class T>
T larger(T a, T b) {
  if constexpr (isFloating<T>) {
    if (std::isnan(a) || std::isnan(b)) return std::numeric_limits<T>::quiet_NaN();
    if (a == b) return std::signbit(a) ? b : a;
  }
  return a > b ? a : b;
}
template <class T>
T smaller(T a, T b) {
  if constexpr (isFloating<T>) {
    if (std::isnan(a) || std::isnan(b)) return std::numeric_limits<T>::quiet_NaN();
    if (a == b) return std::signbit(a) ? a : b;
  }
  return a < b ? a : b;
}

}  // namespace nacre::ir
