#include "passes/passes.h"

#include "ir/builder.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassRegistry.h"
#include "passes/batch.h"
#include "passes/inline_calls.h"
#include "passes/jvp.h"
#include "passes/linearize.h"
#include "passes/simplify.h"
#include "passes/transpose.h"
#include "passes/vjp.h"

using namespace mlir;

namespace nacre::passes {

namespace {

// A pass over each function of the module.
template <class Derived>
struct FunctionPass : PassWrapper<Derived, OperationPass<ModuleOp>> {
  void runOnOperation() final {
    for (auto f : this->getOperation().template getOps<func::FuncOp>())
      if (!f.isExternal() && failed(static_cast<Derived*>(this)->apply(f))) return this->signalPassFailure();
  }
  StringRef getArgument() const final { return Derived::kArgument; }
  StringRef getDescription() const final { return Derived::kDescription; }
};

struct InlinePass : FunctionPass<InlinePass> {
  static constexpr StringLiteral kArgument = "nacre-inline", kDescription = "replace calls by what they call";
  LogicalResult apply(func::FuncOp f) { return inlineCalls(f); }
};

struct SimplifyPass : FunctionPass<SimplifyPass> {
  static constexpr StringLiteral kArgument = "nacre-simplify",
                                 kDescription =
                                     "exact identities, constants folded, equal ops shared, dead ones erased";
  LogicalResult apply(func::FuncOp f) { return simplify(f); }
};

// A pass that derives one function from the one that its option func names.
template <class Derived>
struct TransformPass : PassWrapper<Derived, OperationPass<ModuleOp>> {
  using Base = TransformPass;
  using Indices = Pass::ListOption<int64_t>;
  TransformPass() = default;
  TransformPass(const TransformPass& other) : PassWrapper<Derived, OperationPass<ModuleOp>>(other) {}

  Pass::Option<std::string> function{*this, "func", llvm::cl::desc("function to transform"), llvm::cl::init("main")};
  Pass::Option<std::string> name{*this, "name", llvm::cl::desc("name of the new function; default FUNC.TRANSFORM")};

  void runOnOperation() final {
    auto f = this->getOperation().template lookupSymbol<func::FuncOp>(function.getValue());
    if (!f) {
      this->getOperation().emitError() << Derived::kArgument << ": the module has no function '" << function << "'";
      return this->signalPassFailure();
    }
    std::string newName = name.empty() ? function + "." + Derived::kSuffix.str() : name.getValue();
    if (failed(static_cast<Derived*>(this)->apply(f, newName))) this->signalPassFailure();
  }
  StringRef getArgument() const final { return Derived::kArgument; }
  StringRef getDescription() const final { return Derived::kDescription; }

  // Flags from a list of indices; all arrays of floating point where the list is empty.
  static FailureOr<SmallVector<bool>> flags(func::FuncOp f, ArrayRef<int64_t> indices, TypeRange types) {
    SmallVector<bool> set(types.size(), false);
    for (int64_t i : indices) {
      if (i < 0 || i >= static_cast<int64_t>(types.size()))
        return f.emitOpError("'") << f.getName() << "': index " << i << " is out of range; there are " << types.size();
      set[i] = true;
    }
    if (indices.empty())
      for (auto [i, type] : llvm::enumerate(types)) set[i] = ir::isFloat(cast<RankedTensorType>(type).getElementType());
    return set;
  }
};

struct JvpPass : TransformPass<JvpPass> {
  static constexpr StringLiteral kArgument = "nacre-jvp", kDescription = "forward mode", kSuffix = "jvp";
  Indices active{*this, "active", llvm::cl::desc("arguments with tangents; default all of floating point")};
  JvpPass() = default;
  JvpPass(const JvpPass& other) : Base(other) {}
  LogicalResult apply(func::FuncOp f, StringRef name) {
    auto flagged = flags(f, active, f.getArgumentTypes());
    return failed(flagged) ? failure() : LogicalResult(jvp(f, *flagged, name));
  }
};

struct LinearizePass : TransformPass<LinearizePass> {
  static constexpr StringLiteral kArgument = "nacre-linearize", kSuffix = "lin",
                                 kDescription = "forward mode, split into a primal and a linear function";
  Indices active{*this, "active", llvm::cl::desc("arguments with tangents; default all of floating point")};
  LinearizePass() = default;
  LinearizePass(const LinearizePass& other) : Base(other) {}
  LogicalResult apply(func::FuncOp f, StringRef name) {
    auto flagged = flags(f, active, f.getArgumentTypes());
    return failed(flagged) ? failure() : LogicalResult(linearize(f, *flagged, name));
  }
};

struct TransposePass : TransformPass<TransposePass> {
  static constexpr StringLiteral kArgument = "nacre-transpose", kSuffix = "transpose",
                                 kDescription = "transpose of a function that is linear in its last arguments";
  Pass::Option<unsigned> first{*this, "first", llvm::cl::desc("first linear argument"), llvm::cl::init(0)};
  TransposePass() = default;
  TransposePass(const TransposePass& other) : Base(other) {}
  LogicalResult apply(func::FuncOp f, StringRef name) { return transpose(f, first, name); }
};

struct VjpPass : TransformPass<VjpPass> {
  static constexpr StringLiteral kArgument = "nacre-vjp", kDescription = "reverse mode", kSuffix = "vjp";
  Indices active{*this, "active", llvm::cl::desc("arguments to differentiate by; default all of floating point")};
  Indices seeded{*this, "seeded", llvm::cl::desc("results with cotangents; default all of floating point")};
  VjpPass() = default;
  VjpPass(const VjpPass& other) : Base(other) {}
  LogicalResult apply(func::FuncOp f, StringRef name) {
    auto flagged = flags(f, active, f.getArgumentTypes()), seeds = flags(f, seeded, f.getResultTypes());
    return failed(flagged) || failed(seeds) ? failure() : LogicalResult(vjp(f, *flagged, *seeds, name));
  }
};

struct GradPass : TransformPass<GradPass> {
  static constexpr StringLiteral kArgument = "nacre-grad", kDescription = "gradient of a scalar function",
                                 kSuffix = "grad";
  Indices wrt{*this, "wrt", llvm::cl::desc("arguments to differentiate by; default the first")};
  GradPass() = default;
  GradPass(const GradPass& other) : Base(other) {}

