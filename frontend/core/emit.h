// Emission of single ops: what nacre::lax is made of.
#pragma once
#include "frontend/core/trace.h"
#include "nacre/detail/op.h"

namespace nacre::detail {

using Emit = llvm::function_ref<llvm::SmallVector<mlir::Value>(ir::Builder&, llvm::ArrayRef<mlir::Value>)>;

// Runs an op: see run_op. `emit` gets the inputs as IR values. Results are weak if all inputs from the number
// `weak_from` on are.
Arrays emit_op(const char* name, std::source_location at, const std::string& statics, std::span<const Array> inputs,
               Emit emit, size_t weak_from = 0);

// An op whose result types are inferred; `set` fills its attributes. Throws ShapeError with the rule's message.
template <class Op>
llvm::SmallVector<mlir::Value> inferred(ir::Builder& b, llvm::ArrayRef<mlir::Value> operands,
                                        llvm::function_ref<void(typename Op::Properties&)> set) {
  DiagnosticCollector diagnostics;
  mlir::OperationState state(b.loc, Op::getOperationName());
  state.addOperands(operands);
  set(state.getOrAddProperties<typename Op::Properties>());
  llvm::SmallVector<mlir::Type> types;
  if (failed(Op::inferReturnTypes(b.loc.getContext(), b.loc, state.operands,
                                  state.attributes.getDictionary(b.loc.getContext()), state.getRawProperties(), {},
                                  types)))
    throw ShapeError(blame() + diagnostics.text());
  state.addTypes(types);
  mlir::Operation* op = b.ops.create(state);
  return {op->result_begin(), op->result_end()};
}

// Verifies an op that was made with given result types. Throws ShapeError with the verifier's message.
mlir::Value checked(mlir::Value made);

}  // namespace nacre::detail
