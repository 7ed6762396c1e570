#include "codegen/cpu/emit.h"

#include "mlir/IR/BuiltinOps.h"

namespace nacre::cpu {

using namespace mlir;

Type Emit::elementOf(Type t) {
  if (auto v = dyn_cast<VectorType>(t)) return v.getElementType();
  return t;
}

int64_t Emit::lanesOf(Type t) {
  auto v = dyn_cast<VectorType>(t);
  return v ? v.getDimSize(0) : 0;
}

Type Emit::withLanes(Type element, int64_t lanes) { return lanes ? VectorType::get({lanes}, element) : element; }

Type Emit::bitsTypeOf(Type t) { return like(t, intType(widthOf(t))); }

Value Emit::constant(Type t, double value) {
  Type element = elementOf(t);
  TypedAttr attr = FloatAttr::get(element, value);
  if (auto v = dyn_cast<VectorType>(t)) attr = DenseElementsAttr::get(v, attr);
  return llvmir::ConstantOp::create(b, loc, t, attr);
}

Value Emit::integer(Type t, int64_t value) {
  Type element = elementOf(t);
  APInt bits(element.getIntOrFloatBitWidth(), static_cast<uint64_t>(value), /*isSigned=*/true, /*implicitTrunc=*/true);
  TypedAttr attr = IntegerAttr::get(element, bits);
  if (auto v = dyn_cast<VectorType>(t)) attr = DenseElementsAttr::get(v, attr);
  return llvmir::ConstantOp::create(b, loc, t, attr);
}

Value Emit::floatBits(Type t, uint64_t bits) {
  auto element = cast<FloatType>(elementOf(t));
  APFloat value(element.getFloatSemantics(), APInt(element.getWidth(), bits));
  TypedAttr attr = FloatAttr::get(element, value);
  if (auto v = dyn_cast<VectorType>(t)) attr = DenseElementsAttr::get(v, attr);
  return llvmir::ConstantOp::create(b, loc, t, attr);
}

Value Emit::iota(Type vectorType, int64_t start, int64_t step) {
  auto type = cast<VectorType>(vectorType);
  unsigned width = widthOf(type);
  SmallVector<APInt> values;
  for (int64_t i = 0; i < type.getDimSize(0); ++i)
    values.emplace_back(width, static_cast<uint64_t>(start + i * step), true, true);
  return llvmir::ConstantOp::create(b, loc, type, DenseElementsAttr::get(type, values));
}

Value Emit::poison(Type t) { return llvmir::PoisonOp::create(b, loc, t); }

Value Emit::polynomial(Value x, ArrayRef<double> coefficients) {
  Value sum = constant(x, coefficients.back());
  for (double c : llvm::reverse(coefficients.drop_back())) sum = fma(sum, x, c);
  return sum;
}

Value Emit::polynomialEstrin(Value x, ArrayRef<double> coefficients) {
  if (coefficients.size() < 4) return polynomial(x, coefficients);
  SmallVector<double> even, odd;
  for (size_t i = 0; i < coefficients.size(); ++i) (i % 2 ? odd : even).push_back(coefficients[i]);
  Value x2 = fmul(x, x);
  return fma(polynomial(x2, odd), x, polynomial(x2, even));
}

Value Emit::fcmp(FCmpPredicate p, Value x, Value y) {
  return llvmir::FCmpOp::create(b, loc, like(x, b.getI1Type()), p, x, y);
}

Value Emit::icmp(ICmpPredicate p, Value x, Value y) {
  return llvmir::ICmpOp::create(b, loc, like(x, b.getI1Type()), p, x, y);
}

Value Emit::any(Value condition) {
  if (!lanesOf(condition.getType())) return condition;
  return llvmir::vector_reduce_or::create(b, loc, b.getI1Type(), condition);
}

Value Emit::bitcast(Value v, Type element) {
  Type t = like(v, element);
  return t == v.getType() ? v : llvmir::BitcastOp::create(b, loc, t, v);
}

Value Emit::intCast(Value v, Type element, bool isSigned) {
  unsigned from = widthOf(v.getType()), to = element.getIntOrFloatBitWidth();
  Type t = like(v, element);
  if (from == to) return v;
  if (to < from) return llvmir::TruncOp::create(b, loc, t, v);
  if (isSigned) return llvmir::SExtOp::create(b, loc, t, v);
  return llvmir::ZExtOp::create(b, loc, t, v);
}

Value Emit::splat(Value scalar, int64_t lanes) {
  Type t = withLanes(scalar.getType(), lanes);
  Value first = insert(poison(t), scalar, 0);
  return lanes == 1 ? first : shuffle(first, poison(t), SmallVector<int32_t>(lanes, 0));
}

Value Emit::extract(Value vector, int64_t lane) {
  return llvmir::ExtractElementOp::create(b, loc, vector, integer(b.getI32Type(), lane));
}

Value Emit::insert(Value vector, Value scalar, int64_t lane) {
  return llvmir::InsertElementOp::create(b, loc, vector, scalar, integer(b.getI32Type(), lane));
}

Value Emit::shuffle(Value x, Value y, ArrayRef<int32_t> mask) {
  return llvmir::ShuffleVectorOp::create(b, loc, x, y, mask);
}

Value Emit::slice(Value vector, int64_t start, int64_t count) {
  if (count == lanesOf(vector.getType())) return vector;
  SmallVector<int32_t> mask;
  for (int64_t i = 0; i < count; ++i) mask.push_back(start + i);
  return shuffle(vector, poison(vector.getType()), mask);
}

Value Emit::concat(Value x, Value y) {
  SmallVector<int32_t> mask;
  for (int64_t i = 0; i < 2 * lanesOf(x.getType()); ++i) mask.push_back(i);
  return shuffle(x, y, mask);
}

Value Emit::offset(Value pointer, Type element, Value index) {
  Type t = ptr();
  if (int64_t lanes = lanesOf(index.getType())) t = withLanes(t, lanes);
  return llvmir::GEPOp::create(b, loc, t, element, pointer, ValueRange{index});
}

Value Emit::offset(Value pointer, Type element, int64_t i) { return i ? offset(pointer, element, index(i)) : pointer; }

Value Emit::load(Type t, Value pointer, unsigned alignment) {
  if (!alignment) alignment = std::max(1u, isa<llvmir::LLVMPointerType>(t) ? 8u : widthOf(t) / 8);
  return llvmir::LoadOp::create(b, loc, t, pointer, alignment);
}

void Emit::store(Value v, Value pointer, unsigned alignment, bool streaming) {
  if (!alignment) alignment = std::max(1u, widthOf(v.getType()) / 8);
  llvmir::StoreOp::create(b, loc, v, pointer, alignment, /*isVolatile=*/false, streaming);
}

Value Emit::lookup(StringRef name, ArrayRef<double> values, Value index) {
  Type f64 = b.getF64Type();
  auto module = b.getInsertionBlock()->getParentOp()->getParentOfType<ModuleOp>();
  auto table = module.lookupSymbol<llvmir::GlobalOp>(name);
  if (!table) {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(module.getBody());
    auto type = llvmir::LLVMArrayType::get(f64, values.size());
    auto attr = DenseElementsAttr::get(RankedTensorType::get({int64_t(values.size())}, f64), values);
    table = llvmir::GlobalOp::create(b, loc, type, /*isConstant=*/true, llvmir::Linkage::Internal, name, attr);
  }
  Value base = llvmir::AddressOfOp::create(b, loc, table);
  Value pointer = offset(base, f64, index);
  if (!lanesOf(index.getType())) return load(f64, pointer);
  Value all = boolean(like(index, b.getI1Type()), true);
  return llvmir::masked_gather::create(b, loc, like(index, f64), pointer, all, ValueRange{}, b.getI32IntegerAttr(8));
}

Block* Emit::splitBlock(TypeRange arguments) {
  Block* current = b.getInsertionBlock();
  Block* rest = current->splitBlock(b.getInsertionPoint());
  for (Type t : arguments) rest->addArgument(t, loc);
  b.setInsertionPointToEnd(current);
  return rest;
}

Block* Emit::newBlock(Block* next, TypeRange arguments) {
  OpBuilder::InsertionGuard guard(b);
  return b.createBlock(next, arguments, SmallVector<Location>(arguments.size(), loc));
}

void Emit::br(Block* to, ValueRange values) { llvmir::BrOp::create(b, loc, values, to); }

void Emit::condBr(Value condition, Block* onTrue, ValueRange trueValues, Block* onFalse, ValueRange falseValues) {
  llvmir::CondBrOp::create(b, loc, condition, onTrue, trueValues, onFalse, falseValues);
}

SmallVector<Value> Emit::loop(Value begin, Value end, Value step, ValueRange init,
                              function_ref<SmallVector<Value>(Value, ValueRange)> body, bool nonEmpty) {
  // The test is at the bottom, as LLVM's loop passes want it.
  Block* exit = splitBlock(init.getTypes());
  SmallVector<Type> types{begin.getType()};
  types.append(init.getTypes().begin(), init.getTypes().end());
  Block* head = newBlock(exit, types);
  SmallVector<Value> first{begin};
  first.append(init.begin(), init.end());
  if (nonEmpty)
    br(head, first);
  else
    condBr(icmp(ICmpPredicate::slt, begin, end), head, first, exit, init);
  b.setInsertionPointToStart(head);
  SmallVector<Value> next = body(head->getArgument(0), head->getArguments().drop_front());
  Value i = add(head->getArgument(0), step);
  SmallVector<Value> again{i};
  again.append(next.begin(), next.end());
  condBr(icmp(ICmpPredicate::slt, i, end), head, again, exit, next);
  b.setInsertionPointToStart(exit);
  return llvm::to_vector_of<Value>(exit->getArguments());
}

SmallVector<Value> Emit::branchIf(Value condition, ValueRange init, function_ref<SmallVector<Value>()> then) {
  Block* exit = splitBlock(init.getTypes());
  Block* taken = newBlock(exit);
  condBr(condition, taken, {}, exit, init);
  b.setInsertionPointToStart(taken);
  br(exit, then());
  b.setInsertionPointToStart(exit);
  return llvm::to_vector_of<Value>(exit->getArguments());
}

Value Emit::libm(StringRef name, ValueRange operands) {
  Type type = operands[0].getType(), element = elementOf(type);
  auto module = b.getInsertionBlock()->getParentOp()->getParentOfType<ModuleOp>();
  auto function = module.lookupSymbol<llvmir::LLVMFuncOp>(name);
  if (!function) {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(module.getBody());
    SmallVector<Type> arguments(operands.size(), element);
    function = llvmir::LLVMFuncOp::create(b, loc, name, llvmir::LLVMFunctionType::get(element, arguments));
    function.setNoUnwind(true);
    function.setWillReturn(true);
    using MR = llvmir::ModRefInfo;
    function.setMemoryEffectsAttr(llvmir::MemoryEffectsAttr::get(
        b.getContext(), {MR::NoModRef, MR::NoModRef, MR::NoModRef, MR::NoModRef, MR::NoModRef, MR::NoModRef}));
  }
  if (!lanesOf(type)) return llvmir::CallOp::create(b, loc, function, operands).getResult();
  Value result = poison(type);
  for (int64_t i = 0; i < lanesOf(type); ++i) {
    SmallVector<Value> lane;
    for (Value v : operands) lane.push_back(extract(v, i));
    result = insert(result, llvmir::CallOp::create(b, loc, function, lane).getResult(), i);
  }
  return result;
}

}  // namespace nacre::cpu
