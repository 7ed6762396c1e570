#include "tests/transforms/compiled.h"

#include <catch2/catch.hpp>
#include <cstring>

#include "codegen/compile.h"

using namespace mlir;

namespace nacre::testing {

std::shared_ptr<const Executable> compiled(func::FuncOp f, std::string& error) {
  // The whole module: a case may call other functions.
  OwningOpRef<ModuleOp> module = cast<ModuleOp>(f->getParentOp()->clone());
  auto main = module->lookupSymbol<func::FuncOp>(f.getName());
  main.setName("main");
  main.setPublic();
  absl::StatusOr<std::shared_ptr<const Executable>> executable = compile(std::move(module));
  if (executable.ok()) return *executable;
  error = std::string(executable.status().message());
  return nullptr;
}

Values run(const Executable& executable, func::FuncOp f, const Values& arguments) {
  std::vector<Buffer> inputs, outputs(f.getNumResults());
  for (const ir::HostValue& value : arguments) {
    inputs.push_back(Buffer::allocate(static_cast<int64_t>(value.data.size())));
    if (!value.data.empty()) std::memcpy(inputs.back().data(), value.data.data(), value.data.size());
  }
  absl::Status status = executable.run(inputs, outputs);
  INFO(status.message());
  REQUIRE(status.ok());
  Values results;
  for (auto [type, buffer] : llvm::zip_equal(f.getResultTypes(), outputs)) {
    results.push_back(ir::zeros(cast<RankedTensorType>(type)));
    std::vector<std::byte>& data = results.back().data;
    if (!data.empty()) std::memcpy(data.data(), buffer.data(), data.size());
  }
  return results;
}

}  // namespace nacre::testing
