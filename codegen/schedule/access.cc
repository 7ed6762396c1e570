#include "codegen/schedule/access.h"

#include <set>

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace nacre::schedule {
namespace {

class Collector {
 public:
  Collector(IndexSpace& space, Accesses& into) : space(space), into(into) {}

  void visit(Value value, Index index) {
    for (AffineExpr& e : index) e = space.simplify(e);
    std::vector<const void*> key{value.getAsOpaquePointer()};
    for (AffineExpr e : index) key.push_back(e.getAsOpaquePointer());
    if (!seen.insert(key).second) return;
    Operation* op = value.getDefiningOp();
    if (!op) {
      into.loads.push_back({value, index, space.linearize(index, ir::shapeOf(value))});
      return;
    }
    if (auto first = operandIndex(space, op, 0, index); first && op->getNumOperands()) {
      for (unsigned i = 0; i < op->getNumOperands(); ++i) visit(op->getOperand(i), *operandIndex(space, op, i, index));
      return;
    }
    TypeSwitch<Operation*>(op)
        .Case([&](ir::IotaOp o) { into.computed.push_back(index[o.getIotaDimension()]); })
        .Case([&](ir::PadOp o) {
          Index inner;
          for (size_t d = 0; d < index.size(); ++d) {
            AffineExpr distance = index[d] - o.getEdgePaddingLow()[d];
            if (o.getEdgePaddingLow()[d] || o.getEdgePaddingHigh()[d] || o.getInteriorPadding()[d])
              into.computed.push_back(index[d]);
            inner.push_back(distance.floorDiv(o.getInteriorPadding()[d] + 1));
          }
          visit(o.getOperand(), inner);
          visit(o.getPaddingValue(), {});
        })
        .Case([&](ir::ConcatenateOp o) {
          int64_t d = o.getDimension();
          into.computed.push_back(index[d]);
          int64_t offset = 0;
          for (Value input : o.getInputs()) {
            Index inner = index;
            inner[d] = index[d] - offset;
            visit(input, inner);
            offset += ir::shapeOf(input)[d];
          }
        })
        .Case([&](ir::DynamicSliceOp o) {
          Index inner;
          for (auto [d, start] : llvm::enumerate(o.getStartIndices())) {
            visit(start, {});
            inner.push_back(fresh(ir::shapeOf(o.getOperand())[d] - o.getSliceSizes()[d] + 1) + index[d]);
          }
          visit(o.getOperand(), inner);
        })
        .Case([&](ir::DynamicUpdateSliceOp o) {
          Index inner;
          for (auto [d, start] : llvm::enumerate(o.getStartIndices())) {
            visit(start, {});
            into.computed.push_back(index[d]);
            inner.push_back(index[d] - fresh(ir::shapeOf(o.getOperand())[d] - ir::shapeOf(o.getUpdate())[d] + 1));
          }
          visit(o.getUpdate(), inner);
          visit(o.getOperand(), index);
        })
        .Case([&](ir::GatherOp o) { gather(o, index); })
        .Case<ir::ReduceOp, ir::ArgReduceOp, ir::DotGeneralOp>([&](Operation* o) { reduction(o, index); });
  }

 private:
  AffineExpr fresh(int64_t size) { return space.addDim({0, std::max<int64_t>(size, 1)}); }

  void gather(ir::GatherOp o, const Index& index) {
    Index batch, window;
    for (auto [i, e] : llvm::enumerate(index))
      (llvm::is_contained(o.getOffsetDims(), static_cast<int64_t>(i)) ? window : batch).push_back(e);
    Index start;
    size_t next = 0;
    for (int64_t d = 0; d < ir::rankOf(o.getStartIndices()); ++d)
      start.push_back(d == static_cast<int64_t>(o.getIndexVectorDim()) ? space.constant(0) : batch[next++]);
    visit(o.getStartIndices(), start);
    for (AffineExpr e : batch) into.computed.push_back(e);
    ArrayRef<int64_t> shape = ir::shapeOf(o.getOperand());
    Index inner(shape.size(), space.constant(0));
    for (auto [d, s] : llvm::zip(o.getOperandBatchingDims(), o.getStartIndicesBatchingDims())) inner[d] = start[s];
    for (int64_t d : o.getStartIndexMap()) inner[d] = fresh(shape[d] - o.getSliceSizes()[d] + 1);
    next = 0;
    for (int64_t d = 0; d < static_cast<int64_t>(shape.size()); ++d)
      if (!llvm::is_contained(o.getCollapsedSliceDims(), d) && !llvm::is_contained(o.getOperandBatchingDims(), d))
        inner[d] = inner[d] + window[next++];
    visit(o.getOperand(), inner);
  }

  void reduction(Operation* op, const Index& index) {
    auto visitReduced = [&](Value operand, ArrayRef<int64_t> dims) {
      Index inner;
      size_t next = 0;
      for (int64_t d = 0; d < ir::rankOf(operand); ++d)
        inner.push_back(llvm::is_contained(dims, d) ? fresh(ir::shapeOf(operand)[d]) : index[next++]);
      visit(operand, inner);
    };
    if (auto reduce = dyn_cast<ir::ReduceOp>(op)) {
      for (Value input : reduce.getInputs()) visitReduced(input, reduce.getDimensions());
    } else if (auto arg = dyn_cast<ir::ArgReduceOp>(op)) {
      visitReduced(arg.getOperand(), {static_cast<int64_t>(arg.getDimension())});
    } else {
      auto dot = cast<ir::DotGeneralOp>(op);
      SmallVector<AffineExpr> k;
      for (int64_t d : dot.getLhsContractingDimensions()) k.push_back(fresh(ir::shapeOf(dot.getLhs())[d]));
      int64_t free = dot.getLhsBatchingDimensions().size();
      auto side = [&](Value operand, ArrayRef<int64_t> batching, ArrayRef<int64_t> contracting) {
        Index inner;
        for (int64_t d = 0; d < ir::rankOf(operand); ++d) {
          auto b = llvm::find(batching, d), c = llvm::find(contracting, d);
          inner.push_back(b != batching.end()      ? index[b - batching.begin()]
                          : c != contracting.end() ? k[c - contracting.begin()]
                                                   : index[free++]);
        }
        visit(operand, inner);
      };
      side(dot.getLhs(), dot.getLhsBatchingDimensions(), dot.getLhsContractingDimensions());
      side(dot.getRhs(), dot.getRhsBatchingDimensions(), dot.getRhsContractingDimensions());
    }
    into.reductions.push_back({op, index});
  }

  IndexSpace& space;
  Accesses& into;
  std::set<std::vector<const void*>> seen;
};

bool consistent(const IndexSpace& space, AffineExpr expr, AffineExpr outer, AffineExpr inner, int64_t innerSize) {
  LinearForm form = space.linear(expr);
  if (form.coefficient(outer) != form.coefficient(inner) * innerSize) return false;
  for (auto& [atom, c] : form.terms) {
    if (isa<AffineDimExpr, AffineSymbolExpr, AffineConstantExpr>(atom)) continue;
    if (!consistent(space, cast<AffineBinaryOpExpr>(atom).getLHS(), outer, inner, innerSize)) return false;
  }
  return true;
}

}  // namespace

void collectAccesses(IndexSpace& space, Value value, ArrayRef<AffineExpr> index, Accesses& into) {
  Collector(space, into).visit(value, Index(index.begin(), index.end()));
}

bool canMerge(const IndexSpace& space, const Accesses& accesses, AffineExpr outer, AffineExpr inner,
              int64_t innerSize) {
  for (const Access& a : accesses.loads)
    if (!consistent(space, a.linear, outer, inner, innerSize)) return false;
  for (AffineExpr e : accesses.computed)
    if (!consistent(space, e, outer, inner, innerSize)) return false;
  return true;
}

double costOf(Operation* op) {
  return TypeSwitch<Operation*, double>(op)
      .Case<ir::ExpOp, ir::Expm1Op, ir::LogOp, ir::Log1pOp, ir::TanhOp, ir::LogisticOp, ir::RsqrtOp>(
          [](Operation*) { return 15; })
      .Case<ir::SinOp, ir::CosOp, ir::TanOp, ir::AsinOp, ir::AcosOp, ir::AtanOp, ir::SinhOp, ir::CoshOp, ir::AsinhOp,
            ir::AcoshOp, ir::AtanhOp, ir::ErfOp, ir::ErfcOp, ir::ErfInvOp, ir::CbrtOp, ir::PowOp, ir::Atan2Op>(
          [](Operation*) { return 30; })
      .Case([](ir::Threefry2x32Op) { return 100; })
      .Case([](ir::DivOp o) { return isa<FloatType>(ir::elementOf(o.getResult())) ? 4 : 25; })
      .Case([](ir::RemOp) { return 25; })
      .Case([](ir::SqrtOp) { return 6; })
      .Case<ir::BroadcastInDimOp, ir::ReshapeOp, ir::TransposeOp, ir::ReverseOp, ir::SliceOp, ir::ConstantOp,
            ir::IotaOp>([](Operation*) { return 0; })
      .Default([](Operation*) { return 1; });
}

}  // namespace nacre::schedule
