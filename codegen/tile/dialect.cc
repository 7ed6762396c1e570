#include "codegen/tile/dialect.h"

#include "llvm/ADT/TypeSwitch.h"
#include "mlir/IR/DialectImplementation.h"
#include "mlir/Interfaces/FunctionImplementation.h"

using namespace mlir;

#include "codegen/tile/tile_dialect.cc.inc"
#define GET_TYPEDEF_CLASSES
#include "codegen/tile/tile_types.cc.inc"
#define GET_OP_CLASSES
#include "codegen/tile/tile_ops.cc.inc"

namespace nacre::tile {

void TileDialect::initialize() {
  addTypes<
#define GET_TYPEDEF_LIST
#include "codegen/tile/tile_types.cc.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "codegen/tile/tile_ops.cc.inc"
      >();
}

int64_t lanesOf(Type tile) {
  auto type = cast<RankedTensorType>(tile);
  return type.getRank() == 0 ? 1 : type.getDimSize(0);
}

bool isScalarTile(Type tile) { return cast<RankedTensorType>(tile).getRank() == 0; }

// --- The buffer type: !tile.buffer<4x8xf32>. ---

Type BufferType::parse(AsmParser& parser) {
  SmallVector<int64_t> shape;
  Type element;
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseLess() || parser.parseDimensionList(shape, /*allowDynamic=*/false) || parser.parseType(element) ||
      parser.parseGreater())
    return {};
  return parser.getChecked<BufferType>(loc, parser.getContext(), shape, element);
}

void BufferType::print(AsmPrinter& printer) const {
  printer << '<';
  for (int64_t d : getShape()) printer << d << 'x';
  printer << getElementType() << '>';
}

LogicalResult BufferType::verify(llvm::function_ref<InFlightDiagnostic()> emitError, ArrayRef<int64_t> shape,
                                 Type element) {
  if (llvm::any_of(shape, [](int64_t d) { return d < 0; })) return emitError() << "tile.buffer: negative dimension";
  bool isInt = element.isInteger(1) || element.isInteger(8) || element.isInteger(16) || element.isInteger(32) ||
               element.isInteger(64);
  if (!isInt && !isa<BFloat16Type, Float32Type, Float64Type>(element))
    return emitError() << "tile.buffer: element type " << element
                       << " is not supported; integers of 1, 8, 16, 32 or 64 bits, bf16, f32 and f64 are";
  return success();
}

RankedTensorType BufferType::tensorType() const { return RankedTensorType::get(getShape(), getElementType()); }

// --- tile.func. ---

FuncOp createFunc(OpBuilder& builder, Location loc, StringRef name, ArrayRef<Type> buffers, int64_t inputs,
                  int64_t grid, StringRef schedule, ArrayRef<int64_t> inPlace) {
  OpBuilder::InsertionGuard guard(builder);
  SmallVector<Type> arguments{builder.getIndexType()};
  arguments.append(buffers.begin(), buffers.end());
  auto type = builder.getFunctionType(arguments, {});
  auto func =
      FuncOp::create(builder, loc, builder.getStringAttr(name), TypeAttr::get(type), builder.getI64IntegerAttr(grid),
                     builder.getI64IntegerAttr(inputs), builder.getStringAttr(schedule),
                     builder.getDenseI64ArrayAttr(inPlace), ArrayAttr(), ArrayAttr());
  Block* entry = builder.createBlock(&func.getBody());
  for (Type t : arguments) entry->addArgument(t, loc);
  return func;
}

