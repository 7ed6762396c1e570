#include "codegen/schedule/emission.h"

#include <numeric>

#include "llvm/ADT/TypeSwitch.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace nacre::schedule {

Emitter::Emitter(OpBuilder& ops, Location loc, int64_t vectorBytes)
    : ops(ops), loc(loc), space(ops.getContext()), vectorBytes(vectorBytes) {
  lane_ = space.addSymbol({0, 1});
  symbolValues.push_back(nullptr);
  pushScope();
}

// --- Types and constants. ---

Type Emitter::computeElement(Type element) {
  return element.isBF16() ? Type(Float32Type::get(element.getContext())) : element;
}

RankedTensorType Emitter::tileType(Type element, int64_t lanes) const {
  return lanes ? RankedTensorType::get({lanes}, element) : RankedTensorType::get({}, element);
}

int64_t Emitter::machineLanes(Type element) const {
  return vectorBytes / std::max<int64_t>(4, computeElement(element).getIntOrFloatBitWidth() / 8);
}

Value Emitter::indexConstant(int64_t value) { return arith::ConstantIndexOp::create(ops, loc, value); }

Value Emitter::constantTile(Type element, int64_t lanes, double value) {
  return ir::Builder(ops, loc).constant(tileType(element, lanes), value);
}

Value Emitter::splat(Value scalar, int64_t lanes) {
  if (!lanes) return scalar;
  return tile::SplatOp::create(ops, loc, tileType(ir::elementOf(scalar), lanes), scalar);
}

Value Emitter::fail(Operation* op, const Twine& message) {
  if (!failed_) op->emitOpError() << message;
  failed_ = true;
  Type element = ir::elementOf(op->getResult(0));
  return constantTile(computeElement(element), 0, 0);
}

// --- Index values. ---

AffineExpr Emitter::dim(Value index, Fact fact) {
  AffineExpr expr = space.addDim(fact);
  dimValues.resize(space.numDims());  // dimensions that stand for nothing yet have no value
  dimValues.back() = index;
  return expr;
}

AffineMap Emitter::compact(ArrayRef<AffineExpr> exprs, bool withLane, SmallVector<Value>& operands) {
  SmallVector<AffineExpr> replacements(space.numDims(), ops.getAffineConstantExpr(0));
  int64_t used = 0;
  for (int64_t d = 0; d < space.numDims(); ++d) {
    if (!llvm::any_of(exprs, [&](AffineExpr e) { return e.isFunctionOfDim(d); })) continue;
    replacements[d] = ops.getAffineDimExpr(used++);
    operands.push_back(dimValues[d]);
  }
  SmallVector<AffineExpr> symbols(space.numSymbols(), ops.getAffineConstantExpr(0));
  if (withLane) symbols[0] = ops.getAffineDimExpr(used++);
  SmallVector<AffineExpr> results;
  for (AffineExpr e : exprs) results.push_back(e.replaceDimsAndSymbols(replacements, symbols));
  return AffineMap::get(used, 0, results, ops.getContext());
}

Value Emitter::indexValue(AffineExpr expr) {
  expr = space.simplify(expr);
  if (auto c = dyn_cast<AffineConstantExpr>(expr)) return indexConstant(c.getValue());
  if (auto d = dyn_cast<AffineDimExpr>(expr)) return dimValues[d.getPosition()];
  SmallVector<Value> operands;
  AffineMap map = compact({expr}, false, operands);
  return affine::AffineApplyOp::create(ops, loc, map, operands);
}

