// Arrays in host memory, as the reference interpreter reads and writes them.
#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "ir/reference/element_types.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "mlir/IR/BuiltinTypes.h"

namespace nacre::ir {

// Row-major, little endian; i1 takes one byte (0 or 1), bf16 its 16 bits.
struct HostValue {
  mlir::RankedTensorType type;
  std::vector<std::byte> data;

  // The elements as C++ values: bool, int32_t, int64_t, uint8_t, uint32_t, BFloat16, float, double. T must be the C++
  // type of the element type and `data` of the right size.
  template <class T>
  std::span<const T> elements() const {
    return {reinterpret_cast<const T*>(data.data()), data.size() / sizeof(T)};
  }
  template <class T>
  std::span<T> elements() {
    return {reinterpret_cast<T*>(data.data()), data.size() / sizeof(T)};
  }
  llvm::ArrayRef<int64_t> shape() const { return type.getShape(); }
  mlir::Type element() const { return type.getElementType(); }
};

// Bytes of one element, 0 for a type that is not one of the dialect's.
int64_t elementBytes(mlir::Type element);
// Bytes of an array of this type; nothing if its shape is not static, its element type is not the dialect's or the size
// passes 4 GiB (the interpreter is for tests).
std::optional<int64_t> byteSize(mlir::RankedTensorType type);
// All elements zero. `type` must have a byte size.
HostValue zeros(mlir::RankedTensorType type);

// An integer element (i1, i32, i64, ui8 or ui32) as a number. No type of the dialect exceeds int64_t.
int64_t integerAt(const HostValue& v, int64_t position);

using Index = llvm::SmallVector<int64_t, 6>;

// Calls `visit` with each index of the box in row-major order, and with its position in that order.
void forEachIndex(llvm::ArrayRef<int64_t> shape,
                  llvm::function_ref<void(llvm::ArrayRef<int64_t> index, int64_t position)> visit);
// Position of an index in row-major order.
int64_t positionOf(llvm::ArrayRef<int64_t> shape, llvm::ArrayRef<int64_t> index);
// Copies one element between arrays of equal element type.
void copyElement(HostValue& to, int64_t toPosition, const HostValue& from, int64_t fromPosition);

}  // namespace nacre::ir
