#include "codegen/cpu/lowering.h"
#include "mlir/IR/AffineExprVisitor.h"

namespace nacre::cpu {

using namespace mlir;

// Where the lanes of a tile are: at pointer + stride * lane elements, or, if the map is not linear in the lane, at
// one pointer each.
struct Lowering::Address {
  Value pointer;                  // a scalar, or a vector of pointers
  std::optional<int64_t> stride;  // absent: `pointer` is a vector
};

namespace {

// expr as base + stride * d, if it is linear in dim d. The base has no d.
std::optional<std::pair<AffineExpr, int64_t>> splitLane(AffineExpr expr, unsigned d) {
  if (!expr.isFunctionOfDim(d)) return std::pair(expr, int64_t(0));
  if (isa<AffineDimExpr>(expr)) return std::pair(getAffineConstantExpr(0, expr.getContext()), int64_t(1));
  auto binary = dyn_cast<AffineBinaryOpExpr>(expr);
  if (!binary) return std::nullopt;
  auto x = splitLane(binary.getLHS(), d), y = splitLane(binary.getRHS(), d);
  if (!x || !y) return std::nullopt;
  if (expr.getKind() == AffineExprKind::Add) return std::pair(x->first + y->first, x->second + y->second);
  if (expr.getKind() != AffineExprKind::Mul) return std::nullopt;
  if (auto c = dyn_cast<AffineConstantExpr>(binary.getRHS()))
    return std::pair(x->first * c.getValue(), x->second * c.getValue());
  return std::nullopt;
}

AffineExpr linearise(AffineMap map, ArrayRef<int64_t> shape) {
  AffineExpr sum = getAffineConstantExpr(0, map.getContext());
  int64_t stride = 1;
  for (int64_t i = shape.size(); i-- > 0; stride *= shape[i]) sum = sum + map.getResult(i) * stride;
  return simplifyAffineExpr(sum, map.getNumDims(), map.getNumSymbols());
}

}  // namespace

// Offsets are i32 where the buffer is small enough: gathers with i32 offsets take half the registers.
static Type offsetType(MLIRContext* context, int64_t elements) {
  return IntegerType::get(context, elements < (int64_t(1) << 31) ? 32 : 64);
}

Lowering::Address Lowering::addressOf(tile::BufferType buffer, Value base, AffineMap map, ValueRange indices,
                                      Type tile) {
  Type element = storage(buffer.getElementType());
  AffineExpr offset = linearise(map, buffer.getShape());
  if (tile::isScalarTile(tile)) return {e.offset(base, element, affineValue(offset, indices)), 0};
  unsigned lane = indices.size();
  if (auto split = splitLane(offset, lane))
    return {e.offset(base, element, affineValue(split->first, indices)), split->second};
  SmallVector<Value> dims = llvm::to_vector(indices);
  dims.push_back(e.iota(Emit::withLanes(builder_.getI64Type(), tile::lanesOf(tile))));
  Value offsets = affineValue(offset, dims);
  offsets = e.intCast(offsets, offsetType(builder_.getContext(), buffer.tensorType().getNumElements()), true);
  return {e.offset(base, element, offsets), std::nullopt};
}

// i1 lanes that are accessed, or null if all are.
Value Lowering::maskOf(Value valid, Value mask, Type tile) {
  int64_t lanes = tile::lanesOf(tile);
  Value result;
  if (valid) {
    Value count = get(valid);
    if (auto c = count.getDefiningOp<llvmir::ConstantOp>(); c && cast<IntegerAttr>(c.getValue()).getInt() >= lanes)
      count = Value();
    if (count) {
      count = e.smax(e.smin(count, e.index(lanes)), e.index(0));
      Value narrow = e.intCast(count, builder_.getI32Type(), true);
      Value lane = e.iota(Emit::withLanes(builder_.getI32Type(), lanes));
      result = e.icmp(ICmpPredicate::slt, lane, e.splat(narrow, lanes));
    }
  }
  if (mask) {
    Value given = get(mask);
    if (tile::isScalarTile(tile)) given = e.splat(given, 1);
    result = result ? e.and_(result, given) : given;
  }
  return result;
}

// One element per pointer; lanes with a false mask (null: none) are 0.
Value Lowering::gatherFrom(Value pointers, Value mask, Type storageElement) {
  Type type = e.like(pointers, storageElement);
  unsigned alignment = storageElement.getIntOrFloatBitWidth() / 8;
  if (!mask) mask = e.boolean(e.like(pointers, builder_.getI1Type()), true);
  Value zero = e.bitcast(e.integer(e.bitsTypeOf(type), 0), storageElement);
  return llvmir::masked_gather::create(builder_, e.loc, type, pointers, mask, ValueRange{zero},
                                       builder_.getI32IntegerAttr(alignment));
}

Value Lowering::loadMasked(Value pointer, Value mask, Type type) {
  unsigned alignment = Emit::widthOf(type) / 8;
  Value zero = e.bitcast(e.integer(e.bitsTypeOf(type), 0), Emit::elementOf(type));
  return llvmir::MaskedLoadOp::create(builder_, e.loc, type, pointer, mask, zero, builder_.getI32IntegerAttr(alignment),
                                      UnitAttr());
}

// From memory's form to a register's: only i1 differs.
Value Lowering::fromStorage(Value v, Type element) {
  return element.isInteger(1) ? e.icmp(ICmpPredicate::ne, v, int64_t(0)) : v;
}

Value Lowering::reverseLanes(Value v) {
  int64_t lanes = Emit::lanesOf(v.getType());
  SmallVector<int32_t> order;
  for (int64_t i = lanes; i-- > 0;) order.push_back(i);
  return e.shuffle(v, e.poison(v.getType()), order);
}

void Lowering::lowerLoad(tile::LoadOp op) {
  Type tileType = op.getTile().getType(), element = op.getBuffer().getType().getElementType();
  Type memory = storage(element);
  Address at = addressOf(op.getBuffer().getType(), get(op.getBuffer()), op.getMap(), get(op.getIndices()), tileType);
  Value mask = maskOf(op.getValid(), op.getMask(), tileType);
  int64_t lanes = tile::lanesOf(tileType);
  bool scalar = tile::isScalarTile(tileType);
  Type vector = Emit::withLanes(memory, lanes);
  Value v;
  if (scalar || at.stride == 0) {
    if (!mask) {
      v = e.load(memory, at.pointer);
    } else {
      // Nothing is read where no lane asks.
      Value any = e.splat(e.any(mask), 1);
      v = e.extract(loadMasked(at.pointer, any, Emit::withLanes(memory, 1)), 0);
    }
    if (!scalar) v = e.splat(v, lanes);
    if (!scalar && mask) v = e.select(mask, v, e.bitcast(e.integer(e.bitsTypeOf(vector), 0), memory));
  } else if (at.stride == 1 || at.stride == -1) {
    bool reversed = at.stride == -1;
    if (reversed) at.pointer = e.offset(at.pointer, memory, 1 - lanes);
    if (mask && reversed) mask = reverseLanes(mask);
    v = mask ? loadMasked(at.pointer, mask, vector) : e.load(vector, at.pointer);
    if (reversed) v = reverseLanes(v);
  } else {
    if (at.stride) at.pointer = strided(at, memory, lanes);
    v = gatherFrom(at.pointer, mask, memory);
  }
  set(op.getTile(), fromStorage(v, element));
}

// The pointer of every lane.
Value Lowering::strided(Address at, Type memory, int64_t lanes) {
  Type type = Emit::withLanes(offsetType(builder_.getContext(), std::abs(*at.stride) * lanes), lanes);
  return e.offset(at.pointer, memory, e.iota(type, 0, *at.stride));
}

void Lowering::lowerStore(tile::StoreOp op) {
  Type tileType = op.getTile().getType(), element = op.getBuffer().getType().getElementType();
  Type memory = storage(element);
  Value v = get(op.getTile());
  if (element.isInteger(1)) v = e.intCast(v, memory, false);
  Address at = addressOf(op.getBuffer().getType(), get(op.getBuffer()), op.getMap(), get(op.getIndices()), tileType);
  Value mask = maskOf(op.getValid(), op.getMask(), tileType);
  int64_t lanes = tile::lanesOf(tileType);
  auto alignment = builder_.getI32IntegerAttr(Emit::widthOf(memory) / 8);
  if (tile::isScalarTile(tileType)) {
    if (!mask) return e.store(v, at.pointer);
    llvmir::MaskedStoreOp::create(builder_, e.loc, e.splat(v, 1), at.pointer, mask, alignment);
  } else if (at.stride == 1 || at.stride == -1) {
    if (at.stride == -1) {
      at.pointer = e.offset(at.pointer, memory, 1 - lanes);
      v = reverseLanes(v);
      if (mask) mask = reverseLanes(mask);
    }
    if (mask)
      llvmir::MaskedStoreOp::create(builder_, e.loc, v, at.pointer, mask, alignment);
    else if (op.getStreaming())
      storeStreaming(v, at.pointer);
    else
      e.store(v, at.pointer);
  } else {
    if (at.stride) at.pointer = strided(at, memory, lanes);
    if (!mask) mask = e.boolean(Emit::withLanes(builder_.getI1Type(), lanes), true);
    llvmir::masked_scatter::create(builder_, e.loc, v, at.pointer, mask, alignment);
  }
}

// Past the caches where the address is aligned, which streaming needs; a slice of a buffer may not be.
void Lowering::storeStreaming(Value v, Value pointer) {
  int64_t bytes = Emit::lanesOf(v.getType()) * Emit::widthOf(v.getType()) / 8;
  if (bytes % target_.vectorBytes) return e.store(v, pointer);
  streams_ = true;
  Value address = llvmir::PtrToIntOp::create(builder_, e.loc, builder_.getI64Type(), pointer);
  Value aligned = e.icmp(ICmpPredicate::eq, e.and_(address, target_.vectorBytes - 1), int64_t(0));
  Block* exit = e.splitBlock({});
  Block* fast = e.newBlock(exit);
  Block* slow = e.newBlock(exit);
  e.condBr(aligned, fast, {}, slow, {});
  builder_.setInsertionPointToStart(fast);
  e.store(v, pointer, target_.vectorBytes, /*streaming=*/true);
  e.br(exit);
  builder_.setInsertionPointToStart(slow);
  e.store(v, pointer);
  e.br(exit);
  builder_.setInsertionPointToStart(exit);
}

void Lowering::lowerGather(tile::GatherOp op) {
  tile::BufferType buffer = op.getBuffer().getType();
  Type tileType = op.getTile().getType(), memory = storage(buffer.getElementType());
  bool scalar = tile::isScalarTile(tileType);
  Type indexElement = offsetType(builder_.getContext(), buffer.tensorType().getNumElements());
  Value offset;
  for (auto [index, size] : llvm::zip_equal(op.getIndices(), buffer.getShape())) {
    Value i = scalar ? get(index) : e.intCast(get(index), indexElement, true);
    offset = offset ? e.add(e.mul(offset, size), i) : i;
  }
  Value base = get(op.getBuffer());
  Value mask = op.getMask() ? get(op.getMask()) : Value();
  if (!offset) offset = scalar ? e.index(0) : e.integer(Emit::withLanes(indexElement, tile::lanesOf(tileType)), 0);
  Value pointers = e.offset(base, memory, offset);
  Value v;
  if (!scalar)
    v = gatherFrom(pointers, mask, memory);
  else if (mask)
    v = e.extract(loadMasked(pointers, e.splat(mask, 1), Emit::withLanes(memory, 1)), 0);
  else
    v = e.load(memory, pointers);
  set(op.getTile(), fromStorage(v, buffer.getElementType()));
}

LogicalResult Lowering::lowerMemoryOp(Operation* op) {
  if (auto load = dyn_cast<tile::LoadOp>(op)) return lowerLoad(load), success();
  if (auto store = dyn_cast<tile::StoreOp>(op)) return lowerStore(store), success();
  if (auto gather = dyn_cast<tile::GatherOp>(op)) return lowerGather(gather), success();
  if (auto prefetch = dyn_cast<tile::PrefetchOp>(op)) {
    tile::BufferType buffer = prefetch.getBuffer().getType();
    AffineExpr offset = linearise(prefetch.getMap(), buffer.getShape());
    Value pointer = e.offset(get(prefetch.getBuffer()), storage(buffer.getElementType()),
                             affineValue(offset, get(prefetch.getIndices())));
    // Read, keep in all caches, data.
    llvmir::Prefetch::create(builder_, e.loc, pointer, 0, 3, 1);
    return success();
  }
  if (auto same = dyn_cast<tile::SameMemoryOp>(op)) {
    Value x = llvmir::PtrToIntOp::create(builder_, e.loc, builder_.getI64Type(), get(same.getLhs()));
    Value y = llvmir::PtrToIntOp::create(builder_, e.loc, builder_.getI64Type(), get(same.getRhs()));
    set(same, e.icmp(ICmpPredicate::eq, x, y));
    return success();
  }
  return failure();
}

}  // namespace nacre::cpu
