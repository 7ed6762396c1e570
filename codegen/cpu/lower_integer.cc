#include "codegen/cpu/lowering.h"

namespace nacre::cpu {

using namespace mlir;

namespace {

struct SafeDivisor {
  Value divisor;  // 1 where the division would trap
  Value isZero;
};

SafeDivisor makeSafe(Emit& e, Value x, Value y, bool isSigned) {
  Value isZero = e.icmp(ICmpPredicate::eq, y, int64_t(0)), bad = isZero;
  if (isSigned) {
    // MIN / -1 is MIN, which is also MIN / 1.
    int64_t min = int64_t(1) << (Emit::widthOf(x.getType()) - 1);
    bad = e.or_(bad, e.and_(e.icmp(ICmpPredicate::eq, x, min), e.icmp(ICmpPredicate::eq, y, int64_t(-1))));
  }
  return {e.select(bad, e.integer(y, 1), y), isZero};
}

// Vectors have no division instruction. Integers of up to 32 bits are exact in f64, and the quotient rounded to 53
// bits never reaches the next integer: it is at least 1/|y| away, above the rounding error of |x/y| * 2^-53.
Value divide(Emit& e, Value x, Value y, bool isSigned) {
  unsigned width = Emit::widthOf(x.getType());
  if (!Emit::lanesOf(x.getType()) || width > 32) return isSigned ? e.sdiv(x, y) : e.udiv(x, y);
  Type f64 = e.b.getF64Type();
  // Unsigned values of 32 bits pass through i64, so that one signed conversion serves both.
  Type wide = e.intType(64);
  Value a = isSigned ? e.sitofp(x, f64) : e.uitofp(x, f64);
  Value b = isSigned ? e.sitofp(y, f64) : e.uitofp(y, f64);
  Value q = e.fdiv(a, b);
  if (isSigned) return e.intCast(e.fptosi(q, e.intType(32)), e.intType(width), true);
  return e.intCast(width < 32 ? e.fptosi(q, e.intType(32)) : e.fptosi(q, wide), e.intType(width), false);
}

}  // namespace

Value integerDivide(Emit& e, Value x, Value y, bool isSigned, bool safe) {
  if (safe) return isSigned ? e.sdiv(x, y) : e.udiv(x, y);
  SafeDivisor d = makeSafe(e, x, y, isSigned);
  return e.select(d.isZero, e.integer(x, -1), divide(e, x, d.divisor, isSigned));
}

Value integerRemainder(Emit& e, Value x, Value y, bool isSigned, bool safe) {
  if (safe) return isSigned ? e.srem(x, y) : e.urem(x, y);
  SafeDivisor d = makeSafe(e, x, y, isSigned);
  Value rest = e.sub(x, e.mul(divide(e, x, d.divisor, isSigned), d.divisor));
  return e.select(d.isZero, x, rest);
}

// Squares and multiplies, bit by bit of the exponent, until no lane has bits left.
Value integerPower(Emit& e, Value x, Value y, bool isSigned) {
  Value one = e.integer(x, 1), zero = e.integer(x, 0);
  Value isNegative = isSigned ? e.icmp(ICmpPredicate::slt, y, int64_t(0)) : Value();
  Value exponent = isNegative ? e.select(isNegative, zero, y) : y;
  Block* exit = e.splitBlock({x.getType()});
  Block* loop = e.newBlock(exit, {x.getType(), x.getType(), x.getType()});
  e.br(loop, {one, x, exponent});
  e.b.setInsertionPointToStart(loop);
  Value power = loop->getArgument(0), base = loop->getArgument(1), rest = loop->getArgument(2);
  Value odd = e.icmp(ICmpPredicate::ne, e.and_(rest, 1), int64_t(0));
  Value next = e.select(odd, e.mul(power, base), power);
  Value left = e.lshr(rest, 1);
  e.condBr(e.any(e.icmp(ICmpPredicate::ne, left, int64_t(0))), loop, {next, e.mul(base, base), left}, exit, {next});
  e.b.setInsertionPointToStart(exit);
  Value result = exit->getArgument(0);
  if (!isSigned) return result;
  // x^-n: 1 stays, -1 alternates, anything else truncates to 0.
  Value isOdd = e.icmp(ICmpPredicate::ne, e.and_(y, 1), int64_t(0));
  Value ofMinusOne = e.select(isOdd, e.integer(x, -1), one);
  Value inverse = e.select(e.icmp(ICmpPredicate::eq, x, int64_t(-1)), ofMinusOne, zero);
  inverse = e.select(e.icmp(ICmpPredicate::eq, x, int64_t(1)), one, inverse);
  return e.select(isNegative, inverse, result);
}

Value shiftBits(Emit& e, Shift kind, Value x, Value y) {
  int64_t width = Emit::widthOf(x.getType());
  Value inRange = e.icmp(ICmpPredicate::ult, y, width);
  if (kind == Shift::rightArithmetic) return e.ashr(x, e.select(inRange, y, e.integer(y, width - 1)));
  Value amount = e.select(inRange, y, e.integer(y, 0));
  Value shifted = kind == Shift::left ? e.shl(x, amount) : e.lshr(x, amount);
  return e.select(inRange, shifted, e.integer(x, 0));
}

// J. Salmon et al., "Parallel Random Numbers: As Easy as 1, 2, 3", SC 2011: 20 rounds, a key injection every four.
std::pair<Value, Value> threefry2x32(Emit& e, Value key0, Value key1, Value x0, Value x1) {
  constexpr int64_t kRotations[2][4] = {{13, 15, 26, 6}, {17, 29, 16, 24}};
  Value parity = e.xor_(e.xor_(key0, key1), 0x1BD11BDA);
  Value keys[3] = {key0, key1, parity};
  x0 = e.add(x0, key0);
  x1 = e.add(x1, key1);
  for (int group = 0; group < 5; ++group) {
    for (int64_t rotation : kRotations[group % 2]) {
      x0 = e.add(x0, x1);
      x1 = e.or_(e.shl(x1, rotation), e.lshr(x1, 32 - rotation));
      x1 = e.xor_(x1, x0);
    }
    x0 = e.add(x0, keys[(group + 1) % 3]);
    x1 = e.add(e.add(x1, keys[(group + 2) % 3]), int64_t(group + 1));
  }
  return {x0, x1};
}

}  // namespace nacre::cpu
