// Structured, indexing and structural ops. Elementwise ones are in ir/nacre_elementwise.td.
#ifndef NACRE_IR_OPS_TD
#define NACRE_IR_OPS_TD

include "mlir/IR/SymbolInterfaces.td"
include "ir/nacre_base.td"
include "ir/nacre_elementwise.td"

// --- Creation. Rules: ir/rules/shape.cc ---
def Nacre_ConstantOp : Nacre_PureOp<"constant", ["iterationSpace"],
    [ConstantLike, Nacre_NotDifferentiable, AllTypesMatch<["value", "result"]>]> {
  let summary = "literal values; arrays above 1 KiB are hidden arguments instead";
  let arguments = (ins ElementsAttr:$value);
  let results = (outs Nacre_Tensor:$result);
  let hasFolder = 1;
  let assemblyFormat = "attr-dict $value";
}
def Nacre_IotaOp : Nacre_PureOp<"iota", ["iterationSpace"], [Nacre_NotDifferentiable]> {
  let summary = "0, 1, 2, ... along one dimension";
  let arguments = (ins I64Attr:$iota_dimension);
  let results = (outs Nacre_NumberTensor:$result);
  let hasVerifier = 1;
  let assemblyFormat = "`dim` `=` $iota_dimension attr-dict `:` type($result)";
}

// --- Moves. Rules: ir/rules/shape.cc, ir/rules/slicing.cc. All are linear. ---
def Nacre_BroadcastInDimOp : Nacre_PureOp<"broadcast_in_dim", ["jvp", "transpose", "batch", "iterationSpace"]> {
  let summary = "operand dimension i becomes result dimension broadcast_dimensions[i]; size-1 ones stretch";
  let arguments = (ins Nacre_Tensor:$operand, DenseI64ArrayAttr:$broadcast_dimensions);
  let results = (outs Nacre_Tensor:$result);
  let hasVerifier = 1;
  let hasFolder = 1;
  let assemblyFormat = [{$operand `,` `dims` `=` $broadcast_dimensions attr-dict `:` functional-type(operands, results)}];
}
def Nacre_ReshapeOp : Nacre_PureOp<"reshape", ["jvp", "transpose", "batch", "iterationSpace"]> {
  let summary = "same elements in row-major order, another shape";
  let arguments = (ins Nacre_Tensor:$operand);
  let results = (outs Nacre_Tensor:$result);
  let hasVerifier = 1;
  let hasFolder = 1;
  let assemblyFormat = "$operand attr-dict `:` functional-type(operands, results)";
}
def Nacre_TransposeOp : Nacre_InferredOp<"transpose", ["jvp", "transpose", "batch", "iterationSpace"]> {
  let summary = "result dimension i is operand dimension permutation[i]";
  let arguments = (ins Nacre_Tensor:$operand, DenseI64ArrayAttr:$permutation);
  let results = (outs Nacre_Tensor:$result);
  let hasFolder = 1;
  let assemblyFormat = [{$operand `,` `dims` `=` $permutation attr-dict `:` functional-type(operands, results)}];
}
def Nacre_ReverseOp : Nacre_InferredOp<"reverse", ["jvp", "transpose", "batch", "iterationSpace"]> {
  let summary = "elements in opposite order along the dimensions";
  let arguments = (ins Nacre_Tensor:$operand, DenseI64ArrayAttr:$dimensions);
  let results = (outs Nacre_Tensor:$result);
  let assemblyFormat = [{$operand `,` `dims` `=` $dimensions attr-dict `:` functional-type(operands, results)}];
}
def Nacre_SliceOp : Nacre_InferredOp<"slice", ["jvp", "transpose", "batch", "iterationSpace"]> {
  let summary = "elements start, start + stride, ... below limit of each dimension";
  let arguments = (ins Nacre_Tensor:$operand, DenseI64ArrayAttr:$start_indices, DenseI64ArrayAttr:$limit_indices,
                       DenseI64ArrayAttr:$strides);
  let results = (outs Nacre_Tensor:$result);
  let hasFolder = 1;
  let assemblyFormat = [{$operand `,` `start` `=` $start_indices `,` `limit` `=` $limit_indices `,` `strides` `=` $strides
      attr-dict `:` functional-type(operands, results)}];
}
def Nacre_PadOp : Nacre_InferredOp<"pad", ["jvp", "transpose", "batch"]> {
  let summary = "padding_value around and (interior) between elements; negative edges remove elements";
  let arguments = (ins Nacre_Tensor:$operand, Nacre_Tensor:$padding_value, DenseI64ArrayAttr:$edge_padding_low,
                       DenseI64ArrayAttr:$edge_padding_high, DenseI64ArrayAttr:$interior_padding);
  let results = (outs Nacre_Tensor:$result);
  let assemblyFormat = [{$operand `,` $padding_value `,` `low` `=` $edge_padding_low `,` `high` `=` $edge_padding_high `,`
      `interior` `=` $interior_padding attr-dict `:` functional-type(operands, results)}];
}
def Nacre_ConcatenateOp : Nacre_InferredOp<"concatenate", ["jvp", "transpose", "batch"]> {
  let summary = "operands one after the other along a dimension";
  let arguments = (ins Variadic<Nacre_Tensor>:$inputs, I64Attr:$dimension);
  let results = (outs Nacre_Tensor:$result);
  let assemblyFormat = "`(` $inputs `)` `,` `dim` `=` $dimension attr-dict `:` functional-type(operands, results)";
}

