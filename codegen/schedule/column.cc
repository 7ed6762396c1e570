// Reductions whose last dimension stays: lanes along it, several vectors wide, a loop over the reduced dimension.
#include "codegen/schedule/iteration.h"
#include "codegen/schedule/stages.h"

using namespace mlir;

namespace nacre::schedule {
namespace {

struct Domain {
  int64_t outer, reduced, inner;
};

Domain domainOf(Kernel& kernel) {
  if (auto given = kernel.domain(3)) return {(*given)[0], (*given)[1], (*given)[2]};
  for (Operation& op : kernel.source.front()) {
    auto reduce = dyn_cast<ir::ReduceOp>(op);
    if (!reduce) continue;
    Domain domain{1, 1, 1};
    int64_t last = *llvm::max_element(reduce.getDimensions());
    for (auto [d, size] : llvm::enumerate(ir::shapeOf(reduce.getInputs()[0]))) {
      if (llvm::is_contained(reduce.getDimensions(), static_cast<int64_t>(d)))
        domain.reduced *= size;
      else
        (static_cast<int64_t>(d) > last ? domain.inner : domain.outer) *= size;
    }
    return domain;
  }
  return {1, 1, numElements(kernel.results[0])};
}

}  // namespace

void emitColumn(Kernel& kernel) {
  Emitter& e = kernel.e;
  Domain domain = domainOf(kernel);
  bool keptOutputs =
      llvm::all_of(kernel.results, [&](Value v) { return numElements(v) == domain.outer * domain.inner; });
  if (domain.inner == 1 && keptOutputs) return emitRow(kernel);
  if (!keptOutputs) return emitPointwise(kernel);
  kernel.choice = "lanes along the kept dimension";
  Stages stages(kernel, domain.outer * domain.reduced * domain.inner);
  size_t reductions = 0;
  for (int64_t s = 0; s < stages.count(); ++s) reductions = std::max(reductions, stages.reductions(s).size());
  const int64_t lanes = lanesFor(domain.inner, kernel.lanes());
  const int64_t wide = reductions <= 2 ? 4 : reductions <= 4 ? 2 : 1;

  // Everything for the vectors at the positions, of `lanes` lanes each.
  auto emitAt = [&](ArrayRef<AffineExpr> positions) {
    for (int64_t s = 0; s < stages.count(); ++s) {
      SmallVector<Job> jobs;
      for (Operation* op : stages.reductions(s)) {
        for (AffineExpr p : positions) {
          Job job{op, {kernel.at(op->getResult(0), p + e.lane()), lanes}};
          if (Emitter::reducedExtent(op) == domain.reduced)
            jobs.push_back(job);
          else
            e.emitReductions(job);
        }
      }
      if (!jobs.empty()) e.emitReductions(jobs);
    }
    for (AffineExpr p : positions) {
      for (auto [v, buffer] : llvm::zip(kernel.results, kernel.outputBuffers))
        e.store(e.emit(v, {kernel.at(v, p + e.lane()), lanes}), buffer, p + e.lane());
    }
  };
  auto emitRange = [&](AffineExpr start, int64_t length) {
    const int64_t step = lanes * wide, whole = length / step * step;
    e.withLanes(lanes, nullptr, [&] {
      e.loop(0, whole, step, {}, [&](AffineExpr i, ValueRange) {
        SmallVector<AffineExpr> positions;
        for (int64_t u = 0; u < wide; ++u) positions.push_back(start + i + u * lanes);
        emitAt(positions);
        return SmallVector<Value>();
      });
      SmallVector<AffineExpr> positions;
      for (int64_t i = whole; i + lanes <= length; i += lanes) positions.push_back(start + i);
      if (!positions.empty()) emitAt(positions);
    });
    if (int64_t rest = length % lanes)
      e.withLanes(lanes, e.indexConstant(rest), [&] { emitAt({start + (length - rest)}); });
  };
  const int64_t total = domain.outer * domain.reduced * domain.inner;
  const int64_t target = std::max<int64_t>(lanes * wide, programTarget(total) / std::max<int64_t>(1, domain.reduced));
  Chunks chunks = chunksOf(domain.inner, target, lanes * wide);
  kernel.setGrid(domain.outer * chunks.count());
  SmallVector<AffineExpr> split = splitIndex(e, kernel.program, {domain.outer, chunks.count()});
  forChunk(e, chunks, split[1],
           [&](AffineExpr start, int64_t length) { emitRange(split[0] * domain.inner + start, length); });
}

}  // namespace nacre::schedule
