// Short ways to emit LLVM dialect ops on scalars and vectors alike. The lowering of tiles, the math functions and the
// contraction kernel are all written with this class. No op carries a fast-math flag: what is written is what is
// computed, and a product and a sum become one fused operation only through fma().
#pragma once
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

namespace nacre::cpu {

using mlir::Location;
using mlir::Type;
using mlir::Value;
using mlir::ValueRange;
namespace llvmir = mlir::LLVM;
using llvmir::FCmpPredicate;
using llvmir::ICmpPredicate;

class Emit {
 public:
  Emit(mlir::OpBuilder& b, Location loc) : b(b), loc(loc) {}

  mlir::OpBuilder& b;
  Location loc;

  // --- Types. A "lane type" is a scalar or a vector of it; helpers keep the number of lanes. ---
  static Type elementOf(Type t);
  static Type elementOf(Value v) { return elementOf(v.getType()); }
  // 0 for a scalar.
  static int64_t lanesOf(Type t);
  static Type withLanes(Type element, int64_t lanes);
  static Type like(Type lanes, Type element) { return withLanes(element, lanesOf(lanes)); }
  Type like(Value lanes, Type element) { return like(lanes.getType(), element); }
  Type intType(unsigned bits) { return mlir::IntegerType::get(b.getContext(), bits); }
  // The integer type as wide as the element of t, with t's lanes.
  Type bitsTypeOf(Type t);
  static unsigned widthOf(Type t) { return elementOf(t).getIntOrFloatBitWidth(); }
  Type ptr() { return llvmir::LLVMPointerType::get(b.getContext()); }

  // --- Constants, splat over the lanes of the type. ---
  Value constant(Type t, double value);
  Value constant(Value like, double value) { return constant(like.getType(), value); }
  Value integer(Type t, int64_t value);
  Value integer(Value like, int64_t value) { return integer(like.getType(), value); }
  // A float given by its bits.
  Value floatBits(Type t, uint64_t bits);
  Value index(int64_t value) { return integer(b.getI64Type(), value); }
  // 0, 1, 2, ...
  Value iota(Type vectorType, int64_t start = 0, int64_t step = 1);
  Value boolean(Type i1Type, bool value) { return integer(i1Type, value ? -1 : 0); }
  Value poison(Type t);

  // --- Floats. ---
  Value fadd(Value x, Value y) { return make<llvmir::FAddOp>(x, y); }
  Value fsub(Value x, Value y) { return make<llvmir::FSubOp>(x, y); }
  Value fmul(Value x, Value y) { return make<llvmir::FMulOp>(x, y); }
  Value fdiv(Value x, Value y) { return make<llvmir::FDivOp>(x, y); }
  Value frem(Value x, Value y) { return make<llvmir::FRemOp>(x, y); }
  Value fneg(Value x) { return make<llvmir::FNegOp>(x); }
  Value fabs(Value x) { return make<llvmir::FAbsOp>(x); }
  Value sqrt(Value x) { return make<llvmir::SqrtOp>(x); }
  Value floor(Value x) { return make<llvmir::FFloorOp>(x); }
  Value ceil(Value x) { return make<llvmir::FCeilOp>(x); }
  Value trunc(Value x) { return make<llvmir::FTruncOp>(x); }
  Value roundEven(Value x) { return make<llvmir::RoundEvenOp>(x); }
  Value copysign(Value magnitude, Value sign) { return make<llvmir::CopySignOp>(magnitude, sign); }
  Value fma(Value x, Value y, Value z) { return make<llvmir::FMAOp>(x, y, z); }
  Value fma(Value x, double y, Value z) { return fma(x, constant(x, y), z); }
  Value fma(Value x, Value y, double z) { return fma(x, y, constant(x, z)); }
  Value fmul(Value x, double y) { return fmul(x, constant(x, y)); }
  Value fadd(Value x, double y) { return fadd(x, constant(x, y)); }
  Value fsub(Value x, double y) { return fsub(x, constant(x, y)); }
  // NaN if either is NaN; -0 below +0.
  Value maximum(Value x, Value y) { return make<llvmir::MaximumOp>(x, y); }
  Value minimum(Value x, Value y) { return make<llvmir::MinimumOp>(x, y); }
  // One instruction; the second operand if either is NaN.
  Value fastMax(Value x, Value y) { return select(fcmp(FCmpPredicate::ogt, x, y), x, y); }
  Value fastMin(Value x, Value y) { return select(fcmp(FCmpPredicate::olt, x, y), x, y); }
  // coefficients[0] + coefficients[1] x + ..., by Horner's rule with fma.
  Value polynomial(Value x, llvm::ArrayRef<double> coefficients);
  // The same as two interleaved chains in x*x: half the latency.
  Value polynomialEstrin(Value x, llvm::ArrayRef<double> coefficients);

