// Demand-driven emission: the tile of a value at an index position, made by asking its producers for the tiles they
// need. A schedule chooses loops and positions; prologues, epilogues and every index operation follow from recursion.
//
// - A position gives one index expression per dimension of the value (codegen/schedule/index_expr.h). With `lanes`
//   > 0 the tile has that many lanes and symbol 0 of the expressions is the lane; with 0 it is a scalar tile.
// - Results are remembered per value, position and scope, so that common subexpressions are emitted once. A value that
//   does not depend on the lane is emitted as a scalar and spread.
// - bf16 values are f32 tiles: rounded by an explicit convert and when stored.
// - Nothing here contracts or reorders elementwise arithmetic; only reductions and products accumulate freely.
#pragma once
#include <functional>
#include <map>
#include <tuple>
#include <vector>

#include "codegen/schedule/index_expr.h"
#include "codegen/target.h"
#include "codegen/tile/dialect.h"
#include "ir/builder.h"

namespace nacre::schedule {

using llvm::ArrayRef;
using mlir::AffineExpr;
using mlir::Operation;
using mlir::RankedTensorType;
using mlir::SmallVector;
using mlir::Type;
using mlir::Value;
using mlir::ValueRange;

struct Position {
  Index index;
  int64_t lanes = 0;
};

// A reduce, arg_reduce or dot_general wanted at a position.
struct Job {
  Operation* op;
  Position at;
};

class Emitter {
 public:
  Emitter(mlir::OpBuilder& ops, mlir::Location loc, int64_t vectorBytes);

  // --- Values. ---
  Value emit(Value value, const Position& at);
  // Reductions of the same extent at once: one pass over their common inputs, results remembered at their positions.
  // `onStep` runs after each vector of scalar positions' inputs: position is the (reduced) place of its lanes.
  using OnStep = llvm::function_ref<void(AffineExpr position, int64_t lanes)>;
  void emitReductions(ArrayRef<Job> jobs, OnStep onStep = nullptr);
  // Product of the reduced extents of a reduction or product.
  static int64_t reducedExtent(Operation* op);

  // --- Memory. `linear` is the row-major position in the buffer. Stores round to the buffer's element type. ---
  Value load(Value buffer, AffineExpr linear, int64_t lanes) { return loadAt(buffer, {linear}, lanes); }
  void store(Value tile, Value buffer, AffineExpr linear);
  // With one expression per dimension of a buffer of higher rank (panels).
  Value loadAt(Value buffer, ArrayRef<AffineExpr> index, int64_t lanes);
  void storeAt(Value tile, Value buffer, ArrayRef<AffineExpr> index);
  Value scratch(ArrayRef<int64_t> shape, Type element);

  // Where a value lives: function arguments, and values that a schedule keeps in scratch. `address` maps an index of
  // the value to a position in the buffer.
  using Address = std::function<Index(ArrayRef<AffineExpr>)>;
  void bind(Value value, Value buffer, Address address);
  // Declares the tile of a value at a position in the current scope.
  void remember(Value value, const Position& at, Value tile);
  // The tile remembered at the position, or null.
  Value recall(Value value, const Position& at);

  // --- Control. ---
  using Body = llvm::function_ref<SmallVector<Value>(AffineExpr, ValueRange)>;
  // A loop over lower, lower + step, ... below upper with carried values. Without iterations the initial values; a
  // single one is emitted without a loop.
  SmallVector<Value> loop(int64_t lower, int64_t upper, int64_t step, ValueRange initial, Body body);
  // The same with bounds known at run time; `fact` describes the variable.
  SmallVector<Value> loop(Value lower, Value upper, int64_t step, Fact fact, ValueRange initial, Body body);
  // scf.if with one result of each branch.
  Value ifElse(Value condition, llvm::function_ref<Value()> onTrue, llvm::function_ref<Value()> onFalse);
  void ifThen(Value condition, llvm::function_ref<void()> body);
  // Runs body with `count` lanes, of which those below `valid` exist (null: all).
  void withLanes(int64_t count, Value valid, llvm::function_ref<void()> body);
  // Runs body with accesses restricted to the lanes where the i1 tile is set.
  void withMask(Value mask, llvm::function_ref<void()> body);

