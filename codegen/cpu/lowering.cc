#include "codegen/cpu/lowering.h"

#include "codegen/cpu/contract.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace nacre::cpu {

using namespace mlir;

Lowering::Lowering(tile::FuncOp func, const codegen::Target& target, ModuleOp module)
    : func_(func), target_(target), module_(module), builder_(func.getContext()), e(builder_, func.getLoc()) {}

SmallVector<Value> Lowering::get(ValueRange range) const {
  return llvm::map_to_vector(range, [&](Value v) { return get(v); });
}

Type Lowering::storage(Type element) const {
  unsigned width = element.getIntOrFloatBitWidth();
  if (width == 1) return IntegerType::get(element.getContext(), 8);
  if (element.isBF16() || isa<IntegerType>(element)) return IntegerType::get(element.getContext(), width);
  return element;
}

Type Lowering::lower(Type t) const {
  if (t.isIndex()) return IntegerType::get(t.getContext(), 64);
  if (isa<tile::BufferType>(t)) return llvmir::LLVMPointerType::get(t.getContext());
  auto tensor = dyn_cast<RankedTensorType>(t);
  if (!tensor) return t;
  Type element = tensor.getElementType();
  return Emit::withLanes(element.isInteger(1) ? element : storage(element),
                         tensor.getRank() ? tensor.getDimSize(0) : 0);
}

LogicalResult Lowering::run() {
  builder_.setInsertionPointToEnd(module_.getBody());
  llvmir::LLVMFuncOp programs = emitPrograms();
  Block* entry = programs.addEntryBlock(builder_);
  builder_.setInsertionPointToStart(entry);
  Block* body = &func_.getBody().front();
  for (size_t i = 1; i < body->getNumArguments(); ++i) set(body->getArgument(i), entry->getArgument(i - 1));
  size_t next = body->getNumArguments() - 1;
  func_.walk([&](tile::ScratchOp op) { set(op.getBuffer(), entry->getArgument(next++)); });
  Value begin = entry->getArgument(next), end = entry->getArgument(next + 1);
  bool failed = false;
  // A body is emitted once, in the loop over programs.
  llvmir::ReturnOp::create(builder_, e.loc, ValueRange{});
  builder_.setInsertionPoint(entry->getTerminator());
  e.loop(begin, end, e.index(1), {}, [&](Value program, ValueRange) -> SmallVector<Value> {
    set(body->getArgument(0), program);
    failed = mlir::failed(lowerBlock(*body));
    return {};
  });
  if (failed) return failure();
  e.loc = func_.getLoc();
  if (streams_)  // Stores that bypass the caches are not ordered by the thread pool's release.
    llvmir::CallIntrinsicOp::create(builder_, e.loc, builder_.getStringAttr("llvm.x86.sse.sfence"), ValueRange{});
  emitEntry(programs);
  return success();
}

// (buffers..., scratch buffers..., begin, end)
llvmir::LLVMFuncOp Lowering::emitPrograms() {
  MLIRContext* context = func_.getContext();
  llvm::SmallDenseSet<int64_t> shared;
  ArrayRef<int64_t> pairs = func_.getInPlace();
  for (size_t i = 0; i < pairs.size(); i += 2) {
    shared.insert(func_.getInputs() + pairs[i]);
    shared.insert(pairs[i + 1]);
  }
  auto unit = builder_.getUnitAttr();
  SmallVector<Type> types;
  SmallVector<DictionaryAttr> attributes;
  auto addPointer = [&](ArrayRef<NamedAttribute> list) {
    types.push_back(llvmir::LLVMPointerType::get(context));
    attributes.push_back(DictionaryAttr::get(context, list));
  };
  NamedAttribute noalias(builder_.getStringAttr("llvm.noalias"), unit);
  NamedAttribute aligned(builder_.getStringAttr("llvm.align"), builder_.getI64IntegerAttr(64));
  for (size_t i = 0; i + 1 < func_.getArgumentTypes().size(); ++i)
    shared.contains(i) ? addPointer({}) : addPointer({noalias});
  func_.walk([&](tile::ScratchOp op) { addPointer({noalias, aligned}); });
  for (int i = 0; i < 2; ++i) {
    types.push_back(builder_.getI64Type());
    attributes.push_back(DictionaryAttr());
  }
  auto type = llvmir::LLVMFunctionType::get(llvmir::LLVMVoidType::get(context), types);
  auto f = llvmir::LLVMFuncOp::create(builder_, e.loc, (func_.getSymName() + ".programs").str(), type);
  for (auto [i, a] : llvm::enumerate(attributes))
    if (a) f.setArgAttrs(i, a);
  f.setNoInline(true);
  f.setNoUnwind(true);
  return f;
}

