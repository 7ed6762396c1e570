// Logic, shifts and counting of bits.
#include <bit>

#include "ir/nacre.h"
#include "ir/reference/elementwise.h"

namespace nacre::ir {

namespace {

// The integer's own bits, zeros above.
template <class T>
uint64_t ownBits(T x) {
  constexpr uint64_t mask = ~uint64_t{0} >> (64 - bitWidth<T>);
  return extendedBits(x) & mask;
}

// The value that a two's complement number of T's width with these bits has, in 64 bits.
template <class T>
int64_t signExtended(T x) {
  constexpr int unused = 64 - bitWidth<T>;
  return static_cast<int64_t>(ownBits(x) << unused) >> unused;
}

}  // namespace

void addBitOps(OpTable& table) {
  table.add<NotOp>(unary<IntegersOrBool>([]<class T>(T x) { return wrapTo<T>(~extendedBits(x)); }));
  table.add<PopcntOp>(unary<Integers>([]<class T>(T x) { return static_cast<T>(std::popcount(ownBits(x))); }));
  table.add<ClzOp>(
      unary<Integers>([]<class T>(T x) { return static_cast<T>(std::countl_zero(ownBits(x)) - (64 - bitWidth<T>)); }));
  table.add<AndOp>(
      binary<IntegersOrBool>([]<class T>(T x, T y) { return wrapTo<T>(extendedBits(x) & extendedBits(y)); }));
  table.add<OrOp>(
      binary<IntegersOrBool>([]<class T>(T x, T y) { return wrapTo<T>(extendedBits(x) | extendedBits(y)); }));
  table.add<XorOp>(
      binary<IntegersOrBool>([]<class T>(T x, T y) { return wrapTo<T>(extendedBits(x) ^ extendedBits(y)); }));
  // A shift amount is read as unsigned: a negative one is a large one.
  table.add<ShiftLeftOp>(binary<Integers>(
      []<class T>(T x, T y) { return ownBits(y) < bitWidth<T> ? wrapTo<T>(extendedBits(x) << ownBits(y)) : T(0); }));
  table.add<ShiftRightLogicalOp>(binary<Integers>(
      []<class T>(T x, T y) { return ownBits(y) < bitWidth<T> ? wrapTo<T>(ownBits(x) >> ownBits(y)) : T(0); }));
  table.add<ShiftRightArithmeticOp>(binary<Integers>([]<class T>(T x, T y) {
    uint64_t amount = std::min<uint64_t>(ownBits(y), bitWidth<T> - 1);
    return wrapTo<T>(static_cast<uint64_t>(signExtended(x) >> amount));
  }));
}

}  // namespace nacre::ir
