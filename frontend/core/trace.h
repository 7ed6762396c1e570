// Tracing: a function of the nacre dialect under construction, and the stack of those of this thread.
#pragma once
#include <memory>
#include <mutex>
#include <source_location>
#include <vector>

#include "frontend/core/array_impl.h"
#include "ir/builder.h"
#include "llvm/ADT/DenseMap.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"

namespace nacre::detail {

// The one context of tracing and transforms. Hold the lock while touching IR in it; it is recursive.
mlir::MLIRContext& tracing_context();
std::recursive_mutex& tracing_mutex();

mlir::Type element_type(DType dtype);
mlir::RankedTensorType tensor_type(const Descriptor& type);
// The dtype of a tensor that tracing can hold.
DType dtype_of_element(mlir::Type element);

// Collects MLIR diagnostics of its scope instead of printing them.
class DiagnosticCollector {
 public:
  DiagnosticCollector();
  // All messages so far, one a line; empty if none.
  const std::string& text() const { return text_; }

 private:
  std::string text_;
  mlir::ScopedDiagnosticHandler handler_;
};

class Trace {
 public:
  // Pushes itself on the thread's stack; popped by finish() or the destructor. Locks the tracing context meanwhile.
  explicit Trace(std::span<const Descriptor* const> arguments);
  ~Trace();
  Trace(const Trace&) = delete;

  // The innermost trace of this thread, or null.
  static Trace* current();

  std::vector<Array> arguments() const { return arguments_; }
  ir::Builder& builder() { return builder_; }
  uint64_t id() const { return id_; }

  // The IR value of an array in this trace. C++ numbers become constants; concrete arrays and those of enclosing traces
  // become captured operands. Throws for arrays that are null, abstract, or escaped from a trace that has ended.
  mlir::Value lift(const Array& a);
  Array wrap(mlir::Value value, bool weak = false);
  std::vector<Array> wrap(mlir::ValueRange values, bool weak = false);

  // Ends the function: its results are `results`, its name @main; pops the trace. Afterwards captures() are the outer
  // arrays behind the arguments after the first arguments().size().
  mlir::func::FuncOp finish(std::span<const Array> results);
  std::span<const Array> captures() const { return captures_; }
  mlir::ModuleOp module() { return *module_; }
  mlir::OwningOpRef<mlir::ModuleOp> take_module() { return std::move(module_); }

 private:
  mlir::Value capture(const Array& a);
  void pop();

  std::unique_lock<std::recursive_mutex> lock_;
  uint64_t id_;
  Trace* outer_;
  mlir::OwningOpRef<mlir::ModuleOp> module_;
  mlir::func::FuncOp function_;
  mlir::OpBuilder ops_;
  ir::Builder builder_;
  std::vector<Array> arguments_;
  std::vector<Array> captures_;
  llvm::DenseMap<const ArrayImpl*, mlir::Value> captured_;
  bool active_ = true;
};

// Names the operation that runs, for messages and locations. Only the outermost of a thread counts.
class CallScope {
 public:
  CallScope(const char* name, std::source_location at);
  ~CallScope();
  static bool inside();

 private:
  bool outermost_;
};
mlir::Location current_location();

// While alive, user code is traced inside an operation's implementation (a transform's callable): its operations count
// as outermost again.
class UserScope {
 public:
  UserScope();
  ~UserScope();

 private:
  int depth_;
  const char* name_;
  std::source_location at_;
};

// "a traced float32[3] array is used after ...": for an array whose trace has ended.
std::string escaped_message(const Descriptor& type);

}  // namespace nacre::detail
