// Short ways to emit nacre ops. Rules, transforms and the tracer all build IR through this class.
#pragma once
#include <optional>

#include "ir/nacre.h"

namespace nacre::ir {

using mlir::Location;
using mlir::RankedTensorType;
using mlir::Type;
using mlir::Value;
using Dims = llvm::ArrayRef<int64_t>;

inline RankedTensorType typeOf(Value v) { return llvm::cast<RankedTensorType>(v.getType()); }
inline Dims shapeOf(Value v) { return typeOf(v).getShape(); }
inline int64_t rankOf(Value v) { return typeOf(v).getRank(); }
inline Type elementOf(Value v) { return typeOf(v).getElementType(); }
// Same element type, other shape; same shape, other element type.
RankedTensorType withShape(RankedTensorType t, Dims shape);
RankedTensorType withElement(RankedTensorType t, Type element);
// The type with a leading dimension added.
RankedTensorType withLeading(RankedTensorType t, int64_t size);
// 0, 1, ..., n - 1.
llvm::SmallVector<int64_t> iotaDims(int64_t n, int64_t start = 0);
bool isFloat(Type element);

class Builder {
 public:
  Builder(mlir::OpBuilder& ops, Location loc) : ops(ops), loc(loc) {}

  mlir::OpBuilder& ops;
  Location loc;

  // Any op with one result whose type is inferred or given: make<AddOp>(a, b).
  template <class Op, class... Args>
  Value make(Args&&... args) {
    return Op::create(ops, loc, std::forward<Args>(args)...)->getResult(0);
  }

  // Splats. Integers are converted from the double exactly where they fit.
  Value constant(RankedTensorType type, double value);
  Value constantLike(Value v, double value) { return constant(typeOf(v), value); }
  Value zeros(RankedTensorType type) { return constant(type, 0); }
  Value zerosLike(Value v) { return constantLike(v, 0); }
  Value iota(RankedTensorType type, int64_t dim);

  Value add(Value a, Value b) { return make<AddOp>(a, b); }
  Value sub(Value a, Value b) { return make<SubOp>(a, b); }
  Value mul(Value a, Value b) { return make<MulOp>(a, b); }
  Value div(Value a, Value b) { return make<DivOp>(a, b); }
  Value neg(Value a) { return make<NegOp>(a); }
  Value compare(ComparisonDirection direction, Value a, Value b) { return make<CompareOp>(a, b, direction); }
  Value select(Value pred, Value onTrue, Value onFalse) { return make<SelectOp>(pred, onTrue, onFalse); }
  // No op where the type is already right.
  Value convert(Value v, Type element);
  Value reshape(Value v, Dims shape);
  Value transpose(Value v, Dims permutation);
  // Moves dimension `from` to position `to`, the others keep their order.
  Value moveDim(Value v, int64_t from, int64_t to);
  Value broadcastInDim(Value v, Dims shape, Dims dims);
  // Adds a leading dimension of `size` by repetition.
  Value broadcastLeading(Value v, int64_t size);
  Value reduce(CombineKind kind, Value v, Dims dims);
  Value slice(Value v, Dims start, Dims limit, Dims strides = {});
  Value pad(Value v, Value padding, Dims low, Dims high, Dims interior);
  Value concatenate(llvm::ArrayRef<Value> values, int64_t dim);

  // Sum of two cotangents or tangents, either of which may be null (zero).
  Value addOrNull(Value a, Value b);
};

}  // namespace nacre::ir
