// nacre::lax: indexing by data, reductions, products.
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

Array settled_index(const Array& a) {
  Array index = detail::settled(a);
  if (!is_integer(index.dtype())) throw DTypeError(blame() + "indices must be integers, not " + describe(index));
  return index;
}

std::vector<Array> settled_indices(std::span<const Array> indices) {
  std::vector<Array> out;
  for (const Array& a : indices) {
    if (a.ndim() != 0) throw ShapeError(blame() + "start indices must be integer scalars, not " + describe(a));
    out.push_back(settled_index(a));
  }
  return out;
}

Array reduce(const char* name, ir::CombineKind kind, const Operand& x, const Axes& axes, bool logical) {
  return run_op1(name, x.at, statics(axes), {x.array}, [&](std::span<const Array> in) {
    Array a = detail::settled(in[0]);
    if (logical && is_floating(a.dtype()))
      throw DTypeError(blame() + "takes bool or integer arrays, not " + describe(a) + "; compare with 0 first");
    return emit_op(name, x.at, "", {&a, 1}, [&](ir::Builder& b, ArrayRef<Value> v) {
      return inferred<ir::ReduceOp>(b, v, [&](auto& p) {
        p.kind = ir::CombineKindAttr::get(b.loc.getContext(), kind);
        p.dimensions = attr(b, axes);
      });
    })[0];
  });
}

Array arg_reduce(const char* name, ir::CombineKind kind, const Operand& x, int64_t axis, DType index_dtype) {
  return run_op1(name, x.at, statics(axis, index_dtype), {x.array}, [&](std::span<const Array> in) {
    Array a = detail::settled(in[0]);
    if (axis < 0 || axis >= a.ndim())
      throw ShapeError(blame() + "axis " + std::to_string(axis) + " of a " + describe(a) + " array is out of range");
    if (a.shape()[static_cast<size_t>(axis)] == 0)
      throw ShapeError(blame() + "axis " + std::to_string(axis) + " of a " + describe(a) + " array is empty");
    return emit_op(name, x.at, "", {&a, 1}, [&](ir::Builder& b, ArrayRef<Value> v) {
      Shape shape = ir::shapeOf(v[0]).vec();
      shape.erase(shape.begin() + axis);
      auto type = RankedTensorType::get(shape, detail::element_type(index_dtype));
      return Values{checked(ir::ArgReduceOp::create(b.ops, b.loc, type, kind, v[0], axis))};
    })[0];
  });
}

Array scatter_op(const char* name, ir::CombineKind kind, const Operand& x, const Operand& indices,
                 const Operand& updates, const ScatterDimensionNumbers& d, bool sorted, bool unique) {
  std::string key =
      statics(d.update_window_dims, d.inserted_window_dims, d.input_batching_dims, d.scatter_indices_batching_dims,
              d.scatter_dims_to_operand_dims, d.index_vector_dim, sorted, unique);
  return run_op1(name, x.at, key, {x.array, indices.array, updates.array}, [&](std::span<const Array> in) {
    Array a = detail::settled(in[0]);
    Array inputs[] = {a, settled_index(in[1]), in[2].is_weak() ? detail::with_dtype(in[2], a.dtype()) : in[2]};
    return emit_op(name, x.at, "", inputs, [&](ir::Builder& b, ArrayRef<Value> v) {
      return inferred<ir::ScatterOp>(b, v, [&](auto& p) {
        p.kind = ir::CombineKindAttr::get(b.loc.getContext(), kind);
        p.update_window_dims = attr(b, d.update_window_dims);
        p.inserted_window_dims = attr(b, d.inserted_window_dims);
        p.input_batching_dims = attr(b, d.input_batching_dims);
        p.scatter_indices_batching_dims = attr(b, d.scatter_indices_batching_dims);
        p.scatter_dims_to_operand_dims = attr(b, d.scatter_dims_to_operand_dims);
        p.index_vector_dim = b.ops.getI64IntegerAttr(d.index_vector_dim);
        p.indices_are_sorted = b.ops.getBoolAttr(sorted);
        p.unique_indices = b.ops.getBoolAttr(unique);
      });
    })[0];
  });
}

}  // namespace

Array dynamic_slice(const Operand& x, const std::vector<Array>& start, const Shape& sizes) {
  std::vector<Array> inputs{x.array};
  inputs.insert(inputs.end(), start.begin(), start.end());
  return detail::run_op("lax.dynamic_slice", x.at, statics(sizes), inputs, [&](std::span<const Array> in) {
    std::vector<Array> a = settled_indices(in.subspan(1));
    a.insert(a.begin(), detail::settled(in[0]));
    return emit_op("lax.dynamic_slice", x.at, "", a, [&](ir::Builder& b, ArrayRef<Value> v) {
      return inferred<ir::DynamicSliceOp>(b, v, [&](auto& p) { p.slice_sizes = attr(b, sizes); });
    });
  })[0];
}

