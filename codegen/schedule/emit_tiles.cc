// Reads a module of kernels as text and prints their tile functions: emit_tiles [--target=x86-64-v3] FILE. For tests.
#include <cstdio>
#include <string>

#include "codegen/schedule/schedule.h"
#include "llvm/Support/raw_ostream.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"

int main(int argc, char** argv) {
  std::string file, name = "x86-64-v4";
  bool explain = false;
  for (int i = 1; i < argc; ++i) {
    std::string argument = argv[i];
    if (argument.rfind("--target=", 0) == 0)
      name = argument.substr(9);
    else if (argument == "--explain")
      explain = true;
    else
      file = argument;
  }
  if (file.empty()) {
    std::fprintf(stderr, "usage: emit_tiles [--target=x86-64-v3] [--explain] FILE.mlir\n");
    return 2;
  }
  nacre::codegen::Target target;
  target.vectorBytes = name == "x86-64-v4" ? 64 : name == "x86-64-v3" ? 32 : 16;
  target.avx512 = name == "x86-64-v4";
  target.fma = name != "x86-64";

  mlir::MLIRContext context;
  context.loadDialect<nacre::ir::NacreDialect, nacre::tile::TileDialect, mlir::func::FuncDialect>();
  auto module = mlir::parseSourceFile<mlir::ModuleOp>(file, &context);
  if (!module) return 1;
  bool ok = true;
  for (auto kernel : llvm::to_vector(module->getOps<mlir::func::FuncOp>())) {
    if (!kernel->hasAttr(nacre::ir::kKernelAttr)) continue;
    if (explain) {
      llvm::outs() << nacre::schedule::explain(kernel, target);
      continue;
    }
    auto tiles = nacre::schedule::emitTileFunc(kernel, target);
    if (mlir::failed(tiles)) {
      ok = false;
      continue;
    }
    ok &= mlir::succeeded(mlir::verify(*tiles));
    tiles->print(llvm::outs());
    llvm::outs() << "\n";
  }
  return ok ? 0 : 1;
}
