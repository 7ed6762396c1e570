#include "tools/run/host_tensor.h"

#include "mlir/IR/BuiltinTypes.h"

namespace nacre::tools {

mlir::Type elementType(DType dtype, mlir::MLIRContext& context) {
  using mlir::IntegerType;
  switch (dtype) {
    case DType::pred: return IntegerType::get(&context, 1);
    case DType::s32: return IntegerType::get(&context, 32);
    case DType::s64: return IntegerType::get(&context, 64);
    case DType::u8: return IntegerType::get(&context, 8, IntegerType::Unsigned);
    case DType::u32: return IntegerType::get(&context, 32, IntegerType::Unsigned);
    case DType::bf16: return mlir::BFloat16Type::get(&context);
    case DType::f32: return mlir::Float32Type::get(&context);
    case DType::f64: return mlir::Float64Type::get(&context);
  }
  llvm_unreachable("unknown dtype");
}

DType dtypeOf(mlir::Type element) {
  for (DType dtype : kAllDTypes)
    if (elementType(dtype, *element.getContext()) == element) return dtype;
  llvm_unreachable("the verifier admits the dialect's element types only");
}

ir::HostValue toHostValue(io::HostTensor tensor, mlir::MLIRContext& context) {
  if (tensor.dtype == DType::pred)
    for (std::byte& b : tensor.data) b = static_cast<std::byte>(b != std::byte{0});
  return {mlir::RankedTensorType::get(tensor.shape, elementType(tensor.dtype, context)), std::move(tensor.data)};
}

io::HostTensor toHostTensor(ir::HostValue value) {
  return {dtypeOf(value.element()), {value.shape().begin(), value.shape().end()}, std::move(value.data)};
}

}  // namespace nacre::tools
