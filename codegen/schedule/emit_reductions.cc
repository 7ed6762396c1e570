// The loops of reductions: along lanes for scalar positions, across loop steps for positions that have lanes.
#include <algorithm>
#include <numeric>

#include "codegen/schedule/reduction.h"

using namespace mlir;

namespace nacre::schedule {
namespace {

// Steps that one accumulator of a float sum takes in a row before it is added to an outer one: the error grows with
// the square root of this and of the number of blocks, not with the length.
constexpr int64_t kBlockSteps = 256;

}  // namespace

int64_t Emitter::reducedExtent(Operation* op) {
  if (auto reduce = dyn_cast<ir::ReduceOp>(op)) {
    int64_t n = 1;
    for (int64_t d : reduce.getDimensions()) n *= ir::shapeOf(reduce.getInputs()[0])[d];
    return n;
  }
  if (auto dot = dyn_cast<ir::DotGeneralOp>(op)) {
    int64_t n = 1;
    for (int64_t d : dot.getLhsContractingDimensions()) n *= ir::shapeOf(dot.getLhs())[d];
    return n;
  }
  auto arg = cast<ir::ArgReduceOp>(op);
  return ir::shapeOf(arg.getOperand())[arg.getDimension()];
}

void Emitter::emitReductions(ArrayRef<Job> jobs, OnStep onStep) {
  const int64_t extent = reducedExtent(jobs[0].op);
  const bool row = jobs[0].at.lanes == 0;
  std::vector<std::pair<Accumulation, Position>> parts;
  for (const Job& job : jobs) {
    Position at = job.at;
    for (AffineExpr& e : at.index) e = space.simplify(e);
    parts.push_back({Accumulation(*this, job.op), at});
  }
  // Vectors along the reduced extent, or the lanes of the positions.
  int64_t lanes = jobs[0].at.lanes;
  if (row) {
    lanes = machineLanes(parts[0].first.element());
    for (auto& [a, at] : parts) lanes = std::max(lanes, machineLanes(a.element()));
    if (extent < lanes) lanes = llvm::PowerOf2Ceil(std::max<int64_t>(extent, 2));
  }
  const int64_t unit = row ? lanes : 1;
  // Independent accumulators hide the latency of additions; with several jobs there are enough of them sooner.
  int64_t copies =
      std::clamp<int64_t>(extent / unit, 1, std::max<int64_t>(1, 4 / (parts.size() > 2 ? 4 : parts.size())));
  copies = llvm::bit_floor(static_cast<uint64_t>(copies));

  auto initial = [&] {
    SmallVector<Value> all;
    for (int64_t c = 0; c < copies; ++c)
      for (auto& [a, at] : parts) llvm::append_range(all, a.initial(lanes));
    return all;
  };
  // One step for copy c of every part at the reduced position.
  auto advance = [&](SmallVector<Value>& all, int64_t c, AffineExpr position, Value exists) {
    size_t width = 0;
    for (auto& [a, at] : parts) width += a.numAccumulators();
    size_t next = c * width;
    for (auto& [a, at] : parts) {
      Index reduced = space.delinearize(position, a.reducedShape());
      size_t n = a.numAccumulators();
      SmallVector<Value> moved = a.step(ArrayRef<Value>(all).slice(next, n), at, reduced, lanes, exists);
      std::copy(moved.begin(), moved.end(), all.begin() + next);
      next += n;
    }
    if (onStep) onStep(position, lanes);
  };
  auto combineAll = [&](ArrayRef<Value> x, ArrayRef<Value> y) {
    SmallVector<Value> all;
    size_t next = 0;
    while (next < x.size())
      for (auto& [a, at] : parts) {
        size_t n = a.numAccumulators();
        llvm::append_range(all, a.combine(x.slice(next, n), y.slice(next, n)));
        next += n;
      }
    return all;
  };

  const AffineExpr laneOffset = row ? lane() : constant(0);
  SmallVector<Value> all;
  auto run = [&] {
    const int64_t stride = unit * copies;
    const int64_t whole = extent / stride * stride;
    auto body = [&](AffineExpr position, ValueRange carried) {
      SmallVector<Value> state(carried);
      for (int64_t c = 0; c < copies; ++c) advance(state, c, position + c * unit + laneOffset, nullptr);
      return state;
    };
    const bool blocked = parts[0].first.needsBlocks() && whole > 2 * kBlockSteps * stride;
    const int64_t block = kBlockSteps * stride;
    const int64_t inBlocks = blocked ? whole / block * block : 0;
    all = initial();
    if (blocked) {
      all = loop(0, inBlocks, block, all, [&](AffineExpr start, ValueRange outer) {
        Value lower = indexValue(start), upper = indexValue(start + block);
        SmallVector<Value> inner = loop(lower, upper, stride, {0, inBlocks, stride}, initial(), body);
        return combineAll(SmallVector<Value>(outer), inner);
      });
    }
    all = loop(inBlocks, whole, stride, all, body);
    int64_t done = whole;
    int64_t c = 0;
    for (; done + unit <= extent; done += unit) advance(all, c++ % copies, constant(done) + laneOffset, nullptr);
    if (done < extent) {
      Value valid = indexConstant(extent - done);
      withLanes(lanes, valid, [&] { advance(all, c % copies, constant(done) + lane(), laneMask(valid, lanes)); });
    }
  };
  if (row)
    withLanes(lanes, nullptr, run);
  else
    run();

  // Copies combine by halves, then lanes.
  size_t width = all.size() / copies;
  for (int64_t n = copies / 2; n >= 1; n /= 2)
    all = combineAll(ArrayRef<Value>(all).take_front(n * width), ArrayRef<Value>(all).slice(n * width, n * width));
  size_t next = 0;
  for (auto& [a, at] : parts) {
    SmallVector<Value> own(ArrayRef<Value>(all).slice(next, a.numAccumulators()));
    next += own.size();
    if (row) own = a.acrossLanes(own);
    a.finish(own, at);
  }
}

}  // namespace nacre::schedule
