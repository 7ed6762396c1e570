// Elementwise ops. Rules: ir/rules/elementwise*.cc
#ifndef NACRE_IR_ELEMENTWISE_TD
#define NACRE_IR_ELEMENTWISE_TD

include "ir/nacre_base.td"

// --- Floating-point functions of one operand: differentiable, not linear. ---
class Nacre_FloatFunctionOp<string mnemonic> : Nacre_UnaryOp<mnemonic, Nacre_FloatTensor, ["jvp"]>;

def Nacre_ExpOp : Nacre_FloatFunctionOp<"exponential"> { let summary = "e^x"; }
def Nacre_Expm1Op : Nacre_FloatFunctionOp<"exponential_minus_one"> { let summary = "e^x - 1, accurate near 0"; }
def Nacre_LogOp : Nacre_FloatFunctionOp<"log"> { let summary = "natural logarithm"; }
def Nacre_Log1pOp : Nacre_FloatFunctionOp<"log_plus_one"> { let summary = "log(1 + x), accurate near 0"; }
def Nacre_SinOp : Nacre_FloatFunctionOp<"sine"> { let summary = "sine of radians"; }
def Nacre_CosOp : Nacre_FloatFunctionOp<"cosine"> { let summary = "cosine of radians"; }
def Nacre_TanOp : Nacre_FloatFunctionOp<"tan"> { let summary = "tangent of radians"; }
def Nacre_AsinOp : Nacre_FloatFunctionOp<"asin"> { let summary = "arc sine, radians"; }
def Nacre_AcosOp : Nacre_FloatFunctionOp<"acos"> { let summary = "arc cosine, radians"; }
def Nacre_AtanOp : Nacre_FloatFunctionOp<"atan"> { let summary = "arc tangent, radians"; }
def Nacre_SinhOp : Nacre_FloatFunctionOp<"sinh"> { let summary = "hyperbolic sine"; }
def Nacre_CoshOp : Nacre_FloatFunctionOp<"cosh"> { let summary = "hyperbolic cosine"; }
def Nacre_TanhOp : Nacre_FloatFunctionOp<"tanh"> { let summary = "hyperbolic tangent"; }
def Nacre_AsinhOp : Nacre_FloatFunctionOp<"asinh"> { let summary = "inverse hyperbolic sine"; }
def Nacre_AcoshOp : Nacre_FloatFunctionOp<"acosh"> { let summary = "inverse hyperbolic cosine"; }
def Nacre_AtanhOp : Nacre_FloatFunctionOp<"atanh"> { let summary = "inverse hyperbolic tangent"; }
def Nacre_LogisticOp : Nacre_FloatFunctionOp<"logistic"> { let summary = "1 / (1 + e^-x)"; }
def Nacre_ErfOp : Nacre_FloatFunctionOp<"erf"> { let summary = "error function"; }
def Nacre_ErfcOp : Nacre_FloatFunctionOp<"erfc"> { let summary = "1 - erf(x)"; }
def Nacre_ErfInvOp : Nacre_FloatFunctionOp<"erf_inv"> { let summary = "inverse error function"; }
def Nacre_SqrtOp : Nacre_FloatFunctionOp<"sqrt"> { let summary = "square root, correctly rounded"; }
def Nacre_RsqrtOp : Nacre_FloatFunctionOp<"rsqrt"> { let summary = "1 / sqrt(x)"; }
def Nacre_CbrtOp : Nacre_FloatFunctionOp<"cbrt"> { let summary = "cube root"; }

// --- Rounding: piecewise constant. ---
class Nacre_RoundingOp<string mnemonic>
    : Nacre_UnaryOp<mnemonic, Nacre_FloatTensor, [], [Nacre_NotDifferentiable]>;
def Nacre_FloorOp : Nacre_RoundingOp<"floor"> { let summary = "towards minus infinity"; }
def Nacre_CeilOp : Nacre_RoundingOp<"ceil"> { let summary = "towards plus infinity"; }
def Nacre_RoundNearestEvenOp : Nacre_RoundingOp<"round_nearest_even"> { let summary = "ties to even"; }
def Nacre_RoundNearestAfzOp : Nacre_RoundingOp<"round_nearest_afz"> { let summary = "ties away from zero"; }