  // --- Integers. ---
  Value add(Value x, Value y) { return make<llvmir::AddOp>(x, y); }
  Value sub(Value x, Value y) { return make<llvmir::SubOp>(x, y); }
  Value mul(Value x, Value y) { return make<llvmir::MulOp>(x, y); }
  Value add(Value x, int64_t y) { return y ? add(x, integer(x, y)) : x; }
  Value sub(Value x, int64_t y) { return sub(x, integer(x, y)); }
  Value mul(Value x, int64_t y) { return y == 1 ? x : mul(x, integer(x, y)); }
  Value sdiv(Value x, Value y) { return make<llvmir::SDivOp>(x, y); }
  Value udiv(Value x, Value y) { return make<llvmir::UDivOp>(x, y); }
  Value srem(Value x, Value y) { return make<llvmir::SRemOp>(x, y); }
  Value urem(Value x, Value y) { return make<llvmir::URemOp>(x, y); }
  Value and_(Value x, Value y) { return make<llvmir::AndOp>(x, y); }
  Value or_(Value x, Value y) { return make<llvmir::OrOp>(x, y); }
  Value xor_(Value x, Value y) { return make<llvmir::XOrOp>(x, y); }
  Value and_(Value x, int64_t y) { return and_(x, integer(x, y)); }
  Value or_(Value x, int64_t y) { return or_(x, integer(x, y)); }
  Value xor_(Value x, int64_t y) { return xor_(x, integer(x, y)); }
  Value not_(Value x) { return xor_(x, -1); }
  Value shl(Value x, Value y) { return make<llvmir::ShlOp>(x, y); }
  Value lshr(Value x, Value y) { return make<llvmir::LShrOp>(x, y); }
  Value ashr(Value x, Value y) { return make<llvmir::AShrOp>(x, y); }
  Value shl(Value x, int64_t y) { return shl(x, integer(x, y)); }
  Value lshr(Value x, int64_t y) { return lshr(x, integer(x, y)); }
  Value ashr(Value x, int64_t y) { return ashr(x, integer(x, y)); }
  Value smax(Value x, Value y) { return make<llvmir::SMaxOp>(x, y); }
  Value smin(Value x, Value y) { return make<llvmir::SMinOp>(x, y); }
  Value umax(Value x, Value y) { return make<llvmir::UMaxOp>(x, y); }
  Value umin(Value x, Value y) { return make<llvmir::UMinOp>(x, y); }

  // --- Comparison and choice. ---
  Value fcmp(FCmpPredicate p, Value x, Value y);
  Value fcmp(FCmpPredicate p, Value x, double y) { return fcmp(p, x, constant(x, y)); }
  Value icmp(ICmpPredicate p, Value x, Value y);
  Value icmp(ICmpPredicate p, Value x, int64_t y) { return icmp(p, x, integer(x, y)); }
  Value isNan(Value x) { return fcmp(FCmpPredicate::uno, x, x); }
  // The condition is a scalar, or has the lanes of the values.
  Value select(Value condition, Value onTrue, Value onFalse) {
    return make<llvmir::SelectOp>(condition, onTrue, onFalse);
  }
  // True if any lane is.
  Value any(Value condition);

