// The tile dialect: a kernel as a grid of programs over tiles. Schedules write it, the CPU (later GPU) lowering reads it.
#ifndef NACRE_CODEGEN_TILE_TD
#define NACRE_CODEGEN_TILE_TD

include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/BuiltinAttributes.td"
include "mlir/IR/EnumAttr.td"
include "mlir/IR/OpBase.td"
include "mlir/IR/SymbolInterfaces.td"
include "mlir/Interfaces/FunctionInterfaces.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "ir/nacre_ops.td"

def Tile_Dialect : Dialect {
  let name = "tile";
  let cppNamespace = "::nacre::tile";
  let summary = "Kernels as grids of programs over tiles.";
  let description = [{
    A tile is an SSA value of builtin ranked tensor type: rank 0 (a scalar) or rank 1 (lanes). Elementwise nacre ops
    (arithmetic, compare, select, convert, constant, threefry, ...) apply to tiles as they are. Loops are scf.for and
    scf.if, with tiles as loop-carried values; index arithmetic is arith on index and affine.apply. Nothing allocates:
    buffers are arguments or per-thread scratch.
  }];
  let dependentDialects = ["::nacre::ir::NacreDialect"];
  let useDefaultTypePrinterParser = 1;
}

def Tile_BufferType : TypeDef<Tile_Dialect, "Buffer"> {
  let mnemonic = "buffer";
  let summary = "memory of a static shape, row-major, of builtin element type (i1 takes one byte)";
  let parameters = (ins ArrayRefParameter<"int64_t">:$shape, "::mlir::Type":$elementType);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
  let builders = [TypeBuilderWithInferredContext<(ins "::mlir::RankedTensorType":$type), [{
      return $_get(type.getContext(), type.getShape(), type.getElementType()); }]>];
  let extraClassDeclaration = [{ ::mlir::RankedTensorType tensorType() const; }];
}

class Tile_Op<string mnemonic, list<Trait> traits = []> : Op<Tile_Dialect, mnemonic, traits>;
def Tile_Tile : RankedTensorOf<[AnyType]>;

def Tile_FuncOp : Tile_Op<"func", [FunctionOpInterface, IsolatedFromAbove]> {
  let summary = "a kernel: its entry block takes the program number (index), then the buffers: inputs, outputs";
  let description = [{
    `grid` programs run in any order, on any thread; `inputs` of the buffers are read only. An output may share memory
    with an input of the same type only if `in_place` names the pair (output number -> input number); each element is
    then read before it is written and by the same program.
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, TypeAttrOf<FunctionType>:$function_type, I64Attr:$grid, I64Attr:$inputs,
      StrAttr:$schedule, DefaultValuedAttr<DenseI64ArrayAttr, "{}">:$in_place,
      OptionalAttr<DictArrayAttr>:$arg_attrs, OptionalAttr<DictArrayAttr>:$res_attrs);
  let regions = (region AnyRegion:$body);
  let hasVerifier = 1;
  let hasCustomAssemblyFormat = 1;
  let extraClassDeclaration = [{
    ::llvm::ArrayRef<::mlir::Type> getArgumentTypes() { return getFunctionType().getInputs(); }
    ::llvm::ArrayRef<::mlir::Type> getResultTypes() { return getFunctionType().getResults(); }
    ::mlir::Region* getCallableRegion() { return &getBody(); }
  }];
}
def Tile_ReturnOp : Tile_Op<"return", [Pure, Terminator, HasParent<"FuncOp">]> { let assemblyFormat = "attr-dict"; }

def Tile_ScratchOp : Tile_Op<"scratch"> {
  let summary = "per-thread memory, uninitialised, alive in the whole program; 64-byte aligned";
  let results = (outs Tile_BufferType:$buffer);
  let assemblyFormat = "attr-dict `:` type($buffer)";
}

// Memory accesses: element l of the tile is buffer[map(indices..., l)]; a scalar tile has no l. `map` has one dim per
// index operand, then one for the lane if the tile has rank 1, and one result per buffer dimension. Lanes at or past
// `valid` (absent: all are valid) are neither read (they become 0) nor written. Where `mask` is given, lanes where it is
// false are not accessed either.
def Tile_LoadOp : Tile_Op<"load", [AttrSizedOperandSegments, MemoryEffects<[MemRead]>]> {
  let arguments = (ins Tile_BufferType:$buffer, Variadic<Index>:$indices, Optional<Index>:$valid, Optional<Tile_Tile>:$mask,
                       AffineMapAttr:$map);
  let results = (outs Tile_Tile:$tile);
  let hasVerifier = 1;
  let assemblyFormat = [{$buffer `,` $map `(` $indices `)` (`valid` $valid^)? (`mask` $mask^ `:` type($mask))? attr-dict `:`
      type($buffer) `->` type($tile)}];
}
def Tile_StoreOp : Tile_Op<"store", [AttrSizedOperandSegments, MemoryEffects<[MemWrite]>]> {
  let arguments = (ins Tile_Tile:$tile, Tile_BufferType:$buffer, Variadic<Index>:$indices, Optional<Index>:$valid,
                       Optional<Tile_Tile>:$mask, AffineMapAttr:$map, DefaultValuedAttr<BoolAttr, "false">:$streaming);
  let hasVerifier = 1;
  let assemblyFormat = [{$tile `,` $buffer `,` $map `(` $indices `)` (`valid` $valid^)? (`mask` $mask^ `:` type($mask))?
      attr-dict `:` type($tile) `->` type($buffer)}];
}
def Tile_PrefetchOp : Tile_Op<"prefetch", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "asks for the cache line of buffer[map(indices...)]; an address outside the buffer is harmless";
  let arguments = (ins Tile_BufferType:$buffer, Variadic<Index>:$indices, AffineMapAttr:$map);
  let assemblyFormat = "$buffer `,` $map `(` $indices `)` attr-dict `:` type($buffer)";
}
// Data-dependent access: element l is buffer[indices...[l]]; each index is a tile of i64 of the result's shape and
// inside the buffer where the mask (absent: all) is set; masked lanes are 0.
def Tile_GatherOp : Tile_Op<"gather", [AttrSizedOperandSegments, MemoryEffects<[MemRead]>]> {
  let arguments = (ins Tile_BufferType:$buffer, Variadic<Tile_Tile>:$indices, Optional<Tile_Tile>:$mask);
  let results = (outs Tile_Tile:$tile);
  let hasVerifier = 1;
  let assemblyFormat = [{$buffer `[` $indices `:` type($indices) `]` (`mask` $mask^ `:` type($mask))? attr-dict `:` type($buffer) `->`
      type($tile)}];
}