// --- Other unary ops. ---
def Nacre_AbsOp : Nacre_UnaryOp<"abs", Nacre_NumberTensor, ["jvp"]> {
  let summary = "absolute value; of the least signed integer: itself";
}
def Nacre_NegOp : Nacre_UnaryOp<"negate", Nacre_NumberTensor, ["jvp", "transpose"]> {
  let summary = "-x; modulo 2^n for integers";
}
def Nacre_SignOp : Nacre_UnaryOp<"sign", Nacre_NumberTensor, [], [Nacre_NotDifferentiable]> {
  let summary = "-1, 0 or 1; keeps -0 and NaN";
}
def Nacre_NotOp : Nacre_UnaryOp<"not", Nacre_IntOrPredTensor, [], [Nacre_NotDifferentiable]> {
  let summary = "bitwise complement; logical for i1";
}
def Nacre_PopcntOp : Nacre_UnaryOp<"popcnt", Nacre_IntTensor, [], [Nacre_NotDifferentiable]> {
  let summary = "number of one bits";
}
def Nacre_ClzOp : Nacre_UnaryOp<"count_leading_zeros", Nacre_IntTensor, [], [Nacre_NotDifferentiable]> {
  let summary = "number of leading zero bits";
}
def Nacre_StopGradientOp : Nacre_UnaryOp<"stop_gradient", Nacre_Tensor, [], [Nacre_NotDifferentiable]> {
  let summary = "identity whose derivative is zero; erased when tracing ends";
}
def Nacre_IsFiniteOp : Nacre_InferredOp<"is_finite", [],
                                        [Nacre_Elementwise, Nacre_NotDifferentiable]> {
  let summary = "neither infinite nor NaN";
  let arguments = (ins Nacre_FloatTensor:$operand);
  let results = (outs Nacre_PredTensor:$result);
  let assemblyFormat = "$operand attr-dict `:` functional-type(operands, results)";
}

// --- Binary arithmetic. ---
def Nacre_AddOp : Nacre_BinaryOp<"add", Nacre_Tensor, ["jvp", "transpose"], [Commutative]> {
  let summary = "x + y; modulo 2^n for integers, or for i1";
}
def Nacre_SubOp : Nacre_BinaryOp<"subtract", Nacre_NumberTensor, ["jvp", "transpose"]> { let summary = "x - y"; }
def Nacre_MulOp : Nacre_BinaryOp<"multiply", Nacre_Tensor, ["jvp", "transpose"], [Commutative]> {
  let summary = "x * y; and for i1";
}
def Nacre_DivOp : Nacre_BinaryOp<"divide", Nacre_NumberTensor, ["jvp", "transpose"]> {
  let summary = "x / y; integers truncate, x/0 = -1 (all ones), MIN/-1 = MIN";
}
def Nacre_RemOp : Nacre_BinaryOp<"remainder", Nacre_NumberTensor, ["jvp"]> {
  let summary = "remainder of truncating division: the sign is x's; x rem 0 = x for integers, NaN for floats";
}
def Nacre_PowOp : Nacre_BinaryOp<"power", Nacre_NumberTensor, ["jvp"]> {
  let summary = "x ^ y; integers: x^y modulo 2^n, negative y gives 0, 1 or -1";
}
def Nacre_Atan2Op : Nacre_BinaryOp<"atan2", Nacre_FloatTensor, ["jvp"]> { let summary = "angle of (y = lhs, x = rhs)"; }
def Nacre_MaxOp : Nacre_BinaryOp<"maximum", Nacre_Tensor, ["jvp"], [Commutative]> {
  let summary = "larger; NaN if either is; +0 over -0; or for i1";
}
def Nacre_MinOp : Nacre_BinaryOp<"minimum", Nacre_Tensor, ["jvp"], [Commutative]> {
  let summary = "smaller; NaN if either is; -0 under +0; and for i1";
}

// --- Bits. ---
class Nacre_BitsOp<string mnemonic, TypeConstraint type, list<Trait> traits = []>
    : Nacre_BinaryOp<mnemonic, type, [], traits # [Nacre_NotDifferentiable]>;
def Nacre_AndOp : Nacre_BitsOp<"and", Nacre_IntOrPredTensor, [Commutative]> { let summary = "bitwise and"; }
def Nacre_OrOp : Nacre_BitsOp<"or", Nacre_IntOrPredTensor, [Commutative]> { let summary = "bitwise or"; }
def Nacre_XorOp : Nacre_BitsOp<"xor", Nacre_IntOrPredTensor, [Commutative]> { let summary = "bitwise exclusive or"; }
def Nacre_ShiftLeftOp : Nacre_BitsOp<"shift_left", Nacre_IntTensor> {
  let summary = "x << y; 0 when y, read as unsigned, is not below the width";
}
def Nacre_ShiftRightArithmeticOp : Nacre_BitsOp<"shift_right_arithmetic", Nacre_IntTensor> {
  let summary = "x >> y filling with the sign bit (of unsigned types too); all sign bits when y is not below the width";
}
def Nacre_ShiftRightLogicalOp : Nacre_BitsOp<"shift_right_logical", Nacre_IntTensor> {
  let summary = "x >> y filling with zeros; 0 when y is not below the width";
}