  AffineExpr dim(Value index, Fact fact);
  AffineExpr lane() const { return lane_; }
  AffineExpr constant(int64_t value) const { return space.constant(value); }
  // The index as a value; it must not depend on lanes.
  Value indexValue(AffineExpr expr);
  Value indexConstant(int64_t value);
  // The index as a tile of i64.
  Value indexTile(AffineExpr expr, int64_t lanes);
  // Lanes (of the current count) below `valid` as an i1 tile.
  Value laneMask(Value valid, int64_t lanes);
  Value splat(Value scalar, int64_t lanes);
  // Scalar or lanes of a number, in the element type given.
  Value constantTile(Type element, int64_t lanes, double value);

  // Lanes that use the machine's registers well for this element type.
  int64_t machineLanes(Type element) const;
  static Type computeElement(Type element);
  RankedTensorType tileType(Type element, int64_t lanes) const;
  // Fails the emission with a message at the op; emission goes on with a meaningless value.
  Value fail(Operation* op, const llvm::Twine& message);
  bool failed() const { return failed_; }

  mlir::OpBuilder& ops;
  mlir::Location loc;
  IndexSpace space;
  int64_t vectorBytes;

 private:
  using Key = std::tuple<void*, int64_t, int64_t, std::vector<const void*>>;
  struct Scope {
    std::map<Key, Value> tiles;
    std::map<void*, AffineExpr> starts;
  };
  struct Binding {
    Value buffer;
    Address address;
  };
  Key key(Value value, const Position& at, int64_t maskId) const;
  int64_t maskIdFor(const Position& at) const;
  void simplify(Position& at) const;
  Value compute(Value value, const Position& at);
  // codegen/schedule/emit_elementwise.cc
  Value emitElementwise(Operation* op, Value value, const Position& at);
  Value emitConstant(ir::ConstantOp op, const Position& at);
  Value emitIota(ir::IotaOp op, const Position& at);
  // codegen/schedule/emit_indexing.cc
  Value emitPad(ir::PadOp op, const Position& at);
  Value emitConcatenate(ir::ConcatenateOp op, const Position& at);
  Value emitDynamicSlice(ir::DynamicSliceOp op, const Position& at);
  Value emitDynamicUpdateSlice(ir::DynamicUpdateSliceOp op, const Position& at);
  Value emitGather(ir::GatherOp op, const Position& at);

 public:
  // A start index (a scalar tile or lanes of any integer type) clamped to [0, most], as an index expression.
  AffineExpr clampedStart(Value tile, int64_t most);
  // A scalar i64 tile, known to be in [fact.lower, fact.upper), as an index expression.
  AffineExpr indexFromTile(Value tile, Fact fact);

 private:
  struct Condition {
    AffineExpr expr;
    int64_t lower, upper;  // lower <= expr < upper
    int64_t multiple;      // and (expr - lower) % multiple == 0
  };
  // `inside` where all conditions hold (emitted with them assumed), elsewhere `outside`.
  Value choose(ArrayRef<Condition> conditions, int64_t lanes, llvm::function_ref<Value()> inside,
               llvm::function_ref<Value()> outside);
  mlir::AffineMap compact(ArrayRef<AffineExpr> exprs, bool withLane, SmallVector<Value>& operands);
  Value currentMask(int64_t lanes);

  void pushScope() { scopes.emplace_back(); }
  void popScope() { scopes.pop_back(); }

  AffineExpr lane_;
  std::vector<Scope> scopes;
  std::map<void*, Binding> bindings;
  std::vector<Value> dimValues, symbolValues;
  Value valid_;                     // null: all lanes
  SmallVector<Value> masks;         // of lanes
  SmallVector<int64_t> maskIds{0};  // identifies the current masks in keys
  size_t firstMaskId = 0;           // of those with the current lanes
  int64_t nextMaskId = 1;
  bool failed_ = false;
};

// Index at which an op that only moves elements (or works element by element) reads its operand.
// Null for ops that do more: pad, concatenate, gather, reductions.
std::optional<Index> operandIndex(const IndexSpace& space, Operation* op, unsigned operand, ArrayRef<AffineExpr> index);

}  // namespace nacre::schedule
