// nacre::lax: types, creation, shapes.
#include "frontend/core/emit.h"
#include "frontend/core/weak.h"
#include "nacre/lax.h"

using namespace mlir;

namespace nacre::lax {

using detail::blame;
using detail::checked;
using detail::emit_op;
using detail::inferred;
using detail::run_op1;
using detail::statics;
using Values = SmallVector<Value>;

namespace {

DenseI64ArrayAttr attr(ir::Builder& b, const std::vector<int64_t>& values) {
  return b.ops.getDenseI64ArrayAttr(values);
}

RankedTensorType tensor(const Shape& shape, DType dtype) {
  return RankedTensorType::get(shape, detail::element_type(dtype));
}

void check_shape(const Shape& shape) {
  int64_t elements = 1;
  for (int64_t d : shape) {
    if (d < 0) throw ShapeError(blame() + "a dimension of the wanted shape is negative: " + std::to_string(d));
    if (__builtin_mul_overflow(elements, d, &elements) || elements > (int64_t{1} << 48))
      throw ShapeError(blame() + "the wanted shape has more than 2^48 elements, more than any machine holds");
  }
}

// Emits `emit(builder, value)` on x after weak numbers have their dtype.
template <class F>
Array on(const char* name, const Operand& x, const std::string& key, F emit) {
  return run_op1(name, x.at, key, {x.array}, [&](std::span<const Array> in) {
    Array a = detail::settled(in[0]);
    return emit_op(name, x.at, key, {&a, 1}, [&](ir::Builder& b, ArrayRef<Value> v) { return emit(b, v[0]); })[0];
  });
}

}  // namespace

Array convert_element_type(const Operand& x, DType dtype) {
  return run_op1("lax.convert_element_type", x.at, statics(dtype), {x.array},
                 [&](std::span<const Array> in) { return detail::with_dtype(in[0], dtype); });
}

Array bitcast_convert_type(const Operand& x, DType dtype) {
  return on("lax.bitcast_convert_type", x, statics(dtype), [&](ir::Builder& b, Value v) {
    Shape shape = ir::shapeOf(v).vec();
    const auto from = static_cast<int64_t>(size_of(detail::dtype_of_element(ir::elementOf(v))));
    const auto to = static_cast<int64_t>(size_of(dtype));
    if (from > to) shape.push_back(from / to);
    if (from < to) {
      if (shape.empty() || shape.back() != to / from)
        throw ShapeError(blame() + "to " + std::string(name_of(dtype)) + " needs a last dimension of " +
                         std::to_string(to / from));
      shape.pop_back();
    }
    return Values{checked(ir::BitcastConvertOp::create(b.ops, b.loc, tensor(shape, dtype), v))};
  });
}

Array full(const Shape& shape, const Operand& scalar, DType dtype) {
  return run_op1("lax.full", scalar.at, statics(shape, dtype), {scalar.array}, [&](std::span<const Array> in) {
    check_shape(shape);
    if (in[0].ndim() != 0) throw ShapeError(blame() + "the value must be a scalar, not " + describe(in[0]));
    return broadcast_in_dim(detail::with_dtype(in[0], dtype), shape, {});
  });
}

Array iota(DType dtype, int64_t size, std::source_location at) { return broadcasted_iota(dtype, {size}, 0, at); }

Array broadcasted_iota(DType dtype, const Shape& shape, int64_t axis, std::source_location at) {
  return detail::run_op("lax.iota", at, statics(dtype, shape, axis), {}, [&](std::span<const Array>) {
    check_shape(shape);
    return emit_op("lax.iota", at, "", {}, [&](ir::Builder& b, ArrayRef<Value>) {
      if (dtype == DType::pred) throw DTypeError(blame() + "counts in numbers, not bool");
      return Values{checked(ir::IotaOp::create(b.ops, b.loc, tensor(shape, dtype), axis))};
    });
  })[0];
}

Array broadcast_in_dim(const Operand& x, const Shape& shape, const Axes& dims) {
  return on("lax.broadcast_in_dim", x, statics(shape, dims), [&](ir::Builder& b, Value v) {
    check_shape(shape);
    RankedTensorType type = RankedTensorType::get(shape, ir::elementOf(v));
    return Values{checked(ir::BroadcastInDimOp::create(b.ops, b.loc, type, v, dims))};
  });
}

Array reshape(const Operand& x, const Shape& shape) {
  return on("lax.reshape", x, statics(shape), [&](ir::Builder& b, Value v) {
    check_shape(shape);
    RankedTensorType type = RankedTensorType::get(shape, ir::elementOf(v));
    return Values{checked(ir::ReshapeOp::create(b.ops, b.loc, type, v))};
  });
}

Array transpose(const Operand& x, const Axes& permutation) {
  return on("lax.transpose", x, statics(permutation), [&](ir::Builder& b, Value v) {
    return inferred<ir::TransposeOp>(b, v, [&](auto& p) { p.permutation = attr(b, permutation); });
  });
}

Array rev(const Operand& x, const Axes& axes) {
  return on("lax.rev", x, statics(axes), [&](ir::Builder& b, Value v) {
    return inferred<ir::ReverseOp>(b, v, [&](auto& p) { p.dimensions = attr(b, axes); });
  });
}

Array slice(const Operand& x, const Shape& start, const Shape& limit, const Shape& strides) {
  return on("lax.slice", x, statics(start, limit, strides), [&](ir::Builder& b, Value v) {
    return inferred<ir::SliceOp>(b, v, [&](auto& p) {
      p.start_indices = attr(b, start);
      p.limit_indices = attr(b, limit);
      p.strides = attr(b, strides.empty() ? Shape(start.size(), 1) : strides);
    });
  });
}

Array pad(const Operand& x, const Operand& value, const std::vector<Padding>& padding) {
  Shape low, high, interior;
  for (const Padding& p : padding) {
    low.push_back(p.low);
    high.push_back(p.high);
    interior.push_back(p.interior);
  }
  return run_op1("lax.pad", x.at, statics(low, high, interior), {x.array, value.array}, [&](std::span<const Array> in) {
    Array a = detail::settled(in[0]);
    Array inputs[] = {a, in[1].is_weak() ? detail::with_dtype(in[1], a.dtype()) : in[1]};
    return emit_op("lax.pad", x.at, "", inputs, [&](ir::Builder& b, ArrayRef<Value> v) {
      return inferred<ir::PadOp>(b, v, [&](auto& p) {
        p.edge_padding_low = attr(b, low);
        p.edge_padding_high = attr(b, high);
        p.interior_padding = attr(b, interior);
      });
    })[0];
  });
}

Array concatenate(const std::vector<Array>& arrays, int64_t axis, std::source_location at) {
  return detail::run_op("lax.concatenate", at, statics(axis), arrays, [&](std::span<const Array> in) {
    return emit_op("lax.concatenate", at, "", in, [&](ir::Builder& b, ArrayRef<Value> v) {
      return inferred<ir::ConcatenateOp>(b, v, [&](auto& p) { p.dimension = b.ops.getI64IntegerAttr(axis); });
    });
  })[0];
}

std::vector<Array> optimization_barrier(const std::vector<Array>& arrays, std::source_location at) {
  return detail::run_op("lax.optimization_barrier", at, "", arrays, [&](std::span<const Array> in) {
    return emit_op("lax.optimization_barrier", at, "", in, [](ir::Builder& b, ArrayRef<Value> v) {
      auto op = ir::OptimizationBarrierOp::create(b.ops, b.loc, ValueRange(v).getTypes(), ValueRange(v));
      return Values(op->result_begin(), op->result_end());
    });
  });
}

}  // namespace nacre::lax