// tile.func @name(%p: index, %x: !tile.buffer<8xf32>, ...) grid 4 inputs 1 "pointwise" in_place [0, 0] {...}
ParseResult FuncOp::parse(OpAsmParser& parser, OperationState& result) {
  StringAttr name;
  SmallVector<OpAsmParser::Argument> arguments;
  SmallVector<Type> resultTypes;
  SmallVector<DictionaryAttr> resultAttrs;
  bool variadic = false;
  Builder& b = parser.getBuilder();
  int64_t grid, inputs;
  std::string schedule;
  if (parser.parseSymbolName(name, getSymNameAttrName(result.name), result.attributes) ||
      function_interface_impl::parseFunctionSignatureWithArguments(parser, false, arguments, variadic, resultTypes,
                                                                   resultAttrs) ||
      parser.parseKeyword("grid") || parser.parseInteger(grid) || parser.parseKeyword("inputs") ||
      parser.parseInteger(inputs) || parser.parseString(&schedule))
    return failure();
  SmallVector<int64_t> pairs;
  if (succeeded(parser.parseOptionalKeyword("in_place")) &&
      parser.parseCommaSeparatedList(AsmParser::Delimiter::Square,
                                     [&] { return parser.parseInteger(pairs.emplace_back()); }))
    return failure();
  SmallVector<Type> types;
  for (auto& a : arguments) types.push_back(a.type);
  result.addAttribute(getFunctionTypeAttrName(result.name), TypeAttr::get(b.getFunctionType(types, resultTypes)));
  result.addAttribute(getGridAttrName(result.name), b.getI64IntegerAttr(grid));
  result.addAttribute(getInputsAttrName(result.name), b.getI64IntegerAttr(inputs));
  result.addAttribute(getScheduleAttrName(result.name), b.getStringAttr(schedule));
  result.addAttribute(getInPlaceAttrName(result.name), b.getDenseI64ArrayAttr(pairs));
  if (parser.parseOptionalAttrDictWithKeyword(result.attributes)) return failure();
  call_interface_impl::addArgAndResultAttrs(b, result, arguments, resultAttrs, getArgAttrsAttrName(result.name),
                                            getResAttrsAttrName(result.name));
  return parser.parseRegion(*result.addRegion(), arguments);
}

void FuncOp::print(OpAsmPrinter& p) {
  p << ' ';
  p.printSymbolName(getSymName());
  function_interface_impl::printFunctionSignature(p, *this, getArgumentTypes(), false, getResultTypes());
  p << " grid " << getGrid() << " inputs " << getInputs() << " \"" << getSchedule() << '"';
  if (!getInPlace().empty()) {
    p << " in_place [";
    llvm::interleaveComma(getInPlace(), p);
    p << ']';
  }
  function_interface_impl::printFunctionAttributes(
      p, *this,
      {getFunctionTypeAttrName(), getGridAttrName(), getInputsAttrName(), getScheduleAttrName(), getInPlaceAttrName(),
       getArgAttrsAttrName(), getResAttrsAttrName()});
  p << ' ';
  p.printRegion(getBody(), /*printEntryBlockArgs=*/false);
}

LogicalResult FuncOp::verify() {
  ArrayRef<Type> types = getArgumentTypes();
  if (types.empty() || !types[0].isIndex())
    return emitOpError("needs the program number (index) as its first argument");
  for (Type t : types.drop_front())
    if (!isa<BufferType>(t)) return emitOpError("takes buffers after the program number, not ") << t;
  int64_t buffers = types.size() - 1;
  if (!getResultTypes().empty()) return emitOpError("writes to buffers and has no results");
  if (getInputs() < 0 || (int64_t)getInputs() > buffers)
    return emitOpError("has ") << buffers << " buffers, of which " << getInputs() << " cannot be inputs";
  if ((int64_t)getGrid() < 0) return emitOpError("has a negative grid");
  ArrayRef<int64_t> pairs = getInPlace();
  if (pairs.size() % 2) return emitOpError("in_place lists pairs: output number, input number");
  for (size_t i = 0; i < pairs.size(); i += 2) {
    int64_t output = pairs[i], input = pairs[i + 1];
    if (output < 0 || output >= buffers - (int64_t)getInputs() || input < 0 || input >= (int64_t)getInputs())
      return emitOpError("in_place pair ") << output << ", " << input << " names no output and input";
    if (types[1 + getInputs() + output] != types[1 + input])
      return emitOpError("in_place pair ") << output << ", " << input << " has types "
                                           << types[1 + getInputs() + output] << " and " << types[1 + input];
  }
  return success();
}

// --- Other verifiers. ---

static bool isTile(Type t) {
  auto type = dyn_cast<RankedTensorType>(t);
  return type && type.hasStaticShape() && type.getRank() <= 1;
}

// What load and store share.
static LogicalResult verifyAccess(Operation* op, Type tile, BufferType buffer, size_t indices, Value valid, Value mask,
                                  AffineMap map) {
  if (!isTile(tile)) return op->emitOpError("tile must have rank 0 or 1, not ") << tile;
  auto type = cast<RankedTensorType>(tile);
  if (type.getElementType() != buffer.getElementType())
    return op->emitOpError("tile of ") << type.getElementType() << " from a buffer of " << buffer.getElementType();
  if (map.getNumSymbols() || map.getNumDims() != indices + type.getRank())
    return op->emitOpError("map ") << AffineMapAttr::get(map) << " needs " << indices + type.getRank()
                                   << " dims: " << indices << " indices" << (type.getRank() ? " and the lane" : "");
  if (map.getNumResults() != buffer.getShape().size())
    return op->emitOpError("map ") << AffineMapAttr::get(map) << " needs " << buffer.getShape().size()
                                   << " results, one per dimension of " << buffer;
  if (valid && type.getRank() == 0) return op->emitOpError("valid counts lanes: a scalar has none");
  if (mask && mask.getType() != RankedTensorType::get(type.getShape(), IntegerType::get(op->getContext(), 1)))
    return op->emitOpError("mask ") << mask.getType() << " does not fit the tile " << tile;
  return success();
}

