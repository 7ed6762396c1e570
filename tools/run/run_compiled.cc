#include "tools/run/run_compiled.h"

#include <cstring>

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "runtime/buffer.h"

namespace nacre::tools {

absl::StatusOr<std::vector<ir::HostValue>> runCompiled(mlir::ModuleOp module, llvm::ArrayRef<ir::HostValue> arguments,
                                                       const CompileOptions& options) {
  auto main = module.lookupSymbol<mlir::func::FuncOp>("main");
  if (!main) return absl::InvalidArgumentError("the module has no function @main");
  std::vector<ir::HostValue> results;
  for (mlir::Type type : main.getResultTypes()) results.push_back(ir::zeros(llvm::cast<mlir::RankedTensorType>(type)));

  auto executable = compile(module.clone(), options);
  if (!executable.ok()) return executable.status();
  std::vector<Buffer> inputs, outputs(results.size());
  for (const ir::HostValue& argument : arguments) {
    inputs.push_back(Buffer::allocate(static_cast<int64_t>(argument.data.size())));
    if (!argument.data.empty()) std::memcpy(inputs.back().data(), argument.data.data(), argument.data.size());
  }
  absl::Status status = (*executable)->run(inputs, outputs);
  if (!status.ok()) return status;
  for (size_t i = 0; i < results.size(); ++i) {
    if (outputs[i].bytes() < static_cast<int64_t>(results[i].data.size()))
      return absl::InternalError("result " + std::to_string(i) + " has too few bytes");
    if (!results[i].data.empty()) std::memcpy(results[i].data.data(), outputs[i].data(), results[i].data.size());
  }
  return results;
}

}  // namespace nacre::tools
