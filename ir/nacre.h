// The nacre dialect: ops, interfaces and traits. Include ir/builder.h to create ops conveniently.
#pragma once
#include "ir/iteration_space.h"
#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

namespace nacre::ir {

class Builder;

// See ir/nacre_base.td for what the traits promise.
template <class ConcreteType>
class Elementwise : public mlir::OpTrait::TraitBase<ConcreteType, Elementwise> {};
template <class ConcreteType>
class NotDifferentiable : public mlir::OpTrait::TraitBase<ConcreteType, NotDifferentiable> {};

namespace detail {
// What the rule interface does for ops with trait Elementwise; an error, or failure, for others.
mlir::LogicalResult batchElementwise(mlir::Operation* op, Builder& b, int64_t size,
                                     llvm::ArrayRef<mlir::Value> operands, llvm::ArrayRef<bool> mapped,
                                     llvm::SmallVectorImpl<mlir::Value>& results);
mlir::FailureOr<IterationSpace> elementwiseSpace(mlir::Operation* op);
}  // namespace detail

// Name of the attribute that marks a func.func as a kernel; its value is the schedule family.
inline constexpr llvm::StringLiteral kKernelAttr = "nacre.kernel";
// Argument attributes of a function: key path, donation, and constants that were hoisted out of the text.
inline constexpr llvm::StringLiteral kNameAttr = "nacre.name";
inline constexpr llvm::StringLiteral kDonatedAttr = "nacre.donated";
inline constexpr llvm::StringLiteral kHiddenAttr = "nacre.hidden";

}  // namespace nacre::ir

#include "ir/nacre_dialect.h.inc"
#include "ir/nacre_enums.h.inc"
#include "ir/nacre_interfaces.h.inc"
#define GET_ATTRDEF_CLASSES
#include "ir/nacre_attrs.h.inc"
#define GET_OP_CLASSES
#include "ir/nacre_ops.h.inc"
