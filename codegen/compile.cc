#include "codegen/compile.h"

#include "absl/status/status.h"
#include "codegen/cpu/kernel_compiler.h"
#include "codegen/kernel_cache.h"
#include "codegen/plan/plan_builder.h"
#include "codegen/report.h"
#include "codegen/schedule/schedule.h"
#include "codegen/target.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Verifier.h"
#include "passes/dump.h"
#include "passes/fuse/fuse.h"
#include "passes/fuse/outline.h"
#include "passes/inline_calls.h"
#include "passes/provenance.h"
#include "passes/simplify.h"
#include "passes/structural_hash.h"

using namespace mlir;

namespace nacre {

using codegen::CachedKernel;
using codegen::KernelUse;
using passes::Dump;
using passes::Phase;

namespace {

// The first error that anybody reports while it lives, with its location.
class FirstError {
 public:
  explicit FirstError(MLIRContext* context)
      : handler_(context, [this](Diagnostic& d) {
          if (d.getSeverity() == DiagnosticSeverity::Error && message_.empty()) {
            message_ = d.str();
            std::string where = passes::describe(d.getLocation());
            if (where != "?") message_ += " (at " + where + ")";
          }
          return success();
        }) {}
  std::string take(const char* otherwise) { return message_.empty() ? otherwise : message_; }

 private:
  std::string message_;
  ScopedDiagnosticHandler handler_;
};

class Compilation {
 public:
  Compilation(ModuleOp module, const CompileOptions& options)
      : module_(module), options_(options), dump_(options.dump_directory), errors_(module.getContext()) {
    module.getContext()->loadDialect<tile::TileDialect, scf::SCFDialect, arith::ArithDialect, affine::AffineDialect>();
  }

  absl::Status run() {
    if (absl::Status s = findMain(); !s.ok()) return s;
    if (absl::Status s = optimize(); !s.ok()) return s;
    if (absl::Status s = fuseAndOutline(); !s.ok()) return s;
    if (absl::Status s = compileKernels(); !s.ok()) return s;
    return plan();
  }

  absl::StatusOr<std::shared_ptr<const Executable>> executable() {
    // The executable owns the code of every kernel it calls, whatever the cache forgets.
    auto code = std::make_shared<std::vector<std::shared_ptr<void>>>();
    for (CachedKernel& kernel : kernels_)
      if (code->empty() || code->back() != kernel.code) code->push_back(kernel.code);
    if (absl::Status s = Executable::validate(plan_); !s.ok())
      return absl::InternalError("the compiler wrote a wrong plan: " + std::string(s.message()));
    return std::make_shared<const Executable>(std::move(plan_), std::move(code));
  }

  std::string report() { return codegen::report(main_, plan_); }

 private:
  absl::Status findMain() {
    main_ = module_.lookupSymbol<func::FuncOp>("main");
    if (!main_ || main_.isExternal()) return absl::InvalidArgumentError("compile: the module has no function @main");
    if (failed(verify(module_))) return absl::InvalidArgumentError(errors_.take("compile: the module does not verify"));
    return absl::OkStatus();
  }

  absl::Status optimize() {
    if (failed(dump_.run(Phase::optimize, "inline", module_, [&] { return passes::inlineCalls(main_); })) ||
        failed(dump_.run(Phase::optimize, "simplify", module_, [&] { return passes::simplify(main_); })))
      return absl::InvalidArgumentError(errors_.take("compile: optimize failed"));
    // What main called is not needed any more.
    for (auto f : llvm::make_early_inc_range(module_.getOps<func::FuncOp>()))
      if (f != main_) f.erase();
    return absl::OkStatus();
  }

  absl::Status fuseAndOutline() {
    passes::FuseOptions options{.fusion = options_.fusion};
    if (failed(dump_.run(Phase::fuse, "fuse", module_, [&] { return passes::fuse(main_, options); })))
      return absl::UnimplementedError(errors_.take("compile: fuse failed"));
    if (failed(dump_.run(Phase::fuse, "outline", module_, [&] { return passes::outline(main_); })))
      return absl::InternalError(errors_.take("compile: outline failed"));
    return absl::OkStatus();
  }