// --- Comparison and choice. ---
def Nacre_ComparisonDirection : I32EnumAttr<"ComparisonDirection", "which comparison", [
    I32EnumAttrCase<"EQ", 0>, I32EnumAttrCase<"NE", 1>, I32EnumAttrCase<"GE", 2>,
    I32EnumAttrCase<"GT", 3>, I32EnumAttrCase<"LE", 4>, I32EnumAttrCase<"LT", 5>]> {
  let cppNamespace = "::nacre::ir";
  let genSpecializedAttr = 0;
}
def Nacre_ComparisonDirectionAttr : EnumAttr<Nacre_Dialect, Nacre_ComparisonDirection, "compare">;

def Nacre_CompareOp : Nacre_InferredOp<"compare", [],
    [Nacre_Elementwise, Nacre_NotDifferentiable, SameTypeOperands]> {
  let summary = "elementwise comparison; with NaN all but NE are false";
  let arguments = (ins Nacre_Tensor:$lhs, Nacre_Tensor:$rhs, Nacre_ComparisonDirectionAttr:$direction);
  let results = (outs Nacre_PredTensor:$result);
  let assemblyFormat = "`` $direction $lhs `,` $rhs attr-dict `:` functional-type(operands, results)";
}
def Nacre_SelectOp : Nacre_InferredOp<"select", ["jvp", "transpose"], [Nacre_Elementwise]> {
  let summary = "pred ? on_true : on_false; pred has the full shape";
  let arguments = (ins Nacre_PredTensor:$pred, Nacre_Tensor:$on_true, Nacre_Tensor:$on_false);
  let results = (outs Nacre_Tensor:$result);
  let assemblyFormat = "$pred `,` $on_true `,` $on_false attr-dict `:` functional-type(operands, results)";
}
def Nacre_ClampOp : Nacre_PureOp<"clamp", ["jvp"],
                                 [Nacre_Elementwise, SameOperandsAndResultType]> {
  let summary = "minimum(maximum(operand, min), max); all of one shape";
  let arguments = (ins Nacre_NumberTensor:$min, Nacre_NumberTensor:$operand, Nacre_NumberTensor:$max);
  let results = (outs Nacre_NumberTensor:$result);
  let assemblyFormat = "$min `,` $operand `,` $max attr-dict `:` type($operand)";
}

// --- Types. ---
def Nacre_ConvertOp : Nacre_PureOp<"convert", ["jvp", "transpose"], [Nacre_Elementwise]> {
  let summary = "to another element type: floats round to nearest even; float to integer truncates and saturates, "
                "NaN gives 0; to i1: x != 0; integers wrap";
  let arguments = (ins Nacre_Tensor:$operand);
  let results = (outs Nacre_Tensor:$result);
  let hasVerifier = 1;
  let hasFolder = 1;
  let assemblyFormat = "$operand attr-dict `:` functional-type(operands, results)";
}
def Nacre_BitcastConvertOp : Nacre_PureOp<"bitcast_convert", ["batch", "iterationSpace"], [Nacre_NotDifferentiable]> {
  let summary = "the same bits as another type; a narrower or wider type adds or removes a last dimension";
  let arguments = (ins Nacre_NumberTensor:$operand);
  let results = (outs Nacre_NumberTensor:$result);
  let hasVerifier = 1;
  let assemblyFormat = "$operand attr-dict `:` functional-type(operands, results)";
}

// --- Random bits. ---
def Nacre_Threefry2x32Op : Nacre_PureOp<"threefry2x32", [],
    [Nacre_Elementwise, Nacre_NotDifferentiable, InferTypeOpAdaptor]> {
  let summary = "20 rounds of Threefry-2x32: counters (x0, x1) encrypted under (key0, key1); all of one shape";
  let description = "Salmon et al., Parallel Random Numbers: As Easy as 1, 2, 3, SC 2011.";
  let arguments = (ins Nacre_U32Tensor:$key0, Nacre_U32Tensor:$key1, Nacre_U32Tensor:$x0, Nacre_U32Tensor:$x1);
  let results = (outs Nacre_U32Tensor:$y0, Nacre_U32Tensor:$y1);
  let assemblyFormat = "$key0 `,` $key1 `,` $x0 `,` $x1 attr-dict `:` functional-type(operands, results)";
}

#endif  // NACRE_IR_ELEMENTWISE_TD
