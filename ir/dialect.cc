#include "ir/builder.h"
#include "llvm/ADT/TypeSwitch.h"
#include "mlir/IR/DialectImplementation.h"

using namespace mlir;

#include "ir/nacre_dialect.cc.inc"
#include "ir/nacre_enums.cc.inc"
#include "ir/nacre_interfaces.cc.inc"
#define GET_ATTRDEF_CLASSES
#include "ir/nacre_attrs.cc.inc"
#define GET_OP_CLASSES
#include "ir/nacre_ops.cc.inc"

namespace nacre::ir {

void NacreDialect::initialize() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "ir/nacre_attrs.cc.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "ir/nacre_ops.cc.inc"
      >();
}

Operation* NacreDialect::materializeConstant(OpBuilder& builder, Attribute value, Type type, Location loc) {
  auto elements = dyn_cast<ElementsAttr>(value);
  if (!elements || elements.getType() != type) return nullptr;
  return ConstantOp::create(builder, loc, type, elements);
}

}  // namespace nacre::ir
