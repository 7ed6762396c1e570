// Between the arrays of files and those of the interpreter.
#pragma once
#include "frontend/io/host_tensor.h"
#include "ir/reference/host_value.h"

namespace nacre::tools {

mlir::Type elementType(DType dtype, mlir::MLIRContext& context);
DType dtypeOf(mlir::Type element);

// Truth values become 0 or 1.
ir::HostValue toHostValue(io::HostTensor tensor, mlir::MLIRContext& context);
io::HostTensor toHostTensor(ir::HostValue value);

}  // namespace nacre::tools