  // Schedules and compiles those kernels that no earlier compilation left in the cache.
  absl::Status compileKernels() {
    const codegen::Target& target = codegen::Target::host();
    SmallVector<func::FuncOp> functions;
    std::vector<std::string> keys;
    SmallVector<tile::FuncOp> fresh;
    std::vector<size_t> freshKernels;
    for (auto f : module_.getOps<func::FuncOp>())
      if (f->hasAttr(ir::kKernelAttr)) functions.push_back(f);
    kernels_.resize(functions.size());
    for (auto [i, f] : llvm::enumerate(functions)) {
      keys.push_back(target.cpu + target.features + "\n" + passes::structuralKey(f));
      if (auto cached = codegen::findKernel(keys.back())) {
        kernels_[i] = *std::move(cached);
        kernels_[i].spec.name = f.getName().str();
        continue;
      }
      auto tiles = schedule::emitTileFunc(f, target);
      if (failed(tiles)) return absl::UnimplementedError(errors_.take("compile: a kernel has no schedule"));
      fresh.push_back(*tiles);
      freshKernels.push_back(i);
    }
    dump_.after(Phase::schedule, "tiles", module_);

    cpu::KernelOptions options;
    options.threads = options_.threads;
    if (dump_.on()) options.dumpDirectory = dump_.directory() + "/kernels";
    auto compiled = cpu::compileTileFuncs(fresh, target, options);
    if (!compiled.ok()) return compiled.status();
    for (auto [i, n] : llvm::enumerate(freshKernels)) {
      CachedKernel kernel{compiled->specs[i], {}, compiled->code};
      ArrayRef<int64_t> pairs = fresh[i].getInPlace();
      for (size_t p = 0; p + 1 < pairs.size(); p += 2)
        kernel.in_place.push_back({static_cast<int>(pairs[p]), static_cast<int>(pairs[p + 1])});
      kernel.spec.name = functions[n].getName().str();
      codegen::rememberKernel(keys[n], kernel);
      kernels_[n] = std::move(kernel);
      fresh[i].erase();
    }
    for (auto [i, f] : llvm::enumerate(functions)) {
      KernelUse use{static_cast<int32_t>(i), kernels_[i].in_place};
      if (auto destination = f->getAttrOfType<IntegerAttr>(passes::kInPlaceAttr))
        use.destination = static_cast<int>(destination.getInt());
      uses_[f.getName()] = std::move(use);
    }
    return absl::OkStatus();
  }

  absl::Status plan() {
    auto built = codegen::buildPlan(main_, uses_);
    if (!built.ok()) return built.status();
    plan_ = *std::move(built);
    for (const CachedKernel& kernel : kernels_) plan_.kernels.push_back(kernel.spec);
    if (dump_.on()) dump_.text(Phase::plan, "report", "txt", report());
    return absl::OkStatus();
  }

  ModuleOp module_;
  const CompileOptions& options_;
  Dump dump_;
  FirstError errors_;
  func::FuncOp main_;
  std::vector<CachedKernel> kernels_;
  llvm::StringMap<KernelUse> uses_;
  Plan plan_;
};

}  // namespace

absl::StatusOr<std::shared_ptr<const Executable>> compile(OwningOpRef<ModuleOp> module, const CompileOptions& options) {
  Compilation compilation(*module, options);
  if (absl::Status s = compilation.run(); !s.ok()) return s;
  return compilation.executable();
}

absl::StatusOr<std::string> explain(OwningOpRef<ModuleOp> module, const CompileOptions& options) {
  Compilation compilation(*module, options);
  if (absl::Status s = compilation.run(); !s.ok()) return s;
  return compilation.report();
}

}  // namespace nacre
