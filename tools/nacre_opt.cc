// nacre-opt: runs any pass of Nacre on text. `nacre-opt --help` lists them; for example
//   nacre-opt --nacre-grad=func=f --nacre-simplify program.mlir
#include "ir/nacre.h"
#include "ir/text/text_limits.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/ToolOutputFile.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Support/FileUtilities.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "mlir/Transforms/Passes.h"
#include "passes/fuse/passes.h"
#include "passes/passes.h"

using namespace mlir;

int main(int argc, char** argv) {
  nacre::passes::registerTransformPasses();
  nacre::passes::registerFusionPasses();
  registerCSEPass();
  registerCanonicalizerPass();
  registerSymbolDCEPass();

  DialectRegistry registry;
  registry.insert<nacre::ir::NacreDialect, func::FuncDialect>();
  auto [inputName, outputName] = registerAndParseCLIOptions(argc, argv, "Nacre's passes on text\n", registry);

  std::string error;
  std::unique_ptr<llvm::MemoryBuffer> input = openInputFile(inputName, &error);
  std::unique_ptr<llvm::ToolOutputFile> output = input ? openOutputFile(outputName, &error) : nullptr;
  if (!output) {
    llvm::errs() << "nacre-opt: " << error << '\n';
    return 1;
  }
  // MLIR's parser recurses once per bracket: text is scanned before it gets to see it.
  if (auto problem = nacre::ir::findTextProblem(input->getBuffer())) {
    llvm::errs() << inputName << ':' << problem->line << ':' << problem->column << ": " << problem->message << '\n';
    return 1;
  }
  MlirOptMainConfig config = MlirOptMainConfig::createFromCLOptions();
  if (failed(MlirOptMain(output->os(), std::move(input), registry, config))) return 1;
  output->keep();
  return 0;
}
