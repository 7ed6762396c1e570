// The interfaces through which transforms and code generation see every op. Rules sit in ir/rules/, one file a family.
#ifndef NACRE_IR_INTERFACES_TD
#define NACRE_IR_INTERFACES_TD

include "mlir/IR/OpBase.td"

def Nacre_RuleInterface : OpInterface<"RuleInterface"> {
  let cppNamespace = "::nacre::ir";
  let description = [{
    What differentiation and batching need to know of an op. A method without an implementation reports an error that
    names the op: a missing rule is never a silent zero.
  }];
  let methods = [
    InterfaceMethod<[{
        Forward mode. `this` is the primal op, already emitted, so its operands and results are at hand. `tangents` has
        one value per operand, null where the tangent is zero, never all null. Fills one tangent per result, null for
        zero.
      }],
      "::llvm::LogicalResult", "jvp",
      (ins "::nacre::ir::Builder &":$b, "::llvm::ArrayRef<::mlir::Value>":$tangents,
           "::llvm::SmallVectorImpl<::mlir::Value> &":$results),
      "", [{ return $_op->emitOpError("has no jvp rule"); }]>,
    InterfaceMethod<[{
        Transpose of a linear op. `operands` has one value per operand, null where the op is linear in it (its type is
        that of the op's own operand); the others are known. `cotangents` has one value per result, null for zero, never
        all null. Fills one cotangent per operand: for linear ones the cotangent (null for zero), for others null.
      }],
      "::llvm::LogicalResult", "transpose",
      (ins "::nacre::ir::Builder &":$b, "::llvm::ArrayRef<::mlir::Value>":$operands,
           "::llvm::ArrayRef<::mlir::Value>":$cotangents, "::llvm::SmallVectorImpl<::mlir::Value> &":$results),
      "", [{ return $_op->emitOpError("has no transpose rule: it is not linear in the operands asked for"); }]>,
    InterfaceMethod<[{
        Batching. `operands` are the new operands; where `mapped` is set an operand has an extra leading dimension of
        `size`. At least one is mapped. Fills the results, each with the extra leading dimension. (Values with another
        batch axis are moved to the front by the transform before and after.) Elementwise ops need no rule.
      }],
      "::llvm::LogicalResult", "batch",
      (ins "::nacre::ir::Builder &":$b, "int64_t":$size, "::llvm::ArrayRef<::mlir::Value>":$operands,
           "::llvm::ArrayRef<bool>":$mapped, "::llvm::SmallVectorImpl<::mlir::Value> &":$results),
      "", [{ return ::nacre::ir::detail::batchElementwise($_op, b, size, operands, mapped, results); }]>,
    InterfaceMethod<[{
        The loops behind the op: named factors with sizes and kinds, and the index map of each operand and result.
        Failure for ops whose accesses depend on data or that have none (gather, scatter, call, ...). Elementwise ops
        need no rule.
      }],
      "::llvm::FailureOr<::nacre::ir::IterationSpace>", "iterationSpace", (ins),
      "", [{ return ::nacre::ir::detail::elementwiseSpace($_op); }]>,
  ];
}

#endif  // NACRE_IR_INTERFACES_TD
