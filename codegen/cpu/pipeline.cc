#include "codegen/cpu/pipeline.h"

#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <fstream>
#include <mutex>

#include "codegen/cpu/single_lane_stores.h"
#include "codegen/cpu/symbols.h"
#include "llvm/Analysis/CGSCCPassManager.h"
#include "llvm/Analysis/LoopAnalysisManager.h"
#include "llvm/ExecutionEngine/Orc/LLJIT.h"
#include "llvm/ExecutionEngine/Orc/ObjectLinkingLayer.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Object/ELFObjectFile.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/SmallVectorMemoryBuffer.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/TargetParser/Host.h"
#include "llvm/Transforms/InstCombine/InstCombine.h"
#include "llvm/Transforms/Scalar/DCE.h"
#include "llvm/Transforms/Scalar/EarlyCSE.h"
#include "llvm/Transforms/Scalar/LICM.h"
#include "llvm/Transforms/Scalar/LoopPassManager.h"
#include "llvm/Transforms/Scalar/SimplifyCFG.h"
#include "llvm/Transforms/Utils/Cloning.h"

namespace nacre::cpu {

static void initialiseLlvm() {
  static std::once_flag once;
  std::call_once(once, [] {
    llvm::InitializeNativeTarget();
    llvm::InitializeNativeTargetAsmPrinter();
    llvm::InitializeNativeTargetAsmParser();
  });
}

std::unique_ptr<llvm::TargetMachine> createTargetMachine(const codegen::Target& target) {
  initialiseLlvm();
  std::string error;
  llvm::Triple triple(llvm::sys::getProcessTriple());
  const llvm::Target* t = llvm::TargetRegistry::lookupTarget(triple, error);
  if (!t) return nullptr;
  llvm::TargetOptions options;
  options.AllowFPOpFusion = llvm::FPOpFusion::Standard;
  return std::unique_ptr<llvm::TargetMachine>(t->createTargetMachine(triple, target.cpu, target.features, options,
                                                                     llvm::Reloc::PIC_, llvm::CodeModel::Small,
                                                                     llvm::CodeGenOptLevel::Default,
                                                                     /*JIT=*/true));
}

void optimise(llvm::Module& module, llvm::TargetMachine& machine, const codegen::Target& target) {
  module.setDataLayout(machine.createDataLayout());
  module.setTargetTriple(machine.getTargetTriple());
  std::string width = std::to_string(target.vectorBytes * 8);
  for (llvm::Function& f : module) {
    if (f.isDeclaration()) continue;
    f.addFnAttr("target-cpu", target.cpu);
    if (!target.features.empty()) f.addFnAttr("target-features", target.features);
    f.addFnAttr("prefer-vector-width", width);
    f.addFnAttr("min-legal-vector-width", width);
  }
  llvm::PassBuilder builder(&machine);
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager sccs;
  llvm::ModuleAnalysisManager modules;
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(sccs);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, sccs, modules);
  llvm::FunctionPassManager passes;
  passes.addPass(llvm::EarlyCSEPass());
  passes.addPass(llvm::SimplifyCFGPass());
  passes.addPass(llvm::InstCombinePass());
  passes.addPass(llvm::createFunctionToLoopPassAdaptor(llvm::LICMPass(llvm::LICMOptions()), /*UseMemorySSA=*/true));
  passes.addPass(llvm::EarlyCSEPass(/*UseMemorySSA=*/true));
  passes.addPass(llvm::SimplifyCFGPass());
  passes.addPass(llvm::DCEPass());
  llvm::ModulePassManager all;
  all.addPass(llvm::createModuleToFunctionPassAdaptor(std::move(passes)));
  all.run(module, modules);
  storeSingleLanes(module);
}

std::unique_ptr<llvm::MemoryBuffer> emitObject(llvm::Module& module, llvm::TargetMachine& machine) {
  llvm::SmallVector<char, 0> bytes;
  {
    llvm::raw_svector_ostream out(bytes);
    llvm::legacy::PassManager passes;
    llvm::MCContext* context = nullptr;
    machine.addPassesToEmitMC(passes, context, out, /*DisableVerify=*/true);
    passes.run(module);
  }
  return std::make_unique<llvm::SmallVectorMemoryBuffer>(std::move(bytes), "kernels.o");
}

