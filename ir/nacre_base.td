// Dialect, type constraints and op classes.
#ifndef NACRE_IR_BASE_TD
#define NACRE_IR_BASE_TD

include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/EnumAttr.td"
include "mlir/IR/OpBase.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "ir/nacre_interfaces.td"

def Nacre_Dialect : Dialect {
  let name = "nacre";
  let cppNamespace = "::nacre::ir";
  let summary = "Pure functions over arrays of static shape.";
  let useDefaultAttributePrinterParser = 1;
  let hasConstantMaterializer = 1;
  let description = [{
    Ops over builtin ranked tensors with static shapes. Meaning and attribute names follow the public StableHLO
    specification where the op exists there; docs/ops.md is the table. Unsigned integers are ui8..ui64, signed ones
    signless; booleans are i1.
  }];
}

def Nacre_FloatTensor : StaticShapeTensorOf<[BF16, F32, F64]>;
def Nacre_PredTensor : StaticShapeTensorOf<[I1]>;
def Nacre_IntTensor : StaticShapeTensorOf<[I32, I64, UI8, UI32]>;
def Nacre_IntOrPredTensor : StaticShapeTensorOf<[I1, I32, I64, UI8, UI32]>;
def Nacre_NumberTensor : StaticShapeTensorOf<[I32, I64, UI8, UI32, BF16, F32, F64]>;
def Nacre_Tensor : StaticShapeTensorOf<[I1, I32, I64, UI8, UI32, BF16, F32, F64]>;
def Nacre_U32Tensor : StaticShapeTensorOf<[UI32]>;

// Result i at an index depends on the operands at that same index only. Rank-0 operands are not broadcast.
def Nacre_Elementwise : NativeOpTrait<"Elementwise"> { let cppNamespace = "::nacre::ir"; }
// Derivatives are zero: comparisons, integer ops, rounding. The transforms never ask such an op for a jvp.
def Nacre_NotDifferentiable : NativeOpTrait<"NotDifferentiable"> { let cppNamespace = "::nacre::ir"; }

class Nacre_Rules<list<string> methods> : DeclareOpInterfaceMethods<Nacre_RuleInterface, methods>;

class Nacre_Op<string mnemonic, list<Trait> traits = []> : Op<Nacre_Dialect, mnemonic, traits>;

// `rules` lists the interface methods that ir/rules/ implements for the op.
class Nacre_PureOp<string mnemonic, list<string> rules, list<Trait> traits = []>
    : Nacre_Op<mnemonic, traits # [Pure, Nacre_Rules<rules>]>;

// Op whose result types follow from operands and attributes; verified and traced through the same function.
class Nacre_InferredOp<string mnemonic, list<string> rules, list<Trait> traits = []>
    : Nacre_PureOp<mnemonic, rules, traits # [InferTypeOpAdaptor]>;

class Nacre_UnaryOp<string mnemonic, TypeConstraint type, list<string> rules, list<Trait> traits = []>
    : Nacre_PureOp<mnemonic, rules, traits # [Nacre_Elementwise, SameOperandsAndResultType]> {
  let arguments = (ins type:$operand);
  let results = (outs type:$result);
  let assemblyFormat = "$operand attr-dict `:` type($operand)";
}

class Nacre_BinaryOp<string mnemonic, TypeConstraint type, list<string> rules, list<Trait> traits = []>
    : Nacre_PureOp<mnemonic, rules, traits # [Nacre_Elementwise, SameOperandsAndResultType]> {
  let arguments = (ins type:$lhs, type:$rhs);
  let results = (outs type:$result);
  let assemblyFormat = "$lhs `,` $rhs attr-dict `:` type($lhs)";
}

#endif  // NACRE_IR_BASE_TD
