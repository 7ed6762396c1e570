#include "codegen/schedule/iteration.h"

#include <algorithm>

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace nacre::schedule {

Chunks chunksOf(int64_t size, int64_t target, int64_t multiple) {
  if (size <= target) return {size, 1, 0};
  target = std::max(multiple, target / multiple * multiple);
  for (int64_t chunk = target; chunk >= std::max(multiple, target / 2); chunk -= multiple)
    if (size % chunk == 0) return {chunk, size / chunk, 0};
  return {target, size / target, size % target};
}

int64_t programTarget(int64_t elements) { return std::clamp<int64_t>(elements / 64, 4096, 65536); }

int64_t lanesFor(int64_t extent, int64_t lanes) {
  return extent >= lanes ? lanes : std::max<int64_t>(2, llvm::PowerOf2Ceil(extent));
}

void forVectors(Emitter& e, AffineExpr start, int64_t length, int64_t lanes, int64_t unroll,
                llvm::function_ref<void(AffineExpr)> body) {
  const int64_t step = lanes * unroll, whole = length / step * step;
  e.withLanes(lanes, nullptr, [&] {
    e.loop(0, whole, step, {}, [&](AffineExpr i, ValueRange) {
      for (int64_t u = 0; u < unroll; ++u) body(start + i + u * lanes);
      return SmallVector<Value>();
    });
    e.loop(whole, length / lanes * lanes, lanes, {}, [&](AffineExpr i, ValueRange) {
      body(start + i);
      return SmallVector<Value>();
    });
  });
  if (int64_t rest = length % lanes) e.withLanes(lanes, e.indexConstant(rest), [&] { body(start + (length - rest)); });
}

void forChunk(Emitter& e, const Chunks& chunks, AffineExpr number, llvm::function_ref<void(AffineExpr, int64_t)> body) {
  if (chunks.rest == 0) return body(number * chunks.chunk, chunks.chunk);
  if (chunks.full == 0) return body(e.constant(0), chunks.rest);
  auto compare = [&](arith::CmpIPredicate predicate) -> Value {
    return arith::CmpIOp::create(e.ops, e.loc, predicate, e.indexValue(number), e.indexConstant(chunks.full));
  };
  e.ifThen(compare(arith::CmpIPredicate::slt), [&] {
    e.space.pushAssumption(number, 0, chunks.full);
    body(number * chunks.chunk, chunks.chunk);
    e.space.popAssumption();
  });
  e.ifThen(compare(arith::CmpIPredicate::sge), [&] { body(e.constant(chunks.full * chunks.chunk), chunks.rest); });
}

SmallVector<AffineExpr> splitIndex(Emitter& e, AffineExpr flat, ArrayRef<int64_t> sizes) {
  SmallVector<AffineExpr> parts;
  for (auto [expr, size] : llvm::zip(e.space.delinearize(flat, sizes), sizes)) {
    bool simple = isa<AffineConstantExpr, AffineDimExpr>(expr);
    parts.push_back(simple ? expr : e.dim(e.indexValue(expr), {0, size}));
  }
  return parts;
}

}  // namespace nacre::schedule
