#include "passes/fuse/split_reduce.h"

#include "passes/fuse/normalize.h"
#include "passes/fuse/op_classes.h"

using namespace mlir;

namespace nacre::passes {

using namespace ir;
using fusion::ReductionDomain;

namespace {

constexpr int64_t kFewRows = 4;        // with as many rows there is work for several threads
constexpr int64_t kLongRow = 1 << 15;  // elements that are worth a second kernel
constexpr int64_t kMostRowParts = 64;
constexpr int64_t kShortestRowPart = 1024;
constexpr int64_t kColumnBlock = 256;  // columns that one program takes
constexpr int64_t kMostColumnParts = 16;
constexpr int64_t kShortestColumnPart = 16;

int64_t largestDivisorUpTo(int64_t n, int64_t most) {
  for (int64_t d = std::min(n, most); d > 1; --d)
    if (n % d == 0) return d;
  return 1;
}

// Number of parts, 1 for none.
int64_t partsOf(const ReductionDomain& domain) {
  if (domain.inner == 1) {
    if (domain.outer >= kFewRows || domain.reduced < kLongRow) return 1;
    int64_t most = std::min(kMostRowParts / domain.outer, domain.reduced / kShortestRowPart);
    int64_t divisor = largestDivisorUpTo(domain.reduced, most);
    return divisor * 4 > most ? divisor : most;
  }
  int64_t programs = domain.outer * ((domain.inner + kColumnBlock - 1) / kColumnBlock);
  if (programs >= kFewRows || domain.outer * domain.reduced * domain.inner < 2 * kLongRow) return 1;
  return largestDivisorUpTo(domain.reduced, std::min(kMostColumnParts, domain.reduced / kShortestColumnPart));
}

void split(ReduceOp op) {
  ReductionDomain domain;
  if (!fusion::reductionDomain(op, domain)) return;
  int64_t parts = partsOf(domain);
  if (parts < 2) return;

  OpBuilder ops(op);
  Builder b(ops, op.getLoc());
  CombineKind kind = op.getKind();
  Value v = op.getInputs().front();
  Type element = elementOf(v);
  if (element.isBF16() && (kind == CombineKind::Add || kind == CombineKind::Mul)) v = b.convert(v, ops.getF32Type());

  int64_t part = (domain.reduced + parts - 1) / parts;
  if (part * parts != domain.reduced) {
    v = b.reshape(v, {domain.outer, domain.reduced, domain.inner});
    Value identity = identityOf(b, kind, RankedTensorType::get({}, elementOf(v)));
    v = b.pad(v, identity, {0, 0, 0}, {0, part * parts - domain.reduced, 0}, {0, 0, 0});
  }
  v = b.reduce(kind, reshapeAtSource(b, v, {domain.outer, parts, part, domain.inner}), {2});
  if (domain.inner == 1) v.getDefiningOp()->setAttr(kSplitAttr, ops.getUnitAttr());
  v = b.convert(b.reduce(kind, v, {1}), element);
  v = b.reshape(v, shapeOf(op.getResult(0)));
  op->replaceAllUsesWith(ValueRange{v});
  op->erase();
}

}  // namespace

void splitReductions(func::FuncOp f) {
  for (Operation& op : llvm::make_early_inc_range(f.front().without_terminator()))
    if (auto reduce = dyn_cast<ReduceOp>(op)) split(reduce);
}

}  // namespace nacre::passes