  // --- Conversions to another element type, lanes kept. ---
  Value bitcast(Value v, Type element);
  // Reinterprets a float as its bits.
  Value toBits(Value v) { return bitcast(v, elementOf(bitsTypeOf(v.getType()))); }
  Value sitofp(Value v, Type element) { return llvmir::SIToFPOp::create(b, loc, like(v, element), v); }
  Value uitofp(Value v, Type element) { return llvmir::UIToFPOp::create(b, loc, like(v, element), v); }
  Value fptosi(Value v, Type element) { return llvmir::FPToSIOp::create(b, loc, like(v, element), v); }
  Value fptoui(Value v, Type element) { return llvmir::FPToUIOp::create(b, loc, like(v, element), v); }
  Value fpext(Value v, Type element) { return llvmir::FPExtOp::create(b, loc, like(v, element), v); }
  Value fptrunc(Value v, Type element) { return llvmir::FPTruncOp::create(b, loc, like(v, element), v); }
  // Sign- or zero-extends, truncates or leaves alone, as the widths ask.
  Value intCast(Value v, Type element, bool isSigned);

  // --- Lanes. ---
  Value splat(Value scalar, int64_t lanes);
  // The scalar itself if `lanes` is a scalar type.
  Value splatLike(Value scalar, Type lanes) { return lanesOf(lanes) ? splat(scalar, lanesOf(lanes)) : scalar; }
  Value extract(Value vector, int64_t lane);
  Value insert(Value vector, Value scalar, int64_t lane);
  Value shuffle(Value x, Value y, llvm::ArrayRef<int32_t> mask);
  Value slice(Value vector, int64_t start, int64_t count);
  Value concat(Value x, Value y);

  // --- Memory. Alignment is that of the element unless given. ---
  Value offset(Value pointer, Type element, Value index);
  Value offset(Value pointer, Type element, int64_t index);
  Value load(Type t, Value pointer, unsigned alignment = 0);
  void store(Value v, Value pointer, unsigned alignment = 0, bool streaming = false);
  // values[index] of a constant table that the module holds once under `name`; the index is a scalar or a vector.
  Value lookup(llvm::StringRef name, llvm::ArrayRef<double> values, Value index);

  // --- Control. ---
  // Splits the current block here: the result continues after it, with one block argument per type.
  mlir::Block* splitBlock(mlir::TypeRange arguments);
  // A new empty block before `next`.
  mlir::Block* newBlock(mlir::Block* next, mlir::TypeRange arguments = {});
  void br(mlir::Block* to, ValueRange values = {});
  void condBr(Value condition, mlir::Block* onTrue, ValueRange trueValues, mlir::Block* onFalse,
              ValueRange falseValues);
  // for (i = begin; i < end; i += step) values = body(i, values); `nonEmpty` skips the first test.
  llvm::SmallVector<Value> loop(Value begin, Value end, Value step, ValueRange init,
                                llvm::function_ref<llvm::SmallVector<Value>(Value, ValueRange)> body,
                                bool nonEmpty = false);
  // values = condition ? then() : init, as a branch.
  llvm::SmallVector<Value> branchIf(Value condition, ValueRange init,
                                    llvm::function_ref<llvm::SmallVector<Value>()> then);
  // Call of a C function of the JIT's table (codegen/cpu/symbols.h), lane by lane for vectors. All operands have the
  // result's type.
  Value libm(llvm::StringRef name, ValueRange operands);

 private:
  template <class Op, class... Args>
  Value make(Args&&... args) {
    return Op::create(b, loc, std::forward<Args>(args)...)->getResult(0);
  }
};

}  // namespace nacre::cpu
