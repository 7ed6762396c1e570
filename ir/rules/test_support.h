// Parsing text and catching diagnostics, for the tests of this folder.
#pragma once
#include <string>

#include "ir/nacre.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"

namespace nacre::ir {

struct TestContext {
  TestContext() { context.loadDialect<NacreDialect, mlir::func::FuncDialect>(); }

  mlir::OwningOpRef<mlir::ModuleOp> parse(llvm::StringRef text) {
    mlir::ScopedDiagnosticHandler collect(&context, [&](mlir::Diagnostic& d) {
      diagnostics += d.str() + "\n";
      return mlir::success();
    });
    return mlir::parseSourceString<mlir::ModuleOp>(text, mlir::ParserConfig(&context));
  }

  bool verifies(mlir::Operation* op) {
    mlir::ScopedDiagnosticHandler collect(&context, [&](mlir::Diagnostic& d) {
      diagnostics += d.str() + "\n";
      return mlir::success();
    });
    return mlir::succeeded(mlir::verify(op));
  }

  static std::string print(mlir::Operation* op) {
    std::string text;
    llvm::raw_string_ostream stream(text);
    op->print(stream);
    return text;
  }

  mlir::MLIRContext context;
  std::string diagnostics;
};

}  // namespace nacre::ir
