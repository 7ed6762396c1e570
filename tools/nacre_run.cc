// nacre-run: runs a file of nacre ops on arrays from .npy files, compiled and interpreted, and compares the two.
//   nacre-run program.mlir --input x.npy --input y.npy
// Exit status: 0 fine, 1 an error or a difference, 2 wrong usage.
#include <algorithm>
#include <cmath>
#include <cstdio>

#include "frontend/io/npy.h"
#include "frontend/io/npz.h"
#include "ir/nacre.h"
#include "ir/reference/compare.h"
#include "ir/reference/interpreter.h"
#include "ir/text/safe_parse.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "nacre/error.h"
#include "passes/dump.h"
#include "tools/run/array_text.h"
#include "tools/run/host_tensor.h"
#include "tools/run/run_compiled.h"
#include "tools/run/run_options.h"

using namespace nacre;
using namespace nacre::tools;
using ir::HostValue;

namespace {

// "argument 1 (params.w)".
std::string argumentName(mlir::func::FuncOp main, unsigned i) {
  auto name = main.getArgAttrOfType<mlir::StringAttr>(i, ir::kNameAttr);
  return "argument " + std::to_string(i) + (name ? " (" + name.str() + ")" : "");
}

// One value for each argument of @main, from the files in order and from FILE.mlir.npz for hidden ones.
std::vector<HostValue> readArguments(const RunOptions& options, mlir::func::FuncOp main) {
  mlir::MLIRContext& context = *main.getContext();
  std::vector<HostValue> arguments;
  std::optional<io::NamedTensors> hidden;
  size_t next = 0;
  for (unsigned i = 0; i < main.getNumArguments(); ++i) {
    std::string from;
    if (main.getArgAttr(i, ir::kHiddenAttr)) {
      const std::string path = options.file + ".npz", key = "arg" + std::to_string(i);
      if (!hidden) hidden = io::read_npz(path);
      auto found = hidden->find(key);
      if (found == hidden->end()) throw Error(path + ": no entry " + key + " for the hidden " + argumentName(main, i));
      arguments.push_back(toHostValue(found->second, context));
      from = path;
    } else {
      if (next == options.inputs.size())
        throw Error("no --input left for " + argumentName(main, i) + " of @main, " +
                    ir::describeType(llvm::cast<mlir::RankedTensorType>(main.getArgumentTypes()[i])));
      from = options.inputs[next++];
      arguments.push_back(toHostValue(io::read_npy(from), context));
    }
    if (arguments.back().type != main.getArgumentTypes()[i])
      throw Error(from + " holds " + ir::describeType(arguments.back().type) + ", but " + argumentName(main, i) +
                  " of @main is " + ir::describeType(llvm::cast<mlir::RankedTensorType>(main.getArgumentTypes()[i])));
  }
  if (next < options.inputs.size())
    throw Error(std::to_string(options.inputs.size()) + " inputs given, @main takes " + std::to_string(next));
  return arguments;
}

mlir::func::FuncOp mainOf(mlir::ModuleOp module, const std::string& file) {
  auto main = module.lookupSymbol<mlir::func::FuncOp>("main");
  if (!main || main.isExternal()) throw Error(file + ": no function @main with a body");
  for (mlir::Type type : llvm::concat<const mlir::Type>(main.getArgumentTypes(), main.getResultTypes())) {
    auto tensor = llvm::dyn_cast<mlir::RankedTensorType>(type);
    if (!tensor || !ir::byteSize(tensor)) {
      std::string text;
      llvm::raw_string_ostream(text) << type;
      throw Error(file + ": @main has the type " + text + ", which is not an array that fits in memory");
    }
  }
  return main;
}

std::vector<HostValue> runInterpreter(mlir::func::FuncOp main, const std::vector<HostValue>& arguments) {
  std::string error;
  mlir::ScopedDiagnosticHandler handler(main.getContext(), [&](mlir::Diagnostic& d) {
    error += (error.empty() ? "" : "\n") + d.str();
    return mlir::success();
  });
  auto results = ir::interpret(main, arguments);
  if (failed(results)) throw Error("the interpreter failed: " + error);
  return std::move(*results);
}

// A program may round anywhere in between, so floats are compared relative to the largest value of the array: to about
// 3 % in bf16, 1e-4 in f32, 1e-12 in f64.
ir::Comparison compareResult(const HostValue& got, const HostValue& want, size_t number) {
  const bool f64 = want.element().isF64(), bf16 = want.element().isBF16();
  float largest = 0;
  if (llvm::isa<mlir::FloatType>(want.element())) {
    ir::withElementType<ir::Floats>(want.element(), [&]<class T>() {
      for (T x : want.elements<T>())
        if (std::isfinite(double{x})) largest = std::max(largest, std::fabs(static_cast<float>(x)));
    });
  }
  std::vector<float> magnitude(want.type.getNumElements(), largest);
  return ir::compareValues(got, want,
                           {bf16 ? 4.0 : 1024.0, bf16  ? 4.0
                                                 : f64 ? 4096.0
                                                       : 1024.0},
                           "result " + std::to_string(number), magnitude);
}

// Prints the differences between the two; whether there are none.
bool compareResults(const std::vector<HostValue>& compiled, const std::vector<HostValue>& interpreted) {
  bool equal = true;
  double worst = 0;
  for (size_t i = 0; i < compiled.size(); ++i) {
    ir::Comparison c = compareResult(compiled[i], interpreted[i], i);
    std::fputs(c.report.c_str(), stdout);
    equal &= c.ok();
    worst = std::max(worst, c.worstUlps);
  }
  if (equal)
    std::printf("compiled and interpreted results agree, the largest distance is %.6g ulp\n", worst);
  else
    std::printf("compiled (got) and interpreted (want) results differ\n");
  return equal;
}

void show(const std::vector<HostValue>& results, const std::optional<std::string>& prefix) {
  for (size_t i = 0; i < results.size(); ++i) {
    std::printf("result %zu: %s\n%s\n", i, ir::describeType(results[i].type).c_str(), arrayText(results[i]).c_str());
    if (prefix) io::write_npy(*prefix + std::to_string(i) + ".npy", toHostTensor(results[i]));
  }
}

int run(const RunOptions& options) {
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  context.loadDialect<ir::NacreDialect, mlir::func::FuncDialect>();
  std::string error;
  auto module = ir::parseModuleFile(options.file, context, error);
  if (failed(module)) throw Error(error);
  mlir::func::FuncOp main = mainOf(**module, options.file);
  std::vector<HostValue> arguments = readArguments(options, main);

  std::vector<HostValue> compiled, interpreted;
  if (options.mode != RunMode::compile) interpreted = runInterpreter(main, arguments);
  if (options.mode != RunMode::interpret) {
    CompileOptions compileOptions;
    compileOptions.dump_directory = passes::Dump::nextDirectory();
    auto results = runCompiled(**module, arguments, compileOptions);
    if (!results.ok()) throw Error("compiled: " + std::string(results.status().message()));
    compiled = std::move(*results);
  }
  show(options.mode == RunMode::interpret ? interpreted : compiled, options.output);
  return options.mode != RunMode::compare || compareResults(compiled, interpreted) ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  RunOptions options;
  try {
    options = parseRunOptions({argv + 1, argv + argc});
  } catch (const Error& e) {
    std::fprintf(stderr, "nacre-run: %s\n%s", e.what(), kRunUsage);
    return 2;
  }
  if (options.help) {
    std::fputs(kRunUsage, stdout);
    return 0;
  }
  try {
    return run(options);
  } catch (const std::exception& e) {
    std::fprintf(stderr, "nacre-run: %s\n", e.what());
    return 1;
  }
}