Value Emitter::indexTile(AffineExpr expr, int64_t lanes) {
  ir::Builder b(ops, loc);
  Type i64 = ops.getI64Type();
  expr = space.simplify(expr);
  if (!dependsOnSymbols(expr)) {
    if (auto c = dyn_cast<AffineConstantExpr>(expr)) return constantTile(i64, lanes, c.getValue());
    Value scalar = tile::FromIndexOp::create(ops, loc, tileType(i64, 0), indexValue(expr));
    return splat(scalar, lanes);
  }
  if (expr == lane_) return tile::LanesOp::create(ops, loc, tileType(i64, lanes));
  if (auto s = dyn_cast<AffineSymbolExpr>(expr)) return symbolValues[s.getPosition()];
  LinearForm form = space.linear(expr);
  if (form.terms.size() == 1 && form.terms[0].second == 1 && form.constant == 0) {
    // A division: both are of non-negative values wherever the result is used.
    auto division = cast<AffineBinaryOpExpr>(form.terms[0].first);
    Value value = indexTile(division.getLHS(), lanes);
    int64_t divisor = cast<AffineConstantExpr>(division.getRHS()).getValue();
    bool isMod = division.getKind() == AffineExprKind::Mod;
    if (llvm::isPowerOf2_64(divisor)) {
      return isMod ? b.make<ir::AndOp>(value, constantTile(i64, lanes, divisor - 1))
                   : b.make<ir::ShiftRightArithmeticOp>(value, constantTile(i64, lanes, llvm::Log2_64(divisor)));
    }
    Value by = constantTile(i64, lanes, divisor);
    return isMod ? b.make<ir::RemOp>(value, by) : b.div(value, by);
  }
  // The part without lanes is computed as a scalar.
  LinearForm scalar;
  scalar.constant = form.constant;
  Value sum;
  for (auto& [atom, c] : form.terms) {
    if (!dependsOnSymbols(atom)) {
      scalar.add(atom, c);
      continue;
    }
    Value term = indexTile(atom, lanes);
    if (c != 1) term = b.mul(term, constantTile(i64, lanes, c));
    sum = sum ? b.add(sum, term) : term;
  }
  if (!scalar.terms.empty() || scalar.constant) sum = b.add(sum, indexTile(space.rebuild(scalar), lanes));
  return sum;
}

AffineExpr Emitter::indexFromTile(Value tile, Fact fact) {
  if (fact.lower + 1 >= fact.upper) return constant(fact.lower);
  if (tile::isScalarTile(tile.getType())) return dim(tile::ToIndexOp::create(ops, loc, ops.getIndexType(), tile), fact);
  symbolValues.push_back(tile);
  return space.addSymbol(fact);
}

AffineExpr Emitter::clampedStart(Value tile, int64_t most) {
  if (most == 0) return constant(0);
  for (auto& scope : llvm::reverse(scopes)) {
    auto found = scope.starts.find(tile.getAsOpaquePointer());
    if (found != scope.starts.end()) return found->second;
  }
  ir::Builder b(ops, loc);
  Value wide = b.convert(tile, ops.getI64Type());
  wide = b.make<ir::ClampOp>(b.constantLike(wide, 0), wide, b.constantLike(wide, most));
  AffineExpr start = indexFromTile(wide, {0, most + 1});
  scopes.back().starts.insert({tile.getAsOpaquePointer(), start});
  return start;
}

Value Emitter::laneMask(Value valid, int64_t lanes) {
  ir::Builder b(ops, loc);
  if (auto c = getConstantIntValue(valid)) {
    SmallVector<bool> bits(lanes);
    for (int64_t l = 0; l < lanes; ++l) bits[l] = l < *c;
    auto type = tileType(ops.getI1Type(), lanes);
    return ir::ConstantOp::create(ops, loc, type, DenseElementsAttr::get(type, ArrayRef<bool>(bits)));
  }
  Value count = splat(tile::FromIndexOp::create(ops, loc, tileType(ops.getI64Type(), 0), valid), lanes);
  Value lane = tile::LanesOp::create(ops, loc, tileType(ops.getI64Type(), lanes));
  return b.compare(ir::ComparisonDirection::LT, lane, count);
}

// --- Memory. ---

Value Emitter::currentMask(int64_t lanes) {
  if (masks.empty()) return {};
  ir::Builder b(ops, loc);
  Value all = masks[0];
  for (Value m : ArrayRef<Value>(masks).drop_front()) all = b.make<ir::AndOp>(all, m);
  if (lanes) return all;
  // A scalar that is the same for all lanes is there if any of them needs it.
  return tile::ReduceOp::create(ops, loc, tileType(ops.getI1Type(), 0), ir::CombineKind::Or, all);
}

