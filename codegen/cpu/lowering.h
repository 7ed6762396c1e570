// tile.func -> LLVM dialect, in one walk: no pattern driver, no intermediate dialects, as compile time counts.
//
// Tiles become scalars (rank 0) or vectors (rank 1) of the same number of lanes, however many; LLVM splits vectors to
// the machine's width. Signedness is taken from the nacre op and dropped. In memory and in registers bf16 is i16, the
// arithmetic of it is f32's; i1 is i8 in memory. scf becomes blocks.
//
// A kernel becomes two functions: "<name>" with the ABI of runtime/plan.h, which unpacks pointers, and
// "<name>.programs", the loop over programs, whose pointers are noalias except for pairs that may share memory.
#pragma once
#include "codegen/cpu/emit.h"
#include "codegen/target.h"
#include "codegen/tile/dialect.h"
#include "llvm/ADT/DenseMap.h"
#include "mlir/IR/BuiltinOps.h"

namespace nacre::cpu {

class Lowering {
 public:
  // Functions go to the end of `module`, in the context of `func`.
  Lowering(tile::FuncOp func, const codegen::Target& target, mlir::ModuleOp module);

  // Failure: a diagnostic at the op that has no lowering.
  mlir::LogicalResult run();

  // Bytes of scratch per thread; after run().
  int64_t scratchBytes() const { return scratchBytes_; }

 private:
  // --- lowering.cc: the function, control flow, dispatch. ---
  llvmir::LLVMFuncOp emitPrograms();
  void emitEntry(llvmir::LLVMFuncOp programs);
  mlir::LogicalResult lowerBlock(mlir::Block& block);
  mlir::LogicalResult lowerOp(mlir::Operation* op);
  mlir::LogicalResult lowerFor(mlir::Operation* op);
  mlir::LogicalResult lowerIf(mlir::Operation* op);

  // --- lower_index.cc ---
  // arith and affine ops on index and i1. Failure without a diagnostic: not one of these.
  mlir::LogicalResult lowerIndexOp(mlir::Operation* op);
  // The expression's value; dims may be i64 scalars or vectors (all of one length).
  Value affineValue(mlir::AffineExpr expr, mlir::ValueRange dims, mlir::ValueRange symbols = {});

  // --- lower_memory.cc ---
  mlir::LogicalResult lowerMemoryOp(mlir::Operation* op);
  struct Address;
  Address addressOf(tile::BufferType buffer, Value base, mlir::AffineMap map, ValueRange indices, Type tile);
  Value strided(Address at, Type memory, int64_t lanes);
  Value maskOf(Value valid, Value mask, Type tile);
  void lowerLoad(tile::LoadOp op);
  void lowerStore(tile::StoreOp op);
  void lowerGather(tile::GatherOp op);
  Value gatherFrom(Value pointers, Value mask, Type storageElement);
  Value loadMasked(Value pointer, Value mask, Type type);
  Value fromStorage(Value v, Type element);
  Value reverseLanes(Value v);
  void storeStreaming(Value v, Value pointer);

  // --- lower_lanes.cc: splat, lanes, reduce, transpose, conversions to and from index. ---
  mlir::LogicalResult lowerLanesOp(mlir::Operation* op);
  Value reduceLanes(ir::CombineKind kind, Value v, Type element);
  llvm::SmallVector<Value> transposeLanes(llvm::SmallVector<Value> rows);

  // --- lower_elementwise.cc, lower_integer.cc, lower_convert.cc: nacre ops. ---
  mlir::LogicalResult lowerElementwise(mlir::Operation* op);
  Value floatOp(mlir::Operation* op, ValueRange operands);
  Value integerOp(mlir::Operation* op, ValueRange operands, Type element);
  Value predicateOp(mlir::Operation* op, ValueRange operands);
  Value combine(ir::CombineKind kind, Value x, Value y, Type element);
  Value constantTile(ir::ConstantOp op);

  Value get(Value v) const { return values_.at(v); }
  llvm::SmallVector<Value> get(ValueRange range) const;
  void set(Value from, Value to) { values_[from] = to; }
  // The lane type of a tile, i64 for index, the pointer for a buffer, i1 for i1.
  Type lower(Type t) const;
  // Of one element in memory: i8 for i1, i16 for bf16.
  Type storage(Type element) const;

  tile::FuncOp func_;
  const codegen::Target& target_;
  mlir::ModuleOp module_;
  mlir::OpBuilder builder_;
  Emit e;
  llvm::DenseMap<Value, Value> values_;
  int64_t scratchBytes_ = 0;
  bool streams_ = false;
};

// --- Arithmetic that needs no state of the lowering. ---

// bf16 held as i16 <-> f32; rounding to nearest even, denormals kept.
Value bf16ToF32(Emit& e, Value bits);
Value f32ToBf16(Emit& e, Value v);
// Conversion as nacre.convert defines it; element types are those of the nacre op (bf16 values are held as i16).
Value convertElement(Emit& e, Value v, Type from, Type to);
bool isUnsigned(Type element);

// Whole-number arithmetic with the edge cases that nacre's ops define. `divisor` is known to be neither 0 nor -1 if
// `safe`.
Value integerDivide(Emit& e, Value x, Value y, bool isSigned, bool safe);
Value integerRemainder(Emit& e, Value x, Value y, bool isSigned, bool safe);
Value integerPower(Emit& e, Value x, Value y, bool isSigned);
enum class Shift { left, rightLogical, rightArithmetic };
Value shiftBits(Emit& e, Shift kind, Value x, Value y);
// y0, y1 of nacre.threefry2x32.
std::pair<Value, Value> threefry2x32(Emit& e, Value key0, Value key1, Value x0, Value x1);

}  // namespace nacre::cpu
