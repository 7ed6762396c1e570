// Weakly typed scalars (C++ numbers) and how they take the type of what they meet. All of it runs inside a trace.
#pragma once
#include <span>
#include <vector>

#include "frontend/core/array_impl.h"

namespace nacre::detail {

// A C++ number of a dtype.
Array number(DType dtype, double float_value, int64_t int_value, bool weak);

// `a` with `dtype`, not weak; C++ numbers are converted exactly once, from the number itself.
Array with_dtype(const Array& a, DType dtype);

// The nacre.convert op, or nothing where type and weakness are right already.
Array convert(const Array& a, DType dtype, bool weak);

// A weak value that meets no other takes its default dtype: float32, int32. Others are returned as they are.
Array settled(const Array& a);

// Weak numbers leave a traced function as arrays of their default type. Throws ValueError for null results; `name` is
// the transform.
void settle_results(const char* name, std::vector<Array>& results);

// Operands of an elementwise op of lax: equal types, except that weak scalars (with `scalars`: all scalars of the same
// dtype) become arrays of the others' type. Throws ShapeError or DTypeError that name both.
std::vector<Array> matched(std::span<const Array> arrays, bool scalars = false);

}  // namespace nacre::detail
