#include "passes/function_util.h"

#include "ir/builder.h"
#include "passes/inline_calls.h"

using namespace mlir;

namespace nacre::passes {

FailureOr<Block*> straightLine(func::FuncOp f) {
  if (f.isExternal()) return f.emitOpError("'") << f.getName() << "' has no body, so it cannot be transformed";
  if (!f.getBody().hasOneBlock())
    return f.emitOpError("'") << f.getName() << "' has " << f.getBody().getBlocks().size()
                              << " blocks; nacre functions have one, without branches";
  return &f.front();
}

void insertBeside(func::FuncOp f, func::FuncOp g, StringRef name) {
  Operation* table = SymbolTable::getNearestSymbolTable(f);
  std::string unique = name.str();
  for (int n = 2; SymbolTable::lookupSymbolIn(table, unique); ++n) unique = (name + "_" + Twine(n)).str();
  g.setName(unique);
  f->getBlock()->getOperations().insert(std::next(f->getIterator()), g);
}

FailureOr<func::FuncOp> cloneInlined(func::FuncOp f, StringRef name) {
  if (failed(straightLine(f))) return failure();
  func::FuncOp copy = f.clone();
  insertBeside(f, copy, name);
  if (succeeded(inlineCalls(copy))) return copy;
  copy.erase();
  return failure();
}

LogicalResult checkFloatFlags(func::FuncOp f, ArrayRef<bool> flags, TypeRange types, StringRef what, StringRef role) {
  if (flags.size() != types.size())
    return f.emitOpError("'") << f.getName() << "' has " << types.size() << " " << what << "s but " << flags.size()
                              << " flags say which are " << role << "; give one flag for each " << what;
  for (auto [i, flag] : llvm::enumerate(flags))
    if (flag && !isFloatTensor(types[i]))
      return f.emitOpError("'") << f.getName() << "': " << what << " " << i << " is " << role << " but has type "
                                << types[i] << "; only arrays of floating point have derivatives, convert it first";
  return success();
}

StringAttr prefixedKeyPath(func::FuncOp f, unsigned i, StringRef prefix) {
  auto path = f.getArgAttrOfType<StringAttr>(i, ir::kNameAttr);
  return path ? StringAttr::get(f.getContext(), prefix + path.getValue()) : StringAttr();
}

BlockArgument appendArgument(func::FuncOp f, Type type, Location loc, StringAttr keyPath) {
  DictionaryAttr attributes;
  if (keyPath)
    attributes =
        DictionaryAttr::get(f.getContext(), {NamedAttribute(StringAttr::get(f.getContext(), ir::kNameAttr), keyPath)});
  LogicalResult inserted = f.insertArgument(f.getNumArguments(), type, attributes, loc);
  assert(succeeded(inserted) && "a function of nacre takes any number of arguments");
  (void)inserted;
  return f.getArguments().back();
}

void setResults(func::FuncOp f, ValueRange values) {
  f.front().getTerminator()->setOperands(values);
  f.removeResAttrsAttr();
  f.setFunctionType(FunctionType::get(f.getContext(), f.getArgumentTypes(), values.getTypes()));
}

bool isFloatTensor(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor && ir::isFloat(tensor.getElementType());
}

}  // namespace nacre::passes
