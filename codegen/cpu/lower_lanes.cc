#include "codegen/cpu/lowering.h"

namespace nacre::cpu {

using namespace mlir;

Value Lowering::combine(ir::CombineKind kind, Value x, Value y, Type element) {
  using ir::CombineKind;
  if (element.isBF16()) {
    Type f32 = builder_.getF32Type();
    return f32ToBf16(e, combine(kind, bf16ToF32(e, x), bf16ToF32(e, y), f32));
  }
  bool isFloat = isa<FloatType>(element), isBool = element.isInteger(1), isSigned = !isUnsigned(element) && !isBool;
  switch (kind) {
    case CombineKind::Add: return isFloat ? e.fadd(x, y) : isBool ? e.or_(x, y) : e.add(x, y);
    case CombineKind::Mul: return isFloat ? e.fmul(x, y) : e.mul(x, y);
    case CombineKind::Min: return isFloat ? e.minimum(x, y) : isSigned ? e.smin(x, y) : e.umin(x, y);
    case CombineKind::Max: return isFloat ? e.maximum(x, y) : isSigned ? e.smax(x, y) : e.umax(x, y);
    case CombineKind::And: return e.and_(x, y);
    case CombineKind::Or: return e.or_(x, y);
    case CombineKind::Xor: return e.xor_(x, y);
    case CombineKind::Set: return y;
  }
  return x;
}

// Halves are combined while their number is even, then lanes from the first to the last.
Value Lowering::reduceLanes(ir::CombineKind kind, Value v, Type element) {
  if (element.isBF16()) {
    Value sum = reduceLanes(kind, bf16ToF32(e, v), builder_.getF32Type());
    return f32ToBf16(e, sum);
  }
  int64_t lanes = Emit::lanesOf(v.getType());
  for (; lanes > 1 && lanes % 2 == 0; lanes /= 2)
    v = combine(kind, e.slice(v, 0, lanes / 2), e.slice(v, lanes / 2, lanes / 2), element);
  Value result = e.extract(v, 0);
  for (int64_t i = 1; i < lanes; ++i) result = combine(kind, result, e.extract(v, i), element);
  return result;
}

// Exchanges blocks of 1, 2, 4, ... lanes between rows that far apart: n log2(n) shuffles of two rows.
SmallVector<Value> Lowering::transposeLanes(SmallVector<Value> rows) {
  int64_t n = rows.size();
  if (!llvm::isPowerOf2_64(n)) {
    SmallVector<Value> columns(n, e.poison(rows[0].getType()));
    for (int64_t i = 0; i < n; ++i)
      for (int64_t j = 0; j < n; ++j) columns[j] = e.insert(columns[j], e.extract(rows[i], j), i);
    return columns;
  }
  for (int64_t s = 1; s < n; s *= 2) {
    SmallVector<int32_t> low, high;
    for (int64_t l = 0; l < n; ++l) {
      low.push_back(l & s ? n + l - s : l);
      high.push_back(l & s ? n + l : l + s);
    }
    for (int64_t i = 0; i < n; ++i) {
      if (i & s) continue;
      Value x = rows[i], y = rows[i + s];
      rows[i] = e.shuffle(x, y, low);
      rows[i + s] = e.shuffle(x, y, high);
    }
  }
  return rows;
}

LogicalResult Lowering::lowerLanesOp(Operation* op) {
  if (auto from = dyn_cast<tile::FromIndexOp>(op)) {
    set(from, get(from.getIndex()));
    return success();
  }
  if (auto to = dyn_cast<tile::ToIndexOp>(op)) {
    Type element = cast<RankedTensorType>(to.getTile().getType()).getElementType();
    set(to, e.intCast(get(to.getTile()), builder_.getI64Type(), !isUnsigned(element) && !element.isInteger(1)));
    return success();
  }
  if (auto to = dyn_cast<tile::ToBoolOp>(op)) {
    set(to, get(to.getTile()));
    return success();
  }
  if (auto lanes = dyn_cast<tile::LanesOp>(op)) {
    Type type = lower(lanes.getType());
    set(lanes, Emit::lanesOf(type) ? e.iota(type) : e.integer(type, 0));
    return success();
  }
  if (auto splat = dyn_cast<tile::SplatOp>(op)) {
    set(splat, e.splatLike(get(splat.getScalar()), lower(splat.getType())));
    return success();
  }
  if (auto reduce = dyn_cast<tile::ReduceOp>(op)) {
    Type element = cast<RankedTensorType>(reduce.getTile().getType()).getElementType();
    set(reduce, reduceLanes(reduce.getKind(), get(reduce.getTile()), element));
    return success();
  }
  if (auto fma = dyn_cast<tile::FmaOp>(op)) {
    Value a = get(fma.getA()), b = get(fma.getB()), c = get(fma.getC());
    Type element = cast<RankedTensorType>(fma.getType()).getElementType();
    if (element.isBF16())
      set(fma, f32ToBf16(e, e.fma(bf16ToF32(e, a), bf16ToF32(e, b), bf16ToF32(e, c))));
    else if (isa<FloatType>(element))
      set(fma, e.fma(a, b, c));
    else
      set(fma, e.add(e.mul(a, b), c));
    return success();
  }
  if (auto transpose = dyn_cast<tile::TransposeOp>(op)) {
    for (auto [from, to] : llvm::zip_equal(transpose.getColumns(), transposeLanes(get(transpose.getRows()))))
      set(from, to);
    return success();
  }
  return failure();
}

}  // namespace nacre::cpu
