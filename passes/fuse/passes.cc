#include "passes/fuse/passes.h"

#include "ir/nacre.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassRegistry.h"
#include "passes/fuse/fuse.h"
#include "passes/fuse/normalize.h"
#include "passes/fuse/outline.h"
#include "passes/fuse/split_reduce.h"

using namespace mlir;

namespace nacre::passes {

namespace {

// A pass over @main of the module.
template <class Derived>
struct MainPass : PassWrapper<Derived, OperationPass<ModuleOp>> {
  MainPass() = default;
  MainPass(const MainPass& other) : PassWrapper<Derived, OperationPass<ModuleOp>>(other) {}

  void runOnOperation() final {
    auto main = this->getOperation().template lookupSymbol<func::FuncOp>("main");
    if (!main) {
      this->getOperation().emitError() << Derived::kArgument << ": the module has no @main";
      return this->signalPassFailure();
    }
    if (failed(static_cast<Derived*>(this)->apply(main))) this->signalPassFailure();
  }
  StringRef getArgument() const final { return Derived::kArgument; }
  StringRef getDescription() const final { return Derived::kDescription; }
};

struct NormalizePass : MainPass<NormalizePass> {
  static constexpr StringLiteral kArgument = "nacre-normalize", kDescription = "fewer forms of reductions and moves";
  LogicalResult apply(func::FuncOp main) { return normalizeForFusion(main), success(); }
};

struct SplitReducePass : MainPass<SplitReducePass> {
  static constexpr StringLiteral kArgument = "nacre-split-reduce", kDescription = "large reductions in two steps";
  LogicalResult apply(func::FuncOp main) { return splitReductions(main), success(); }
};

struct FusePass : MainPass<FusePass> {
  static constexpr StringLiteral kArgument = "nacre-fuse", kDescription = "group ops into kernels";
  FusePass() = default;
  FusePass(const FusePass& other) : MainPass(other) {}
  Pass::Option<bool> fusion{*this, "fusion", llvm::cl::desc("off: each op for itself"), llvm::cl::init(true)};
  LogicalResult apply(func::FuncOp main) { return fuse(main, {.fusion = fusion}); }
};

struct OutlinePass : MainPass<OutlinePass> {
  static constexpr StringLiteral kArgument = "nacre-outline",
                                 kDescription = "fusions become kernels that equal ones share";
  LogicalResult apply(func::FuncOp main) { return outline(main); }
};

}  // namespace

void registerFusionPasses() {
  PassRegistration<NormalizePass>();
  PassRegistration<SplitReducePass>();
  PassRegistration<FusePass>();
  PassRegistration<OutlinePass>();
}

}  // namespace nacre::passes