Value Emitter::loadAt(Value buffer, ArrayRef<AffineExpr> position, int64_t lanes) {
  Type element = cast<tile::BufferType>(buffer.getType()).getElementType();
  Index index(position.begin(), position.end());
  bool strided = true;
  for (AffineExpr& expr : index) {
    expr = space.simplify(expr);
    for (auto& [atom, c] : space.linear(expr).terms)
      if (atom != lane_ && dependsOnSymbols(atom)) strided = false;
  }
  Value tile;
  if (!lanes || strided) {
    SmallVector<Value> operands;
    AffineMap map = compact(index, lanes > 0, operands);
    tile = tile::LoadOp::create(ops, loc, tileType(element, lanes), buffer, operands, lanes ? valid_ : Value(),
                                currentMask(lanes), AffineMapAttr::get(map));
  } else {
    Value mask = currentMask(lanes);
    if (valid_) {
      Value exists = laneMask(valid_, lanes);
      mask = mask ? ir::Builder(ops, loc).make<ir::AndOp>(mask, exists) : exists;
    }
    SmallVector<Value> tiles;
    for (AffineExpr expr : index) tiles.push_back(indexTile(expr, lanes));
    tile = tile::GatherOp::create(ops, loc, tileType(element, lanes), buffer, tiles, mask);
  }
  return ir::Builder(ops, loc).convert(tile, computeElement(element));
}

void Emitter::store(Value tile, Value buffer, AffineExpr linear) { storeAt(tile, buffer, {space.simplify(linear)}); }

void Emitter::storeAt(Value tile, Value buffer, ArrayRef<AffineExpr> index) {
  Type element = cast<tile::BufferType>(buffer.getType()).getElementType();
  tile = ir::Builder(ops, loc).convert(tile, element);
  bool lanes = !tile::isScalarTile(tile.getType());
  Index where(index.begin(), index.end());
  // Where a single lane is valid the expressions have lost it; the map keeps the form of a contiguous store.
  if (lanes && !llvm::any_of(where, dependsOnSymbols)) where.back() = where.back() + lane_;
  SmallVector<Value> operands;
  AffineMap map = compact(where, lanes, operands);
  tile::StoreOp::create(ops, loc, tile, buffer, operands, lanes ? valid_ : Value(), currentMask(lanes),
                        AffineMapAttr::get(map), ops.getBoolAttr(false));
}

Value Emitter::scratch(ArrayRef<int64_t> shape, Type element) {
  // At the start of the kernel, so that it can be used everywhere.
  OpBuilder::InsertionGuard guard(ops);
  Block* entry = ops.getInsertionBlock();
  while (!isa<tile::FuncOp>(entry->getParentOp())) entry = entry->getParentOp()->getBlock();
  ops.setInsertionPointToStart(entry);
  return tile::ScratchOp::create(ops, loc, tile::BufferType::get(ops.getContext(), shape, element));
}

void Emitter::bind(Value value, Value buffer, Address address) {
  bindings[value.getAsOpaquePointer()] = {buffer, std::move(address)};
}

// --- Memory of what was emitted. ---

void Emitter::simplify(Position& at) const {
  bool anyLane = false;
  for (AffineExpr& e : at.index) {
    e = space.simplify(e);
    anyLane |= dependsOnSymbols(e);
  }
  if (!anyLane) at.lanes = 0;
}

Emitter::Key Emitter::key(Value value, const Position& at, int64_t maskId) const {
  std::vector<const void*> index;
  for (AffineExpr e : at.index) index.push_back(e.getAsOpaquePointer());
  return {value.getAsOpaquePointer(), at.lanes, maskId, index};
}

int64_t Emitter::maskIdFor(const Position& at) const { return at.lanes || !masks.empty() ? maskIds.back() : 0; }

void Emitter::remember(Value value, const Position& position, Value tile) {
  Position at = position;
  simplify(at);
  // Where a single lane is valid the position is a scalar's; it will be emitted as one.
  if (!at.lanes && !tile::isScalarTile(tile.getType())) return;
  scopes.back().tiles[key(value, at, maskIdFor(at))] = tile;
}

Value Emitter::recall(Value value, const Position& position) {
  Position at = position;
  simplify(at);
  // What was emitted under fewer masks will do too.
  SmallVector<int64_t> ids(llvm::reverse(ArrayRef<int64_t>(maskIds).drop_front(firstMaskId)));
  if (!at.lanes) ids.push_back(0);
  for (int64_t id : ids) {
    Key k = key(value, at, id);
    for (auto& scope : llvm::reverse(scopes)) {
      auto found = scope.tiles.find(k);
      if (found != scope.tiles.end()) return found->second;
    }
  }
  return {};
}

