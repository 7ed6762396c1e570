#include "ir/reference/host_value.h"

#include <cstring>

#include "llvm/Support/ErrorHandling.h"

using namespace mlir;

namespace nacre::ir {

int64_t elementBytes(Type element) {
  if (element.isInteger(1) || element.isUnsignedInteger(8)) return 1;
  if (element.isBF16()) return 2;
  if (element.isSignlessInteger(32) || element.isUnsignedInteger(32) || element.isF32()) return 4;
  if (element.isSignlessInteger(64) || element.isF64()) return 8;
  return 0;
}

std::optional<int64_t> byteSize(RankedTensorType type) {
  constexpr int64_t kLimit = int64_t{4} << 30;
  int64_t bytes = elementBytes(type.getElementType());
  if (bytes == 0 || !type.hasStaticShape()) return std::nullopt;
  // An empty array may have other dimensions of any size.
  if (llvm::is_contained(type.getShape(), 0)) return 0;
  for (int64_t dim : type.getShape()) {
    if (dim > kLimit / bytes) return std::nullopt;
    bytes *= dim;
  }
  return bytes;
}

HostValue zeros(RankedTensorType type) { return {type, std::vector<std::byte>(*byteSize(type))}; }

int64_t integerAt(const HostValue& v, int64_t position) {
  return withElementType<IntegersOrBool>(v.element(), [&]<class T>() -> int64_t { return v.elements<T>()[position]; });
}

void forEachIndex(ArrayRef<int64_t> shape, llvm::function_ref<void(ArrayRef<int64_t>, int64_t)> visit) {
  if (llvm::is_contained(shape, 0)) return;
  Index index(shape.size(), 0);
  for (int64_t position = 0;; ++position) {
    visit(index, position);
    int64_t dim = static_cast<int64_t>(shape.size()) - 1;
    while (dim >= 0 && ++index[dim] == shape[dim]) index[dim--] = 0;
    if (dim < 0) return;
  }
}

int64_t positionOf(ArrayRef<int64_t> shape, ArrayRef<int64_t> index) {
  int64_t position = 0;
  for (auto [dim, i] : llvm::zip_equal(shape, index)) position = position * dim + i;
  return position;
}

void copyElement(HostValue& to, int64_t toPosition, const HostValue& from, int64_t fromPosition) {
  int64_t bytes = elementBytes(to.element());
  std::memcpy(to.data.data() + toPosition * bytes, from.data.data() + fromPosition * bytes, bytes);
}

}  // namespace nacre::ir
