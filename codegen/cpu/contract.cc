#include "codegen/cpu/contract.h"

namespace nacre::cpu {

using namespace mlir;

namespace {

struct RegisterBlock {
  int64_t mr, nr, depth, lanes;
  Type element;  // of the accumulators
  bool convert;  // panels hold bf16
  bool fused;    // the machine has fused multiply-add; without, two roundings are better than a call
};

// Vectors of one step of depth: nr elements of B as accumulator vectors.
SmallVector<Value> loadB(Emit& e, const RegisterBlock& block, Value pointer) {
  SmallVector<Value> result;
  for (int64_t j = 0; j < block.nr; j += block.lanes) {
    int64_t count = std::min(block.lanes, block.nr - j);
    if (!block.convert) {
      result.push_back(e.load(Emit::withLanes(block.element, count), e.offset(pointer, block.element, j)));
      continue;
    }
    Value bits = e.load(Emit::withLanes(e.intType(16), count), e.offset(pointer, e.intType(16), j));
    result.push_back(e.bitcast(e.shl(e.intCast(bits, e.intType(32), false), 16), block.element));
  }
  return result;
}

Value loadA(Emit& e, const RegisterBlock& block, Value pointer, int64_t i) {
  if (!block.convert) return e.load(block.element, e.offset(pointer, block.element, i));
  Value bits = e.load(e.intType(16), e.offset(pointer, e.intType(16), i));
  return e.bitcast(e.shl(e.intCast(bits, e.intType(32), false), 16), block.element);
}

// acc += A[k, :] x B[k, :]
void step(Emit& e, const RegisterBlock& block, Value a, Value b, SmallVectorImpl<Value>& acc) {
  SmallVector<Value> columns = loadB(e, block, b);
  for (int64_t i = 0; i < block.mr; ++i) {
    Value scalar = loadA(e, block, a, i);
    for (auto [j, column] : llvm::enumerate(columns)) {
      Value& sum = acc[i * columns.size() + j];
      Value row = e.splatLike(scalar, column.getType());
      sum = block.fused ? e.fma(row, column, sum) : e.fadd(e.fmul(row, column), sum);
    }
  }
}

}  // namespace

LogicalResult emitContract(Emit& e, const codegen::Target& target, tile::ContractOp op, Value a, Value b, Value c,
                           Value depth) {
  RankedTensorType aType = op.getA().getType().tensorType(), bType = op.getB().getType().tensorType(),
                   cType = op.getC().getType().tensorType();
  Type element = cType.getElementType();
  RegisterBlock block{aType.getDimSize(2),
                      bType.getDimSize(2),
                      aType.getDimSize(1),
                      target.lanes(element),
                      element,
                      aType.getElementType().isBF16(),
                      target.fma};
  int64_t n = cType.getDimSize(1);
  Type panel = block.convert ? e.intType(16) : element;
  auto none = SmallVector<Value>{};
  constexpr int64_t kUnroll = 4;
  // B's panel outermost: it stays in the first-level cache while the panels of A stream past.
  e.loop(
      e.index(0), e.index(bType.getDimSize(0)), e.index(1), {},
      [&](Value jp, ValueRange) {
        Value bPanel = e.offset(b, panel, e.mul(jp, block.depth * block.nr));
        e.loop(
            e.index(0), e.index(aType.getDimSize(0)), e.index(1), {},
            [&](Value ip, ValueRange) {
              Value aPanel = e.offset(a, panel, e.mul(ip, block.depth * block.mr));
              Value corner = e.offset(c, element, e.add(e.mul(ip, block.mr * n), e.mul(jp, block.nr)));
              SmallVector<Value> acc;
              SmallVector<Value> places;
              for (int64_t i = 0; i < block.mr; ++i) {
                for (int64_t j = 0; j < block.nr; j += block.lanes) {
                  Type type = Emit::withLanes(element, std::min(block.lanes, block.nr - j));
                  Value place = e.offset(corner, element, i * n + j);
                  places.push_back(place);
                  // Into the cache while the depth loop runs.
                  if (op.getAccumulate()) llvmir::Prefetch::create(e.b, e.loc, place, 1, 3, 1);
                  acc.push_back(e.constant(type, 0));
                }
              }
              auto body = [&](int64_t unroll) {
                return [&, unroll](Value k, ValueRange carried) {
                  SmallVector<Value> sums = llvm::to_vector(carried);
                  Value aRow = e.offset(aPanel, panel, e.mul(k, block.mr));
                  Value bRow = e.offset(bPanel, panel, e.mul(k, block.nr));
                  for (int64_t u = 0; u < unroll; ++u)
                    step(e, block, e.offset(aRow, panel, u * block.mr), e.offset(bRow, panel, u * block.nr), sums);
                  return sums;
                };
              };
              Value main = e.and_(depth, ~(kUnroll - 1));
              acc = e.loop(e.index(0), main, e.index(kUnroll), acc, body(kUnroll));
              acc = e.loop(main, depth, e.index(1), acc, body(1));
              for (auto [sum, place] : llvm::zip_equal(acc, places)) {
                Value v = op.getAccumulate() ? e.fadd(sum, e.load(sum.getType(), place)) : sum;
                e.store(v, place);
              }
              return none;
            },
            aType.getDimSize(0) > 0);
        return none;
      },
      bType.getDimSize(0) > 0);
  return success();
}

}  // namespace nacre::cpu