// --- Between index, scalars and lanes. ---
def Tile_FromIndexOp : Tile_Op<"from_index", [Pure]> {
  let summary = "an index as a scalar tile of i64";
  let arguments = (ins Index:$index);
  let results = (outs Tile_Tile:$tile);
  let assemblyFormat = "$index attr-dict `:` type($tile)";
}
def Tile_ToIndexOp : Tile_Op<"to_index", [Pure]> {
  let summary = "a scalar integer tile as an index; unsigned types are zero-extended";
  let arguments = (ins Tile_Tile:$tile);
  let results = (outs Index:$index);
  let assemblyFormat = "$tile attr-dict `:` type($tile)";
}
def Tile_ToBoolOp : Tile_Op<"to_bool", [Pure]> {
  let summary = "a scalar i1 tile as the condition of scf.if";
  let arguments = (ins Tile_Tile:$tile);
  let results = (outs I1:$condition);
  let assemblyFormat = "$tile attr-dict `:` type($tile)";
}
def Tile_LanesOp : Tile_Op<"lanes", [Pure]> {
  let summary = "0, 1, 2, ... as i64";
  let results = (outs Tile_Tile:$tile);
  let assemblyFormat = "attr-dict `:` type($tile)";
}
def Tile_SplatOp : Tile_Op<"splat", [Pure]> {
  let summary = "a scalar in every lane";
  let arguments = (ins Tile_Tile:$scalar);
  let results = (outs Tile_Tile:$tile);
  let hasVerifier = 1;
  let assemblyFormat = "$scalar attr-dict `:` type($scalar) `->` type($tile)";
}
def Tile_ReduceOp : Tile_Op<"reduce", [Pure]> {
  let summary = "lanes combined into a scalar, by halves (fixed order); min and max carry NaN";
  let arguments = (ins Nacre_CombineKindAttr:$kind, Tile_Tile:$tile);
  let results = (outs Tile_Tile:$scalar);
  let hasVerifier = 1;
  let assemblyFormat = "$kind $tile attr-dict `:` type($tile) `->` type($scalar)";
}
def Tile_SameMemoryOp : Tile_Op<"same_memory", [Pure]> {
  let summary = "do both buffers start at the same address? For kernels that may run in place";
  let arguments = (ins Tile_BufferType:$lhs, Tile_BufferType:$rhs);
  let results = (outs I1:$result);
  let assemblyFormat = "$lhs `,` $rhs attr-dict `:` type($lhs) `,` type($rhs)";
}
// a*b + c with one rounding: for accumulation inside contractions and reductions only.
def Tile_FmaOp : Tile_Op<"fma", [Pure, SameOperandsAndResultType]> {
  let arguments = (ins Tile_Tile:$a, Tile_Tile:$b, Tile_Tile:$c);
  let results = (outs Tile_Tile:$result);
  let assemblyFormat = "$a `,` $b `,` $c attr-dict `:` type($result)";
}
// Transposes a square block held as one tile per row.
def Tile_TransposeOp : Tile_Op<"transpose", [Pure]> {
  let summary = "n tiles of n lanes: result j holds lane j of every operand, in order";
  let arguments = (ins Variadic<Tile_Tile>:$rows);
  let results = (outs Variadic<Tile_Tile>:$columns);
  let hasVerifier = 1;
  let assemblyFormat = "$rows attr-dict `:` type($rows) `->` type($columns)";
}

// --- Products. ---
def Tile_ContractOp : Tile_Op<"contract", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "C[m, n] += sum over k of A[k, m] * B[k, n], or = where `accumulate` is false";
  let description = [{
    A and B are packed panels in scratch (or arguments): A is [M/mr, K, mr] and B is [N/nr, K, nr], C is [M, N] row-major;
    M is a multiple of mr, N of nr (the packing pads with zeros). One micro-kernel of mr x nr accumulators; f32, f64, and
    bf16 operands with an f32 C. The depth actually used is the operand `depth` (at most K).
  }];
  let arguments = (ins Tile_BufferType:$a, Tile_BufferType:$b, Tile_BufferType:$c, Index:$depth, BoolAttr:$accumulate);
  let hasVerifier = 1;
  let assemblyFormat = [{$a `,` $b `->` $c `depth` $depth `accumulate` $accumulate attr-dict `:` type($a) `,` type($b) `->`
      type($c)}];
}

#endif  // NACRE_CODEGEN_TILE_TD