LogicalResult LoadOp::verify() {
  return verifyAccess(*this, getTile().getType(), getBuffer().getType(), getIndices().size(), getValid(), getMask(),
                      getMap());
}

LogicalResult StoreOp::verify() {
  return verifyAccess(*this, getTile().getType(), getBuffer().getType(), getIndices().size(), getValid(), getMask(),
                      getMap());
}

LogicalResult GatherOp::verify() {
  auto type = getTile().getType();
  if (!isTile(type)) return emitOpError("tile must have rank 0 or 1, not ") << type;
  if (getIndices().size() != getBuffer().getType().getShape().size())
    return emitOpError("needs one index per dimension of ") << getBuffer().getType();
  if (cast<RankedTensorType>(type).getElementType() != getBuffer().getType().getElementType())
    return emitOpError("tile of ") << type << " from " << getBuffer().getType();
  auto shape = cast<RankedTensorType>(type).getShape();
  for (Value index : getIndices())
    if (index.getType() != RankedTensorType::get(shape, IntegerType::get(getContext(), 64)))
      return emitOpError("index ") << index.getType() << " is not i64 of the shape of " << type;
  if (getMask() && getMask().getType() != RankedTensorType::get(shape, IntegerType::get(getContext(), 1)))
    return emitOpError("mask ") << getMask().getType() << " does not fit the tile " << type;
  return success();
}

LogicalResult ReduceOp::verify() {
  auto in = cast<RankedTensorType>(getTile().getType()), out = cast<RankedTensorType>(getScalar().getType());
  if (in.getRank() != 1 || out.getRank() != 0 || in.getElementType() != out.getElementType() || in.getDimSize(0) < 1)
    return emitOpError("combines the lanes of one tile into a scalar of its type, not ") << in << " into " << out;
  if (getKind() == ir::CombineKind::Set) return emitOpError("cannot combine with kind set");
  return success();
}

LogicalResult SplatOp::verify() {
  auto in = cast<RankedTensorType>(getScalar().getType()), out = cast<RankedTensorType>(getTile().getType());
  if (in.getRank() != 0 || out.getRank() > 1 || in.getElementType() != out.getElementType())
    return emitOpError("repeats a scalar, ") << in << " cannot become " << out;
  return success();
}

LogicalResult TransposeOp::verify() {
  int64_t n = getRows().size();
  if ((int64_t)getColumns().size() != n)
    return emitOpError("has ") << n << " rows and " << getColumns().size() << " columns";
  for (Type t : getOperation()->getOperandTypes())
    if (t != getRows()[0].getType() || !isTile(t) || lanesOf(t) != n || isScalarTile(t))
      return emitOpError("needs n tiles of n lanes, of one type");
  for (Type t : getOperation()->getResultTypes())
    if (t != getRows()[0].getType()) return emitOpError("rows are ") << getRows()[0].getType() << ", columns " << t;
  return success();
}

LogicalResult ContractOp::verify() {
  BufferType a = getA().getType(), b = getB().getType(), c = getC().getType();
  if (a.getShape().size() != 3 || b.getShape().size() != 3 || c.getShape().size() != 2)
    return emitOpError("takes A [M/mr, K, mr], B [N/nr, K, nr] and C [M, N], not ") << a << ", " << b << ", " << c;
  if (a.getShape()[1] != b.getShape()[1])
    return emitOpError("has depth ") << a.getShape()[1] << " in A and " << b.getShape()[1] << " in B";
  if (a.getShape()[0] * a.getShape()[2] != c.getShape()[0] || b.getShape()[0] * b.getShape()[2] != c.getShape()[1])
    return emitOpError("panels ") << a << " and " << b << " do not give a product of " << c;
  Type in = a.getElementType(), out = c.getElementType();
  bool fits = in == b.getElementType() && (in == out ? isa<Float32Type, Float64Type>(in) : in.isBF16() && out.isF32());
  if (!fits)
    return emitOpError("multiplies f32 into f32, f64 into f64, bf16 into f32; not ")
           << in << " and " << b.getElementType() << " into " << out;
  return success();
}

}  // namespace nacre::tile