void Lowering::emitEntry(llvmir::LLVMFuncOp programs) {
  builder_.setInsertionPointToEnd(module_.getBody());
  MLIRContext* context = func_.getContext();
  Type ptr = llvmir::LLVMPointerType::get(context), i64 = builder_.getI64Type();
  auto type = llvmir::LLVMFunctionType::get(llvmir::LLVMVoidType::get(context), {ptr, i64, i64, ptr});
  auto f = llvmir::LLVMFuncOp::create(builder_, e.loc, func_.getSymName(), type);
  f.setNoUnwind(true);
  Block* entry = f.addEntryBlock(builder_);
  builder_.setInsertionPointToStart(entry);
  SmallVector<Value> arguments;
  for (size_t i = 0; i + 1 < func_.getArgumentTypes().size(); ++i)
    arguments.push_back(e.load(ptr, e.offset(entry->getArgument(0), ptr, int64_t(i)), 8));
  scratchBytes_ = 0;
  func_.walk([&](tile::ScratchOp op) {
    RankedTensorType tensor = op.getBuffer().getType().tensorType();
    arguments.push_back(e.offset(entry->getArgument(3), builder_.getI8Type(), scratchBytes_));
    int64_t bytes = tensor.getNumElements() * storage(tensor.getElementType()).getIntOrFloatBitWidth() / 8;
    scratchBytes_ += (bytes + 63) / 64 * 64;
  });
  arguments.push_back(entry->getArgument(1));
  arguments.push_back(entry->getArgument(2));
  llvmir::CallOp::create(builder_, e.loc, programs, arguments);
  llvmir::ReturnOp::create(builder_, e.loc, ValueRange{});
}

LogicalResult Lowering::lowerBlock(Block& block) {
  for (Operation& op : block.without_terminator()) {
    e.loc = op.getLoc();
    if (failed(lowerOp(&op))) return failure();
  }
  return success();
}

LogicalResult Lowering::lowerOp(Operation* op) {
  StringRef dialect = op->getName().getDialectNamespace();
  if (dialect == "nacre") return lowerElementwise(op);
  if (isa<scf::ForOp>(op)) return lowerFor(op);
  if (isa<scf::IfOp>(op)) return lowerIf(op);
  if (isa<tile::ScratchOp>(op)) return success();
  if (auto contract = dyn_cast<tile::ContractOp>(op))
    return emitContract(e, target_, contract, get(contract.getA()), get(contract.getB()), get(contract.getC()),
                        get(contract.getDepth()));
  if (dialect == "tile" && (succeeded(lowerMemoryOp(op)) || succeeded(lowerLanesOp(op)))) return success();
  if ((dialect == "arith" || dialect == "affine") && succeeded(lowerIndexOp(op))) return success();
  return op->emitOpError("has no CPU lowering inside tile.func");
}

LogicalResult Lowering::lowerFor(Operation* op) {
  auto loop = cast<scf::ForOp>(op);
  LogicalResult result = success();
  std::optional<APInt> trips = loop.getStaticTripCount();
  bool nonEmpty = trips && trips->sgt(0);
  SmallVector<Value> values = e.loop(
      get(loop.getLowerBound()), get(loop.getUpperBound()), get(loop.getStep()), get(loop.getInitArgs()),
      [&](Value i, ValueRange carried) {
        set(loop.getInductionVar(), i);
        for (auto [from, to] : llvm::zip_equal(loop.getRegionIterArgs(), carried)) set(from, to);
        result = lowerBlock(*loop.getBody());
        if (failed(result)) return llvm::to_vector_of<Value>(carried);
        return get(loop.getBody()->getTerminator()->getOperands());
      },
      nonEmpty);
  for (auto [from, to] : llvm::zip_equal(loop.getResults(), values)) set(from, to);
  return result;
}

LogicalResult Lowering::lowerIf(Operation* op) {
  auto branch = cast<scf::IfOp>(op);
  SmallVector<Type> types = llvm::map_to_vector(branch.getResultTypes(), [&](Type t) { return lower(t); });
  Block* exit = e.splitBlock(types);
  Block* then = e.newBlock(exit);
  Block* otherwise = branch.elseBlock() ? e.newBlock(exit) : exit;
  e.condBr(get(branch.getCondition()), then, {}, otherwise, {});
  for (auto [region, block] : {std::pair(branch.thenBlock(), then), std::pair(branch.elseBlock(), otherwise)}) {
    if (!region) continue;
    builder_.setInsertionPointToStart(block);
    if (failed(lowerBlock(*region))) return failure();
    e.br(exit, get(region->getTerminator()->getOperands()));
  }
  builder_.setInsertionPointToStart(exit);
  for (auto [from, to] : llvm::zip_equal(branch.getResults(), exit->getArguments())) set(from, to);
  return success();
}

}  // namespace nacre::cpu
