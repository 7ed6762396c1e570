#include "frontend/core/weak.h"

#include "frontend/core/trace.h"
#include "nacre/detail/op.h"
#include "nacre/lax.h"

namespace nacre::detail {

Array number(DType dtype, double float_value, int64_t int_value, bool weak) {
  Array made = Access::abstract(Descriptor::get(dtype, {}, weak));
  ArrayImpl& impl = *Access::impl(made);
  impl.kind = ArrayImpl::Kind::literal;
  impl.float_value = float_value;
  impl.int_value = int_value;
  return made;
}

Array with_dtype(const Array& a, DType dtype) {
  if (Access::impl(a)->kind == ArrayImpl::Kind::literal) {
    const ArrayImpl& from = *Access::impl(a);
    return number(dtype, from.float_value, dtype == DType::pred ? from.float_value != 0 : from.int_value, false);
  }
  return convert(a, dtype, /*weak=*/false);
}

Array convert(const Array& a, DType dtype, bool weak) {
  const Descriptor* type = type_of(a);
  if (type->dtype == dtype && type->weak == weak) return a;
  Trace& trace = *Trace::current();
  mlir::Value value = trace.builder().convert(trace.lift(a), element_type(dtype));
  return trace.wrap(value, weak);
}

Array settled(const Array& a) {
  const Descriptor* type = type_of(a);
  if (!type->weak) return a;
  // Outside a trace C++ numbers travel as f64 and s64 until here.
  if (type->dtype == DType::f64) return convert(a, DType::f32, true);
  if (type->dtype == DType::s64) return convert(a, DType::s32, true);
  return a;
}

void settle_results(const char* name, std::vector<Array>& results) {
  for (size_t i = 0; i < results.size(); ++i) {
    if (results[i].is_null())
      throw ValueError(std::string(name) + ": the callable returned a default-constructed (null) Array (array " +
                       std::to_string(i) + " of its result); assign it, or make that part a std::optional");
    results[i] = settled(results[i]);
  }
}

std::vector<Array> matched(std::span<const Array> arrays, bool scalars) {
  const Descriptor* leading = nullptr;  // the type that the others take
  for (const Array& a : arrays) {
    const Descriptor* type = type_of(a);
    if (!leading || (leading->weak && !type->weak) ||
        (leading->weak == type->weak && leading->shape.empty() && !type->shape.empty()))
      leading = type;
  }
  std::vector<Array> out;
  if (leading->weak) {
    // All weak: floating point wins over integers.
    bool floating = false;
    for (const Array& a : arrays) floating |= is_floating(a.dtype());
    for (const Array& a : arrays) {
      Array converted = settled(floating && !is_floating(a.dtype()) ? convert(a, DType::f32, true) : a);
      if (converted.ndim() == 0 && !leading->shape.empty())
        converted = lax::broadcast_in_dim(converted, leading->shape, {});
      if (converted.shape() != leading->shape)
        throw ShapeError(blame() + "operands are " + to_string(*leading) + " and " + describe(a) +
                         "; give both one shape first (reshape, broadcast_to)");
      out.push_back(converted);
    }
    return out;
  }
  for (const Array& a : arrays) {
    const Descriptor* type = type_of(a);
    const bool scalar = type->shape.empty() && (type->weak || (scalars && type->dtype == leading->dtype));
    if (scalar && is_floating(type->dtype) && !is_floating(leading->dtype))
      throw DTypeError(blame() + "a floating-point number meets a " + to_string(*leading) +
                       " array; convert the array with astype first");
    if (!scalar && (type->dtype != leading->dtype || type->shape != leading->shape)) {
      std::string message = blame() + "operands are " + to_string(*leading) + " and " + to_string(*type);
      if (type->dtype != leading->dtype) throw DTypeError(message + "; convert one with astype first");
      throw ShapeError(message + "; give both one shape first (reshape, broadcast_to)");
    }
    if (!scalar) {
      out.push_back(a);
      continue;
    }
    Array converted = with_dtype(a, leading->dtype);
    out.push_back(leading->shape.empty() ? converted : lax::broadcast_in_dim(converted, leading->shape, {}));
  }
  return out;
}

}  // namespace nacre::detail