Value Emitter::emit(Value value, const Position& position) {
  Position at = position;
  simplify(at);
  Value tile = recall(value, at);
  if (!tile) {
    tile = compute(value, at);
    scopes.back().tiles[key(value, at, maskIdFor(at))] = tile;
  }
  if (position.lanes && !at.lanes) {
    // Spread once per scope; a constant becomes a constant of that many lanes.
    Key spread{tile.getAsOpaquePointer(), position.lanes, 0, {}};
    for (auto& scope : llvm::reverse(scopes)) {
      auto found = scope.tiles.find(spread);
      if (found != scope.tiles.end()) return found->second;
    }
    Value lanes;
    if (auto c = tile.getDefiningOp<ir::ConstantOp>()) {
      auto type = tileType(ir::elementOf(tile), position.lanes);
      lanes = ir::ConstantOp::create(ops, loc, type, cast<DenseElementsAttr>(c.getValue()).resizeSplat(type));
    } else {
      lanes = splat(tile, position.lanes);
    }
    scopes.back().tiles[spread] = lanes;
    return lanes;
  }
  return tile;
}

std::optional<Index> operandIndex(const IndexSpace& space, Operation* op, unsigned operand,
                                  ArrayRef<AffineExpr> index) {
  using Result = std::optional<Index>;
  return TypeSwitch<Operation*, Result>(op)
      .Case([&](ir::BroadcastInDimOp o) {
        Index result;
        for (auto [size, d] : llvm::zip(ir::shapeOf(o.getOperand()), o.getBroadcastDimensions()))
          result.push_back(size == 1 ? space.constant(0) : index[d]);
        return Result(result);
      })
      .Case([&](ir::ReshapeOp o) {
        AffineExpr position = space.linearize(index, ir::shapeOf(o.getResult()));
        return Result(space.delinearize(position, ir::shapeOf(o.getOperand())));
      })
      .Case([&](ir::TransposeOp o) {
        Index result(index.size(), space.constant(0));
        for (auto [i, d] : llvm::enumerate(o.getPermutation())) result[d] = index[i];
        return Result(result);
      })
      .Case([&](ir::ReverseOp o) {
        Index result(index.begin(), index.end());
        for (int64_t d : o.getDimensions()) result[d] = space.constant(ir::shapeOf(o.getOperand())[d] - 1) - index[d];
        return Result(result);
      })
      .Case([&](ir::SliceOp o) {
        Index result;
        for (size_t i = 0; i < index.size(); ++i)
          result.push_back(index[i] * o.getStrides()[i] + o.getStartIndices()[i]);
        return Result(result);
      })
      .Default([&](Operation* o) {
        bool sameWidthBitcast =
            isa<ir::BitcastConvertOp>(o) && ir::rankOf(o->getOperand(0)) == ir::rankOf(o->getResult(0));
        if (o->hasTrait<ir::Elementwise>() || sameWidthBitcast || isa<ir::OptimizationBarrierOp>(o))
          return Result(Index(index.begin(), index.end()));
        return Result();
      });
}

Value Emitter::compute(Value value, const Position& at) {
  auto bound = bindings.find(value.getAsOpaquePointer());
  if (bound != bindings.end()) return loadAt(bound->second.buffer, bound->second.address(at.index), at.lanes);
  Operation* op = value.getDefiningOp();
  assert(op && "arguments of the kernel are bound");
  return TypeSwitch<Operation*, Value>(op)
      .Case([&](ir::ConstantOp o) { return emitConstant(o, at); })
      .Case([&](ir::IotaOp o) { return emitIota(o, at); })
      .Case<ir::BroadcastInDimOp, ir::ReshapeOp, ir::TransposeOp, ir::ReverseOp, ir::SliceOp>([&](Operation* o) {
        return emit(o->getOperand(0), {*operandIndex(space, o, 0, at.index), at.lanes});
      })
      .Case([&](ir::PadOp o) { return emitPad(o, at); })
      .Case([&](ir::ConcatenateOp o) { return emitConcatenate(o, at); })
      .Case([&](ir::DynamicSliceOp o) { return emitDynamicSlice(o, at); })
      .Case([&](ir::DynamicUpdateSliceOp o) { return emitDynamicUpdateSlice(o, at); })
      .Case([&](ir::GatherOp o) { return emitGather(o, at); })
      .Case<ir::ReduceOp, ir::ArgReduceOp, ir::DotGeneralOp>([&](Operation* o) {
        emitReductions(Job{o, at});
        return recall(value, at);
      })
      .Case(
          [&](ir::OptimizationBarrierOp o) { return emit(o.getInputs()[cast<OpResult>(value).getResultNumber()], at); })
      .Default([&](Operation* o) { return emitElementwise(o, value, at); });
}

