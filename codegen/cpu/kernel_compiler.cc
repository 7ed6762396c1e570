#include "codegen/cpu/kernel_compiler.h"

#include <ctime>
#include <filesystem>
#include <fstream>
#include <thread>

#include "absl/strings/str_cat.h"
#include "codegen/cpu/lowering.h"
#include "codegen/cpu/pipeline.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Transforms/Utils/Cloning.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/OwningOpRef.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Export.h"

namespace nacre::cpu {

using namespace mlir;

namespace {

// Adds the thread's milliseconds of CPU time while it lives to `sum`.
class Timer {
 public:
  explicit Timer(double& sum) : sum_(sum), start_(now()) {}
  ~Timer() { sum_ += now() - start_; }

 private:
  static double now() {
    timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return double(t.tv_sec) * 1e3 + double(t.tv_nsec) * 1e-6;
  }
  double& sum_;
  double start_;
};

// What one thread compiles: its own LLVM context, so that threads share nothing.
struct Share {
  SmallVector<size_t> indices;
  std::unique_ptr<llvm::LLVMContext> context = std::make_unique<llvm::LLVMContext>();
  std::unique_ptr<llvm::Module> module;
  std::unique_ptr<llvm::MemoryBuffer> object;
  std::string ir, assembly, error;
  CompileTimes times;
};

// Tile functions -> LLVM dialect -> LLVM IR.
absl::Status translate(ArrayRef<tile::FuncOp> funcs, const codegen::Target& target, Share& share,
                       std::vector<KernelSpec>& specs) {
  Timer timer(share.times.lower);
  MLIRContext* context = funcs[0]->getContext();
  std::string message;
  ScopedDiagnosticHandler handler(context, [&](Diagnostic& d) {
    if (message.empty()) message = d.str();
    return success();
  });
  OwningOpRef<ModuleOp> module = ModuleOp::create(UnknownLoc::get(context));
  for (size_t i : share.indices) {
    tile::FuncOp func = funcs[i];
    Lowering lowering(func, target, *module);
    if (failed(lowering.run()))
      return absl::InternalError(absl::StrCat("kernel ", func.getSymName().str(), ": ", message));
    specs[i] = {func.getSymName().str(), nullptr, (int64_t)func.getGrid(), lowering.scratchBytes(),
                estimateWork(func, target)};
  }
  share.module = translateModuleToLLVMIR(*module, *share.context, "kernels", /*disableVerification=*/true);
  if (!share.module) return absl::InternalError(absl::StrCat("kernels: no LLVM IR: ", message));
#ifndef NDEBUG
  llvm::raw_string_ostream problems(share.error);
  if (llvm::verifyModule(*share.module, &problems))
    return absl::InternalError(absl::StrCat("kernels: LLVM refuses the module: ", share.error));
#endif
  return absl::OkStatus();
}

void compileShare(Share& share, const codegen::Target& target, bool wantIr, bool wantAssembly) {
  std::unique_ptr<llvm::TargetMachine> machine = createTargetMachine(target);
  if (!machine) {
    share.error = "LLVM knows no target for this machine";
    return;
  }
  {
    Timer timer(share.times.optimise);
    optimise(*share.module, *machine, target);
  }
  if (wantIr) llvm::raw_string_ostream(share.ir) << *share.module;
  if (wantAssembly) share.assembly = emitAssembly(*share.module, *machine);
  Timer timer(share.times.codegen);
  share.object = emitObject(*share.module, *machine);
}

absl::Status dump(const std::string& directory, const std::string& name, const std::string& text) {
  std::error_code ignored;
  std::filesystem::create_directories(directory, ignored);
  std::ofstream file(std::filesystem::path(directory) / name);
  file << text;
  if (!file.flush()) return absl::InvalidArgumentError(absl::StrCat("cannot write ", directory, "/", name));
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<CompiledKernels> compileTileFuncs(ArrayRef<tile::FuncOp> funcs, const codegen::Target& target,
                                                 const KernelOptions& options) {
  CompiledKernels result;
  if (funcs.empty()) return result;
  result.specs.resize(funcs.size());
  MLIRContext* context = funcs[0]->getContext();
  context->getOrLoadDialect<LLVM::LLVMDialect>();
  DialectRegistry registry;
  registerBuiltinDialectTranslation(registry);
  registerLLVMDialectTranslation(registry);
  context->appendDialectRegistry(registry);

  // Dumped kernels get a module each, so that files are one kernel's.
  bool perKernel = !options.dumpDirectory.empty();
  size_t count = perKernel ? funcs.size() : std::clamp<size_t>(options.threads, 1, funcs.size());
  std::vector<Share> shares(count);
  for (size_t i = 0; i < funcs.size(); ++i) shares[i % count].indices.push_back(i);
  bool wantIr = perKernel || options.optimisedIr;

  std::vector<std::thread> workers;
  absl::Status status;
  for (size_t i = 0; i < count && status.ok(); ++i) {
    status = translate(funcs, target, shares[i], result.specs);
    if (!status.ok()) break;
    // The last share is this thread's own.
    if (i + 1 < count && options.threads > 1)
      workers.emplace_back([&, i] { compileShare(shares[i], target, wantIr, perKernel); });
    else
      compileShare(shares[i], target, wantIr, perKernel);
    if (workers.size() >= (size_t)options.threads) workers.front().join(), workers.erase(workers.begin());
  }
  for (std::thread& t : workers) t.join();
  if (!status.ok()) return status;

  std::vector<std::unique_ptr<llvm::MemoryBuffer>> objects;
  for (Share& share : shares) {
    if (!share.error.empty()) return absl::InternalError(absl::StrCat("kernels: ", share.error));
    if (options.optimisedIr) *options.optimisedIr += share.ir;
    if (perKernel) {
      const std::string& name = result.specs[share.indices[0]].name;
      if (auto s = dump(options.dumpDirectory, name + ".ll", share.ir); !s.ok()) return s;
      if (auto s = dump(options.dumpDirectory, name + ".s", share.assembly); !s.ok()) return s;
    }
    objects.push_back(std::move(share.object));
    result.times.lower += share.times.lower;
    result.times.optimise += share.times.optimise;
    result.times.codegen += share.times.codegen;
  }
  auto code = [&] {
    Timer timer(result.times.link);
    return loadObjects(std::move(objects));
  }();
  if (!code) return absl::InternalError(absl::StrCat("kernels: ", llvm::toString(code.takeError())));
  {
    Timer timer(result.times.link);
    for (KernelSpec& spec : result.specs) {
      spec.entry = reinterpret_cast<nacre_kernel_fn>((*code)->lookup(spec.name));
      if (!spec.entry) return absl::InternalError(absl::StrCat("kernels: no code for ", spec.name));
    }
  }
  result.code = *std::move(code);
  return result;
}

}  // namespace nacre::cpu