// --- Indexing by data. Rules: ir/rules/indexing.cc ---
def Nacre_DynamicSliceOp : Nacre_InferredOp<"dynamic_slice", ["jvp", "transpose", "batch"]> {
  let summary = "window of slice_sizes at the (clamped) start indices, one integer scalar per dimension";
  let arguments = (ins Nacre_Tensor:$operand, Variadic<Nacre_IntTensor>:$start_indices, DenseI64ArrayAttr:$slice_sizes);
  let results = (outs Nacre_Tensor:$result);
  let assemblyFormat = [{$operand `at` `(` $start_indices `)` `,` `sizes` `=` $slice_sizes attr-dict `:`
      functional-type(operands, results)}];
}
def Nacre_DynamicUpdateSliceOp : Nacre_InferredOp<"dynamic_update_slice", ["jvp", "transpose", "batch"]> {
  let summary = "operand with the window at the (clamped) start indices replaced by update";
  let arguments = (ins Nacre_Tensor:$operand, Nacre_Tensor:$update, Variadic<Nacre_IntTensor>:$start_indices);
  let results = (outs Nacre_Tensor:$result);
  let assemblyFormat = [{$operand `,` $update `at` `(` $start_indices `)` attr-dict `:`
      functional-type(operands, results)}];
}
def Nacre_GatherOp : Nacre_InferredOp<"gather", ["jvp", "transpose", "batch"]> {
  let summary = "windows of operand at positions given by start_indices (clamped), as in StableHLO";
  let arguments = (ins Nacre_Tensor:$operand, Nacre_IntTensor:$start_indices, DenseI64ArrayAttr:$offset_dims,
      DenseI64ArrayAttr:$collapsed_slice_dims, DenseI64ArrayAttr:$operand_batching_dims,
      DenseI64ArrayAttr:$start_indices_batching_dims, DenseI64ArrayAttr:$start_index_map, I64Attr:$index_vector_dim,
      DenseI64ArrayAttr:$slice_sizes, DefaultValuedAttr<BoolAttr, "false">:$indices_are_sorted);
  let results = (outs Nacre_Tensor:$result);
  let assemblyFormat = "$operand `,` $start_indices attr-dict `:` functional-type(operands, results)";
}
// What reduce, scatter (and later reduce_window) combine with. `set` is scatter's only.
def Nacre_CombineKind : I32EnumAttr<"CombineKind", "how values are combined", [
    I32EnumAttrCase<"Add", 0, "add">, I32EnumAttrCase<"Mul", 1, "mul">, I32EnumAttrCase<"Min", 2, "min">,
    I32EnumAttrCase<"Max", 3, "max">, I32EnumAttrCase<"And", 4, "and">, I32EnumAttrCase<"Or", 5, "or">,
    I32EnumAttrCase<"Xor", 6, "xor">, I32EnumAttrCase<"Set", 7, "set">]> {
  let cppNamespace = "::nacre::ir";
  let genSpecializedAttr = 0;
}
def Nacre_CombineKindAttr : EnumAttr<Nacre_Dialect, Nacre_CombineKind, "combine">;

def Nacre_ScatterOp : Nacre_InferredOp<"scatter", ["jvp", "transpose", "batch"]> {
  let summary = "operand with windows of updates combined in at positions given by scatter_indices, as in StableHLO: "
                "updates out of bounds are dropped; kinds set and add; equal positions in index order";
  let arguments = (ins Nacre_CombineKindAttr:$kind, Nacre_Tensor:$operand, Nacre_IntTensor:$scatter_indices,
      Nacre_Tensor:$updates, DenseI64ArrayAttr:$update_window_dims, DenseI64ArrayAttr:$inserted_window_dims,
      DenseI64ArrayAttr:$input_batching_dims, DenseI64ArrayAttr:$scatter_indices_batching_dims,
      DenseI64ArrayAttr:$scatter_dims_to_operand_dims, I64Attr:$index_vector_dim,
      DefaultValuedAttr<BoolAttr, "false">:$indices_are_sorted, DefaultValuedAttr<BoolAttr, "false">:$unique_indices);
  let results = (outs Nacre_Tensor:$result);
  let assemblyFormat = "`` $kind $operand `,` $scatter_indices `,` $updates attr-dict `:` functional-type(operands, results)";
}