std::string emitAssembly(const llvm::Module& module, llvm::TargetMachine& machine) {
  std::unique_ptr<llvm::Module> copy = llvm::CloneModule(module);
  llvm::SmallString<0> text;
  llvm::raw_svector_ostream out(text);
  llvm::legacy::PassManager passes;
  machine.addPassesToEmitFile(passes, out, nullptr, llvm::CodeGenFileType::AssemblyFile);
  passes.run(*copy);
  return text.str().str();
}

namespace {

using llvm::orc::LLJIT;

// One linker for the process; each set of kernels is a library of its own in it.
llvm::Expected<LLJIT*> linker() {
  static std::mutex mutex;
  static LLJIT* shared = nullptr;
  std::lock_guard lock(mutex);
  if (shared) return shared;
  initialiseLlvm();
  // No static constructors, no thread-locals, no exceptions: kernels need no platform support.
  auto jit = llvm::orc::LLJITBuilder()
                 .setLinkProcessSymbolsByDefault(false)
                 .setPlatformSetUp(llvm::orc::setUpInactivePlatform)
                 .create();
  if (!jit) return jit.takeError();
  return shared = jit->release();
}

class Library : public LoadedCode {
 public:
  Library(LLJIT& jit, llvm::orc::JITDylib& dylib) : jit_(jit), dylib_(dylib) {}
  ~Library() override {
    if (auto error = jit_.getExecutionSession().removeJITDylib(dylib_)) llvm::consumeError(std::move(error));
  }
  void* lookup(llvm::StringRef name) override {
    auto address = jit_.lookup(dylib_, name);
    if (!address) {
      llvm::consumeError(address.takeError());
      return nullptr;
    }
    return address->toPtr<void*>();
  }

 private:
  LLJIT& jit_;
  llvm::orc::JITDylib& dylib_;
};

// Functions of an object and their sizes.
std::vector<std::pair<std::string, uint64_t>> functionsOf(const llvm::MemoryBuffer& object) {
  std::vector<std::pair<std::string, uint64_t>> result;
  auto file = llvm::object::ObjectFile::createObjectFile(object.getMemBufferRef());
  if (!file) {
    llvm::consumeError(file.takeError());
    return result;
  }
  auto* elf = llvm::dyn_cast<llvm::object::ELFObjectFileBase>(file->get());
  if (!elf) return result;
  for (llvm::object::ELFSymbolRef symbol : elf->symbols()) {
    auto name = symbol.getName();
    if (name && symbol.getELFType() == llvm::ELF::STT_FUNC && symbol.getSize())
      result.emplace_back(name->str(), symbol.getSize());
    else if (!name)
      llvm::consumeError(name.takeError());
  }
  return result;
}

// The file in which `perf report` looks up names of generated code, a line "address size name" per function.
void appendPerfMap(LoadedCode& code, const std::vector<std::pair<std::string, uint64_t>>& functions) {
  static std::mutex mutex;
  std::lock_guard lock(mutex);
  std::ofstream map("/tmp/perf-" + std::to_string(getpid()) + ".map", std::ios::app);
  for (auto& [name, size] : functions)
    if (void* address = code.lookup(name))
      map << std::hex << reinterpret_cast<uintptr_t>(address) << ' ' << size << ' ' << name << '\n';
}

}  // namespace

llvm::Expected<std::shared_ptr<LoadedCode>> loadObjects(std::vector<std::unique_ptr<llvm::MemoryBuffer>> objects) {
  auto jit = linker();
  if (!jit) return jit.takeError();
  static std::atomic<int> counter = 0;
  auto dylib = (*jit)->createJITDylib("kernels." + std::to_string(counter++));
  if (!dylib) return dylib.takeError();
  auto library = std::make_shared<Library>(**jit, *dylib);
  llvm::orc::SymbolMap symbols;
  for (const Symbol& s : kernelSymbols())
    symbols[(*jit)->mangleAndIntern(s.name)] = {llvm::orc::ExecutorAddr::fromPtr(s.address),
                                                llvm::JITSymbolFlags::Exported};
  if (auto error = dylib->define(llvm::orc::absoluteSymbols(std::move(symbols)))) return std::move(error);
  static const bool wantPerfMap = std::getenv("NACRE_PERF_MAP") != nullptr;
  std::vector<std::pair<std::string, uint64_t>> functions;
  for (auto& object : objects) {
    if (wantPerfMap) llvm::append_range(functions, functionsOf(*object));
    if (auto error = (*jit)->addObjectFile(*dylib, std::move(object))) return std::move(error);
  }
  if (wantPerfMap) appendPerfMap(*library, functions);
  return std::shared_ptr<LoadedCode>(std::move(library));
}

}  // namespace nacre::cpu
