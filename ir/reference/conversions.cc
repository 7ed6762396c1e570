// Between element types.
#include "ir/nacre.h"
#include "ir/reference/elementwise.h"

using namespace mlir;

namespace nacre::ir {

namespace {

LogicalResult convert(OpCall& c) {
  withElementType<AllTypes>(c.operand().element(), [&]<class From>() {
    withElementType<AllTypes>(c.result().element(), [&]<class To>() {
      auto x = c.operand().elements<From>();
      auto y = c.result().elements<To>();
      for (size_t i = 0; i < y.size(); ++i) y[i] = convertElement<To>(x[i]);
    });
  });
  return success();
}

// A last dimension that is split off or merged holds the narrow elements from the lowest bits upwards: in little-endian
// row-major storage the bytes stay where they are.
LogicalResult bitcastConvert(OpCall& c) {
  c.result().data = c.operand().data;
  return success();
}

}  // namespace

void addConversions(OpTable& table) {
  table.add<ConvertOp>(convert);
  table.add<BitcastConvertOp>(bitcastConvert);
}

}  // namespace nacre::ir