// --- Reductions. Rules: ir/rules/reductions.cc ---
def Nacre_ReduceOp : Nacre_InferredOp<"reduce", ["jvp", "transpose", "batch", "iterationSpace"]> {
  let summary = "each operand combined over the dimensions, which disappear; empty ones give the kind's identity. "
                "min and max carry NaN; bf16 sums in f32";
  let arguments = (ins Nacre_CombineKindAttr:$kind, Variadic<Nacre_Tensor>:$inputs, DenseI64ArrayAttr:$dimensions);
  let results = (outs Variadic<Nacre_Tensor>:$outputs);
  let assemblyFormat = "`` $kind `(` $inputs `)` `,` `dims` `=` $dimensions attr-dict `:` functional-type(operands, results)";
}
def Nacre_ArgReduceOp : Nacre_PureOp<"arg_reduce", ["batch", "iterationSpace"], [Nacre_NotDifferentiable]> {
  let summary = "index of the least (kind min) or greatest (kind max) element along a dimension; the first of equals, "
                "the first NaN if there is one";
  let arguments = (ins Nacre_CombineKindAttr:$kind, Nacre_NumberTensor:$operand, I64Attr:$dimension);
  let results = (outs Nacre_IntTensor:$result);
  let hasVerifier = 1;
  let assemblyFormat = "`` $kind $operand `,` `dim` `=` $dimension attr-dict `:` functional-type(operands, results)";
}

// --- Contractions. Rules: ir/rules/contractions.cc ---
def Nacre_DotGeneralOp : Nacre_InferredOp<"dot_general", ["jvp", "transpose", "batch", "iterationSpace"]> {
  let summary = "sum of products over the contracting dimensions; result dimensions: batching, lhs free, rhs free. "
                "bf16 operands accumulate in f32 and round once";
  let arguments = (ins Nacre_NumberTensor:$lhs, Nacre_NumberTensor:$rhs, DenseI64ArrayAttr:$lhs_batching_dimensions,
      DenseI64ArrayAttr:$rhs_batching_dimensions, DenseI64ArrayAttr:$lhs_contracting_dimensions,
      DenseI64ArrayAttr:$rhs_contracting_dimensions, OptionalAttr<TypeAttr>:$preferred_element_type);
  let results = (outs Nacre_NumberTensor:$result);
  let assemblyFormat = [{$lhs `,` $rhs `,` `batching` `=` $lhs_batching_dimensions `x` $rhs_batching_dimensions `,`
      `contracting` `=` $lhs_contracting_dimensions `x` $rhs_contracting_dimensions
      (`,` `preferred` `=` $preferred_element_type^)? attr-dict `:` functional-type(operands, results)}];
}

// --- Structure. Rules: ir/rules/structure.cc ---
def Nacre_OptimizationBarrierOp : Nacre_PureOp<"optimization_barrier", ["jvp", "transpose", "batch"]> {
  let summary = "identity that no simplification, sharing or fusion crosses";
  let arguments = (ins Variadic<Nacre_Tensor>:$inputs);
  let results = (outs Variadic<Nacre_Tensor>:$outputs);
  let hasVerifier = 1;
  let assemblyFormat = "$inputs attr-dict `:` functional-type(operands, results)";
}
def Nacre_CallOp : Nacre_Op<"call", [DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "call of a function of the module; inlined before transforms and code generation";
  let arguments = (ins FlatSymbolRefAttr:$callee, Variadic<Nacre_Tensor>:$inputs);
  let results = (outs Variadic<Nacre_Tensor>:$outputs);
  let assemblyFormat = "$callee `(` $inputs `)` attr-dict `:` functional-type(operands, results)";
}

// --- After fusion. ---
def Nacre_FusionOp : Nacre_Op<"fusion", [Pure, IsolatedFromAbove, SingleBlock]> {
  let summary = "ops that become one kernel";
  let description = [{
    `kind` is the schedule family (pointwise, transpose, row, column, split_reduce, contraction, indexed), `why` says in
    words what the cost model saw. The block's arguments are the operands, its terminator yields the results.
  }];
  let arguments = (ins Variadic<Nacre_Tensor>:$inputs, StrAttr:$kind, DefaultValuedStrAttr<StrAttr, "">:$why);
  let results = (outs Variadic<Nacre_Tensor>:$outputs);
  let regions = (region SizedRegion<1>:$body);
  let hasVerifier = 1;
  let assemblyFormat = "$kind `(` $inputs `)` $body attr-dict `:` functional-type(operands, results)";
}
def Nacre_YieldOp : Nacre_Op<"yield", [Pure, Terminator, HasParent<"FusionOp">]> {
  let summary = "results of a fusion";
  let arguments = (ins Variadic<Nacre_Tensor>:$values);
  let assemblyFormat = "($values^ `:` type($values))? attr-dict";
}
def Nacre_LaunchOp : Nacre_Op<"launch", [Pure, DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "run of a kernel: a func.func of the module with the attribute nacre.kernel = \"<kind>\"";
  let arguments = (ins FlatSymbolRefAttr:$kernel, Variadic<Nacre_Tensor>:$inputs);
  let results = (outs Variadic<Nacre_Tensor>:$outputs);
  let assemblyFormat = "$kernel `(` $inputs `)` attr-dict `:` functional-type(operands, results)";
}

#endif  // NACRE_IR_OPS_TD