Array dynamic_update_slice(const Operand& x, const Operand& update, const std::vector<Array>& start) {
  std::vector<Array> inputs{x.array, update.array};
  inputs.insert(inputs.end(), start.begin(), start.end());
  return detail::run_op("lax.dynamic_update_slice", x.at, "", inputs, [&](std::span<const Array> in) {
    Array operand = detail::settled(in[0]);
    std::vector<Array> a = settled_indices(in.subspan(2));
    a.insert(a.begin(), {operand, in[1].is_weak() ? detail::with_dtype(in[1], operand.dtype()) : in[1]});
    return emit_op("lax.dynamic_update_slice", x.at, "", a, [&](ir::Builder& b, ArrayRef<Value> v) {
      return inferred<ir::DynamicUpdateSliceOp>(b, v, [](auto&) {});
    });
  })[0];
}

Array gather(const Operand& x, const Operand& start_indices, const GatherDimensionNumbers& d, const Shape& slice_sizes,
             bool indices_are_sorted) {
  std::string key =
      statics(d.offset_dims, d.collapsed_slice_dims, d.operand_batching_dims, d.start_indices_batching_dims,
              d.start_index_map, d.index_vector_dim, slice_sizes, indices_are_sorted);
  return run_op1("lax.gather", x.at, key, {x.array, start_indices.array}, [&](std::span<const Array> in) {
    Array inputs[] = {detail::settled(in[0]), settled_index(in[1])};
    return emit_op("lax.gather", x.at, "", inputs, [&](ir::Builder& b, ArrayRef<Value> v) {
      return inferred<ir::GatherOp>(b, v, [&](auto& p) {
        p.offset_dims = attr(b, d.offset_dims);
        p.collapsed_slice_dims = attr(b, d.collapsed_slice_dims);
        p.operand_batching_dims = attr(b, d.operand_batching_dims);
        p.start_indices_batching_dims = attr(b, d.start_indices_batching_dims);
        p.start_index_map = attr(b, d.start_index_map);
        p.index_vector_dim = b.ops.getI64IntegerAttr(d.index_vector_dim);
        p.slice_sizes = attr(b, slice_sizes);
        p.indices_are_sorted = b.ops.getBoolAttr(indices_are_sorted);
      });
    })[0];
  });
}

Array scatter(const Operand& x, const Operand& indices, const Operand& updates, const ScatterDimensionNumbers& dims,
              bool indices_are_sorted, bool unique_indices) {
  return scatter_op("lax.scatter", ir::CombineKind::Set, x, indices, updates, dims, indices_are_sorted, unique_indices);
}

Array scatter_add(const Operand& x, const Operand& indices, const Operand& updates, const ScatterDimensionNumbers& dims,
                  bool indices_are_sorted, bool unique_indices) {
  return scatter_op("lax.scatter_add", ir::CombineKind::Add, x, indices, updates, dims, indices_are_sorted,
                    unique_indices);
}

Array reduce_sum(const Operand& x, const Axes& axes) {
  return reduce("lax.reduce_sum", ir::CombineKind::Add, x, axes, false);
}
Array reduce_prod(const Operand& x, const Axes& axes) {
  return reduce("lax.reduce_prod", ir::CombineKind::Mul, x, axes, false);
}
Array reduce_max(const Operand& x, const Axes& axes) {
  return reduce("lax.reduce_max", ir::CombineKind::Max, x, axes, false);
}
Array reduce_min(const Operand& x, const Axes& axes) {
  return reduce("lax.reduce_min", ir::CombineKind::Min, x, axes, false);
}
Array reduce_and(const Operand& x, const Axes& axes) {
  return reduce("lax.reduce_and", ir::CombineKind::And, x, axes, true);
}
Array reduce_or(const Operand& x, const Axes& axes) {
  return reduce("lax.reduce_or", ir::CombineKind::Or, x, axes, true);
}
Array argmax(const Operand& x, int64_t axis, DType index_dtype) {
  return arg_reduce("lax.argmax", ir::CombineKind::Max, x, axis, index_dtype);
}
Array argmin(const Operand& x, int64_t axis, DType index_dtype) {
  return arg_reduce("lax.argmin", ir::CombineKind::Min, x, axis, index_dtype);
}

Array dot_general(const Operand& lhs, const Operand& rhs, const DotDimensionNumbers& d,
                  std::optional<DType> preferred) {
  std::string key = statics(d.lhs_contracting, d.rhs_contracting, d.lhs_batch, d.rhs_batch, preferred);
  return run_op1("lax.dot_general", lhs.at, key, {lhs.array, rhs.array}, [&](std::span<const Array> in) {
    Array inputs[] = {detail::settled(in[0]), detail::settled(in[1])};
    return emit_op("lax.dot_general", lhs.at, "", inputs, [&](ir::Builder& b, ArrayRef<Value> v) {
      return inferred<ir::DotGeneralOp>(b, v, [&](auto& p) {
        p.lhs_batching_dimensions = attr(b, d.lhs_batch);
        p.rhs_batching_dimensions = attr(b, d.rhs_batch);
        p.lhs_contracting_dimensions = attr(b, d.lhs_contracting);
        p.rhs_contracting_dimensions = attr(b, d.rhs_contracting);
        if (preferred) p.preferred_element_type = TypeAttr::get(detail::element_type(*preferred));
      });
    })[0];
  });
}

}  // namespace nacre::lax
