#include <functional>

#include "llvm/ADT/APSInt.h"
#include "llvm/ADT/TypeSwitch.h"
#include "passes/simplify_rules.h"

using namespace mlir;

namespace nacre::passes {

using ir::Builder;

DenseElementsAttr constantOf(Value v) {
  auto op = v.getDefiningOp<ir::ConstantOp>();
  return op ? dyn_cast<DenseElementsAttr>(op.getValue()) : DenseElementsAttr();
}

TypedAttr splatOf(Value v) {
  DenseElementsAttr constant = constantOf(v);
  return constant && constant.isSplat() ? constant.getSplatValue<TypedAttr>() : TypedAttr();
}

bool isSplat(Value v, double number, bool negative) {
  TypedAttr splat = splatOf(v);
  if (!splat) return false;
  if (auto floating = dyn_cast<FloatAttr>(splat)) {
    const APFloat& value = floating.getValue();
    if (number == 0) return value.isZero() && value.isNegative() == negative;
    return floating.getValueAsDouble() == number;
  }
  const APInt bits = cast<IntegerAttr>(splat).getValue();
  return bits == APInt(64, static_cast<uint64_t>(static_cast<int64_t>(number))).trunc(bits.getBitWidth());
}

Value splatConstant(Builder& b, RankedTensorType type, Attribute element) {
  return ir::ConstantOp::create(b.ops, b.loc, type, DenseElementsAttr::get(type, element));
}

namespace {

// One element: `real` for floats, `bits` for integers and booleans.
struct Scalar {
  std::optional<APFloat> real;
  APInt bits;
};

Scalar scalarOf(Attribute attribute) {
  if (auto real = dyn_cast<FloatAttr>(attribute)) return {real.getValue(), APInt()};
  return {std::nullopt, cast<IntegerAttr>(attribute).getValue()};
}

// Null where a result is NaN, whose bits depend on who computes it.
Attribute attributeOf(const Scalar& scalar, Type element) {
  if (!scalar.real) return IntegerAttr::get(element, scalar.bits);
  return scalar.real->isNaN() ? Attribute() : Attribute(FloatAttr::get(element, *scalar.real));
}

// Values of unsigned types and of booleans compare without sign.
bool isUnsigned(Type element) { return element.isUnsignedInteger() || element.isInteger(1); }

using Evaluate = std::function<std::optional<Scalar>(ArrayRef<Scalar>)>;

Scalar boolean(bool value) { return {std::nullopt, APInt(1, value)}; }

bool compareScalars(ir::ComparisonDirection direction, const Scalar& a, const Scalar& b, bool noSign) {
  bool less, equal, unordered = false;
  if (a.real) {
    APFloat::cmpResult order = a.real->compare(*b.real);
    less = order == APFloat::cmpLessThan, equal = order == APFloat::cmpEqual;
    unordered = order == APFloat::cmpUnordered;
  } else {
    less = noSign ? a.bits.ult(b.bits) : a.bits.slt(b.bits), equal = a.bits == b.bits;
  }
  switch (direction) {
    case ir::ComparisonDirection::EQ: return equal;
    case ir::ComparisonDirection::NE: return !equal;
    case ir::ComparisonDirection::LT: return less;
    case ir::ComparisonDirection::LE: return less || equal;
    case ir::ComparisonDirection::GT: return !less && !equal && !unordered;
    case ir::ComparisonDirection::GE: return !less && !unordered;
  }
  llvm_unreachable("six directions");
}

std::optional<Scalar> convertScalar(const Scalar& x, Type from, Type to) {
  if (auto floating = dyn_cast<FloatType>(to)) {
    APFloat result(floating.getFloatSemantics());
    bool lost = false;
    if (x.real) {
      result = *x.real;
      result.convert(floating.getFloatSemantics(), APFloat::rmNearestTiesToEven, &lost);
    } else {
      result.convertFromAPInt(x.bits, !isUnsigned(from), APFloat::rmNearestTiesToEven);
    }
    return Scalar{result, APInt()};
  }
  unsigned width = to.getIntOrFloatBitWidth();
  if (width == 1) return boolean(x.real ? !x.real->isZero() : !x.bits.isZero());
  if (!x.real) return Scalar{std::nullopt, isUnsigned(from) ? x.bits.zextOrTrunc(width) : x.bits.sextOrTrunc(width)};
  // Saturates, and makes 0 of NaN.
  APSInt result(width, to.isUnsignedInteger());
  bool exact = false;
  x.real->convertToInteger(result, APFloat::rmTowardZero, &exact);
  return Scalar{std::nullopt, APInt(result)};
}

template <class OnReals, class OnBits>
Evaluate binary(OnReals onReals, OnBits onBits) {
  return [=](ArrayRef<Scalar> x) -> std::optional<Scalar> {
    if (x[0].real) return Scalar{onReals(*x[0].real, *x[1].real), APInt()};
    return Scalar{std::nullopt, onBits(x[0].bits, x[1].bits)};
  };
}

// What exact ops compute on one element; null for others.
Evaluate evaluatorOf(Operation* op) {
  Type from = ir::elementOf(op->getOperand(0)), to = ir::elementOf(op->getResult(0));
  bool noSign = isUnsigned(from);
  using Reals = const APFloat&;
  using Bits = const APInt&;
  return llvm::TypeSwitch<Operation*, Evaluate>(op)
      .Case([](ir::AddOp) {
        // The sum of booleans is their or.
        return binary([](Reals a, Reals b) { return a + b; },
                      [](Bits a, Bits b) { return a.getBitWidth() == 1 ? a | b : a + b; });
      })
      .Case([](ir::SubOp) {
        return binary([](Reals a, Reals b) { return a - b; }, [](Bits a, Bits b) { return a - b; });
      })
      .Case([](ir::MulOp) {
        return binary([](Reals a, Reals b) { return a * b; }, [](Bits a, Bits b) { return a * b; });
      })
      .Case([](ir::DivOp) -> Evaluate {
        return [](ArrayRef<Scalar> x) -> std::optional<Scalar> {
          if (!x[0].real) return std::nullopt;
          return Scalar{*x[0].real / *x[1].real, APInt()};
        };
      })
      .Case([=](ir::MaxOp) {
        return binary([](Reals a, Reals b) { return llvm::maximum(a, b); },
                      [=](Bits a, Bits b) { return (noSign ? a.ugt(b) : a.sgt(b)) ? a : b; });
      })
      .Case([=](ir::MinOp) {
        return binary([](Reals a, Reals b) { return llvm::minimum(a, b); },
                      [=](Bits a, Bits b) { return (noSign ? a.ult(b) : a.slt(b)) ? a : b; });
      })
      .Case([](ir::NegOp) -> Evaluate {
        return [](ArrayRef<Scalar> x) -> std::optional<Scalar> {
          if (x[0].real) return Scalar{-*x[0].real, APInt()};
          return Scalar{std::nullopt, -x[0].bits};
        };
      })
      .Case([=](ir::AbsOp) -> Evaluate {
        return [=](ArrayRef<Scalar> x) -> std::optional<Scalar> {
          if (x[0].real) return Scalar{llvm::abs(*x[0].real), APInt()};
          return Scalar{std::nullopt, noSign ? x[0].bits : x[0].bits.abs()};
        };
      })
      .Case([](ir::NotOp) -> Evaluate { return [](ArrayRef<Scalar> x) {
                                          return Scalar{std::nullopt, ~x[0].bits};
                                        }; })
      .Case([](ir::AndOp) -> Evaluate {
        return [](ArrayRef<Scalar> x) { return Scalar{std::nullopt, x[0].bits & x[1].bits}; };
      })
      .Case([](ir::OrOp) -> Evaluate {
        return [](ArrayRef<Scalar> x) { return Scalar{std::nullopt, x[0].bits | x[1].bits}; };
      })
      .Case([](ir::XorOp) -> Evaluate {
        return [](ArrayRef<Scalar> x) { return Scalar{std::nullopt, x[0].bits ^ x[1].bits}; };
      })
      .Case([=](ir::CompareOp compare) -> Evaluate {
        ir::ComparisonDirection direction = compare.getDirection();
        return [=](ArrayRef<Scalar> x) { return boolean(compareScalars(direction, x[0], x[1], noSign)); };
      })
      .Case(
          [](ir::SelectOp) -> Evaluate { return [](ArrayRef<Scalar> x) { return x[0].bits.isZero() ? x[2] : x[1]; }; })
      .Case(
          [=](ir::ConvertOp) -> Evaluate { return [=](ArrayRef<Scalar> x) { return convertScalar(x[0], from, to); }; })
      .Default(Evaluate());
}

// Elementwise: once for splats, else once an element.
Value foldElementwise(Operation* op, Builder& b, ArrayRef<DenseElementsAttr> operands) {
  Evaluate evaluate = evaluatorOf(op);
  if (!evaluate) return nullptr;
  RankedTensorType type = ir::typeOf(op->getResult(0));
  bool splat = llvm::all_of(operands, [](DenseElementsAttr a) { return a.isSplat(); });
  int64_t count = splat ? 1 : type.getNumElements();
  SmallVector<Attribute> values;
  for (int64_t i = 0; i < count; ++i) {
    SmallVector<Scalar> scalars;
    for (DenseElementsAttr operand : operands)
      scalars.push_back(
          scalarOf(operand.isSplat() ? operand.getSplatValue<Attribute>() : *(operand.value_begin<Attribute>() + i)));
    std::optional<Scalar> result = evaluate(scalars);
    Attribute value = result ? attributeOf(*result, type.getElementType()) : Attribute();
    if (!value) return nullptr;
    values.push_back(value);
  }
  return ir::ConstantOp::create(b.ops, b.loc, type, DenseElementsAttr::get(type, values));
}

// Moves of one operand: which element of the operand (row-major) is at each index of the result.
using Source = std::function<int64_t(ArrayRef<int64_t>)>;

int64_t linearIndex(ArrayRef<int64_t> index, ArrayRef<int64_t> shape) {
  int64_t n = 0;
  for (auto [i, size] : llvm::zip_equal(index, shape)) n = n * size + i;
  return n;
}

Source sourceOf(Operation* op) {
  SmallVector<int64_t> shape(ir::shapeOf(op->getOperand(0)));
  if (auto broadcast = dyn_cast<ir::BroadcastInDimOp>(op))
    return [shape, broadcast](ArrayRef<int64_t> to) mutable {
      SmallVector<int64_t> from;
      for (auto [i, d] : llvm::enumerate(broadcast.getBroadcastDimensions())) from.push_back(shape[i] == 1 ? 0 : to[d]);
      return linearIndex(from, shape);
    };
  if (auto transpose = dyn_cast<ir::TransposeOp>(op))
    return [shape, transpose](ArrayRef<int64_t> to) mutable {
      SmallVector<int64_t> from(shape.size());
      for (auto [i, d] : llvm::enumerate(transpose.getPermutation())) from[d] = to[i];
      return linearIndex(from, shape);
    };
  if (auto reverse = dyn_cast<ir::ReverseOp>(op))
    return [shape, reverse](ArrayRef<int64_t> to) mutable {
      SmallVector<int64_t> from(to);
      for (int64_t d : reverse.getDimensions()) from[d] = shape[d] - 1 - from[d];
      return linearIndex(from, shape);
    };
  if (auto slice = dyn_cast<ir::SliceOp>(op))
    return [shape, slice](ArrayRef<int64_t> to) mutable {
      SmallVector<int64_t> from;
      for (auto [i, n] : llvm::enumerate(to)) from.push_back(slice.getStartIndices()[i] + n * slice.getStrides()[i]);
      return linearIndex(from, shape);
    };
  return nullptr;
}

Value foldMove(Operation* op, Builder& b, DenseElementsAttr operand) {
  RankedTensorType type = ir::typeOf(op->getResult(0));
  if (isa<ir::ReshapeOp>(op)) return ir::ConstantOp::create(b.ops, b.loc, type, operand.reshape(type));
  Source source = sourceOf(op);
  if (!source) return nullptr;
  if (operand.isSplat()) return splatConstant(b, type, operand.getSplatValue<Attribute>());
  SmallVector<Attribute> elements(operand.value_begin<Attribute>(), operand.value_end<Attribute>()), values;
  SmallVector<int64_t> index(type.getRank(), 0);
  for (int64_t n = 0; n < type.getNumElements(); ++n) {
    values.push_back(elements[source(index)]);
    for (int64_t d = type.getRank() - 1; d >= 0 && ++index[d] == type.getDimSize(d); --d) index[d] = 0;
  }
  return ir::ConstantOp::create(b.ops, b.loc, type, DenseElementsAttr::get(type, values));
}

}  // namespace

Value foldConstants(Operation* op, Builder& b) {
  if (op->getNumOperands() == 0 || op->getNumOperands() > 3 || isa<ir::OptimizationBarrierOp>(op)) return nullptr;
  SmallVector<DenseElementsAttr> operands;
  bool splats = true;
  for (Value operand : op->getOperands()) {
    DenseElementsAttr constant = constantOf(operand);
    if (!constant) return nullptr;
    splats &= constant.isSplat();
    operands.push_back(constant);
  }
  if (!splats && ir::typeOf(op->getResult(0)).getNumElements() > kMaxFolded) return nullptr;
  if (operands.size() == 1)
    if (Value moved = foldMove(op, b, operands[0])) return moved;
  return foldElementwise(op, b, operands);
}

}  // namespace nacre::passes