// --- Control. ---

SmallVector<Value> Emitter::loop(int64_t lower, int64_t upper, int64_t step, ValueRange initial, Body body) {
  if (upper <= lower) return SmallVector<Value>(initial);
  if (upper - lower <= step) {
    pushScope();
    SmallVector<Value> results = body(constant(lower), initial);
    popScope();
    return results;
  }
  int64_t multiple = lower == 0 ? step : std::gcd(lower, step);
  int64_t last = lower + (upper - lower - 1) / step * step;
  return loop(indexConstant(lower), indexConstant(upper), step, {lower, last + 1, multiple}, initial, body);
}

SmallVector<Value> Emitter::loop(Value lower, Value upper, int64_t step, Fact fact, ValueRange initial, Body body) {
  auto loop = scf::ForOp::create(ops, loc, lower, upper, indexConstant(step), initial);
  OpBuilder::InsertionGuard guard(ops);
  Block* block = loop.getBody();
  if (!block->empty()) block->back().erase();  // a terminator is there when nothing is carried
  ops.setInsertionPointToEnd(block);
  pushScope();
  SmallVector<Value> results = body(dim(loop.getInductionVar(), fact), loop.getRegionIterArgs());
  popScope();
  scf::YieldOp::create(ops, loc, results);
  return loop.getResults();
}

Value Emitter::ifElse(Value condition, llvm::function_ref<Value()> onTrue, llvm::function_ref<Value()> onFalse) {
  auto emitBranch = [&](Block* block, llvm::function_ref<Value()> make) {
    OpBuilder::InsertionGuard guard(ops);
    ops.setInsertionPointToEnd(block);
    pushScope();
    Value v = make();
    popScope();
    scf::YieldOp::create(ops, loc, v);
    return v.getType();
  };
  // The type is known only when the first branch is emitted; the branches then move to an op that has it.
  auto probe = scf::IfOp::create(ops, loc, TypeRange{}, condition, /*addThenBlock=*/true, /*addElseBlock=*/true);
  for (Region& r : probe->getRegions())
    if (!r.front().empty()) r.front().back().erase();
  Type type = emitBranch(&probe.getThenRegion().front(), onTrue);
  emitBranch(&probe.getElseRegion().front(), onFalse);
  auto result = scf::IfOp::create(ops, loc, TypeRange{type}, condition, false, false);
  result.getThenRegion().takeBody(probe.getThenRegion());
  result.getElseRegion().takeBody(probe.getElseRegion());
  probe.erase();
  return result.getResult(0);
}

void Emitter::ifThen(Value condition, llvm::function_ref<void()> body) {
  auto branch = scf::IfOp::create(ops, loc, TypeRange{}, condition, true, false);
  OpBuilder::InsertionGuard guard(ops);
  ops.setInsertionPointToStart(&branch.getThenRegion().front());
  pushScope();
  body();
  popScope();
  Block* block = ops.getInsertionBlock();
  if (block->empty() || !block->back().hasTrait<OpTrait::IsTerminator>()) scf::YieldOp::create(ops, loc);
}

void Emitter::withLanes(int64_t count, Value valid, llvm::function_ref<void()> body) {
  Value outerValid = valid_;
  pushScope();
  std::optional<int64_t> existing = valid ? getConstantIntValue(valid) : std::nullopt;
  Fact outerFact = space.symbol(0);
  space.setSymbol(0, {0, std::max<int64_t>(existing.value_or(count), 1)});
  valid_ = valid;
  size_t outerFirst = firstMaskId;
  firstMaskId = maskIds.size();
  maskIds.push_back(nextMaskId++);
  body();
  maskIds.pop_back();
  firstMaskId = outerFirst;
  valid_ = outerValid;
  space.setSymbol(0, outerFact);
  popScope();
}

void Emitter::withMask(Value mask, llvm::function_ref<void()> body) {
  masks.push_back(mask);
  maskIds.push_back(nextMaskId++);
  pushScope();
  body();
  popScope();
  maskIds.pop_back();
  masks.pop_back();
}

}  // namespace nacre::schedule
