#include "ir/text/safe_parse.h"

#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/raw_ostream.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Location.h"
#include "mlir/Parser/Parser.h"

using namespace mlir;

namespace nacre::ir {

namespace {

// Enough of them to see what is wrong; a broken file can have thousands.
constexpr int kMaxProblems = 20;

// "file:line:column: what" for the diagnostic; its notes follow on lines of their own.
void append(std::string& error, const Diagnostic& diagnostic, StringRef name) {
  llvm::raw_string_ostream out(error);
  if (!error.empty()) out << "\n";
  auto place = diagnostic.getLocation()->findInstanceOf<FileLineColLoc>();
  if (place)
    out << place.getFilename().getValue() << ":" << place.getLine() << ":" << place.getColumn();
  else
    out << name;
  out << ": ";
  diagnostic.print(out);
}

}  // namespace

FailureOr<OwningOpRef<ModuleOp>> parseModule(StringRef text, StringRef name, MLIRContext& context, std::string& error,
                                             const TextLimits& limits) {
  error.clear();
  if (auto problem = findTextProblem(text, limits)) {
    error = (name + ":" + Twine(problem->line) + ":" + Twine(problem->column) + ": " + problem->message).str();
    return failure();
  }
  int problems = 0;
  ScopedDiagnosticHandler handler(&context, [&](Diagnostic& diagnostic) {
    if (diagnostic.getSeverity() != DiagnosticSeverity::Error) return success();
    if (++problems <= kMaxProblems) {
      append(error, diagnostic, name);
      for (const Diagnostic& note : diagnostic.getNotes()) append(error, note, name);
    }
    return success();
  });
  llvm::SourceMgr sources;
  sources.AddNewSourceBuffer(llvm::MemoryBuffer::getMemBufferCopy(text, name), llvm::SMLoc());
  auto module = parseSourceFile<ModuleOp>(sources, ParserConfig(&context));
  if (!module) {
    if (error.empty()) error = (name + ":1:1: not a module").str();
    if (problems > kMaxProblems) error += "\n(" + std::to_string(problems - kMaxProblems) + " more)";
    return failure();
  }
  error.clear();
  return module;
}

FailureOr<OwningOpRef<ModuleOp>> parseModuleFile(StringRef path, MLIRContext& context, std::string& error,
                                                 const TextLimits& limits) {
  auto file = llvm::MemoryBuffer::getFileOrSTDIN(path);
  if (!file) {
    error = (path + ": " + file.getError().message()).str();
    return failure();
  }
  return parseModule((*file)->getBuffer(), path == "-" ? "<stdin>" : path, context, error, limits);
}

}  // namespace nacre::ir