  LogicalResult apply(func::FuncOp f, StringRef name) {
    auto scalar = f.getNumResults() == 1 ? dyn_cast<RankedTensorType>(f.getResultTypes()[0]) : RankedTensorType();
    if (!scalar || scalar.getRank() != 0 || !ir::isFloat(scalar.getElementType()))
      return f.emitOpError("'") << f.getName() << "' has type " << f.getFunctionType()
                                << "; a gradient needs one result, a floating-point scalar";
    SmallVector<int64_t> by(wrt.begin(), wrt.end());
    if (by.empty()) by.push_back(0);
    auto active = flags(f, by, f.getArgumentTypes());
    if (failed(active)) return failure();
    FailureOr<func::FuncOp> g = vjp(f, *active, {true}, name);
    if (failed(g)) return failure();
    BlockArgument seed = g->getArguments().back();
    OpBuilder builder = OpBuilder::atBlockBegin(&g->front());
    seed.replaceAllUsesWith(ir::Builder(builder, seed.getLoc()).constant(scalar, 1));
    if (failed(g->eraseArgument(seed.getArgNumber())) || failed(g->eraseResult(0))) return failure();
    g->front().getTerminator()->eraseOperand(0);
    eraseDeadOps(*g);
    return success();
  }
};

struct VmapPass : TransformPass<VmapPass> {
  static constexpr StringLiteral kArgument = "nacre-vmap", kDescription = "batching", kSuffix = "vmap";
  Indices in{*this, "in", llvm::cl::desc("axis of each argument, -1 for none; default all 0")};
  Indices out{*this, "out", llvm::cl::desc("axis of each result; default all 0")};
  Pass::Option<int64_t> size{*this, "size", llvm::cl::desc("size of the batch dimension"), llvm::cl::init(2)};
  VmapPass() = default;
  VmapPass(const VmapPass& other) : Base(other) {}
  LogicalResult apply(func::FuncOp f, StringRef name) {
    SmallVector<int64_t> inAxes(in.begin(), in.end()), outAxes(out.begin(), out.end());
    if (inAxes.empty()) inAxes.assign(f.getNumArguments(), 0);
    if (outAxes.empty()) outAxes.assign(f.getNumResults(), 0);
    return batch(f, inAxes, size, outAxes, name);
  }
};

}  // namespace

void registerTransformPasses() {
  PassRegistration<InlinePass>();
  PassRegistration<JvpPass>();
  PassRegistration<LinearizePass>();
  PassRegistration<TransposePass>();
  PassRegistration<VjpPass>();
  PassRegistration<GradPass>();
  PassRegistration<VmapPass>();
  PassRegistration<SimplifyPass>();
}

}  // namespace nacre::passes
