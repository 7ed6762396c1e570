// Arrays out of nothing.
#include "ir/nacre.h"
#include "ir/reference/op_table.h"

using namespace mlir;

namespace nacre::ir {

namespace {

LogicalResult constant(OpCall& c) {
  ElementsAttr value = cast<ConstantOp>(c.op).getValue();
  withElementType<AllTypes>(c.result().element(), [&]<class T>() {
    auto y = c.result().elements<T>();
    size_t i = 0;
    if constexpr (std::is_same_v<T, BFloat16>) {
      for (const APFloat& x : value.getValues<APFloat>())
        y[i++].bits = static_cast<uint16_t>(x.bitcastToAPInt().getZExtValue());
    } else if constexpr (isFloating<T>) {
      for (const APFloat& x : value.getValues<APFloat>()) {
        if constexpr (std::is_same_v<T, float>)
          y[i++] = x.convertToFloat();
        else
          y[i++] = x.convertToDouble();
      }
    } else {
      for (const APInt& x : value.getValues<APInt>()) y[i++] = wrapTo<T>(x.getZExtValue());
    }
  });
  return success();
}

LogicalResult iota(OpCall& c) {
  auto dim = static_cast<size_t>(cast<IotaOp>(c.op).getIotaDimension());
  withElementType<Numbers>(c.result().element(), [&]<class T>() {
    auto y = c.result().elements<T>();
    forEachIndex(c.result().shape(),
                 [&](ArrayRef<int64_t> index, int64_t position) { y[position] = convertElement<T>(index[dim]); });
  });
  return success();
}

}  // namespace

void addCreation(OpTable& table) {
  table.add<ConstantOp>(constant);
  table.add<IotaOp>(iota);
}

}  // namespace nacre::ir
