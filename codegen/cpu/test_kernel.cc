#include "codegen/cpu/test_kernel.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"

namespace nacre::cpu::test {

using namespace mlir;

static constexpr size_t kGuard = 256;

Bytes::Bytes(size_t size) : size_(size), storage_(size + kGuard + 64, std::byte{0xA5}) {
  auto address = reinterpret_cast<uintptr_t>(storage_.data());
  aligned_ = storage_.data() + (64 - address % 64) % 64;
}

bool Bytes::intact() const {
  for (const std::byte* p = aligned_ + size_; p != aligned_ + size_ + kGuard / 2; ++p)
    if (*p != std::byte{0xA5}) return false;
  return true;
}

Kernel::Kernel(const std::string& text, const codegen::Target& target) {
  MLIRContext context(MLIRContext::Threading::DISABLED);
  context
      .loadDialect<tile::TileDialect, ir::NacreDialect, arith::ArithDialect, affine::AffineDialect, scf::SCFDialect>();
  std::string message;
  ScopedDiagnosticHandler handler(&context, [&](Diagnostic& d) {
    message += d.str() + "\n";
    return success();
  });
  OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(text, &context);
  if (!module || failed(verify(*module))) throw std::runtime_error(message);
  auto funcs = llvm::to_vector(module->getOps<tile::FuncOp>());
  KernelOptions options;
  options.optimisedIr = &ir_;
  auto compiled = compileTileFuncs(funcs, target, options);
  if (!compiled.ok()) throw std::runtime_error(std::string(compiled.status().message()));
  kernels_ = *std::move(compiled);
}

void Kernel::run(const std::vector<Bytes*>& buffers, size_t index) const {
  std::vector<void*> pointers;
  for (Bytes* b : buffers) pointers.push_back(b->data());
  const KernelSpec& spec = kernels_.specs[index];
  Bytes scratch(spec.scratch_bytes);
  spec.entry(pointers.data(), spec.grid / 2, spec.grid, scratch.data());
  spec.entry(pointers.data(), 0, spec.grid / 2, scratch.data());
  if (!scratch.intact()) throw std::runtime_error("scratch overrun");
}

std::string pointwiseText(const std::vector<std::string>& inputs, const std::string& output, int64_t n, int64_t lanes,
                          const std::string& body) {
  std::string prefix = lanes ? std::to_string(lanes) + "x" : "", step = std::to_string(std::max<int64_t>(1, lanes));
  std::string shape = std::to_string(n) + "x", arguments, loads;
  std::string map = lanes ? "affine_map<(i, l) -> (i + l)>(%i) valid %left" : "affine_map<(i) -> (i)>(%i)";
  for (size_t k = 0; k < inputs.size(); ++k) {
    std::string buffer = "!tile.buffer<" + shape + inputs[k] + ">", name = std::to_string(k);
    arguments += "%b" + name + ": " + buffer + ", ";
    loads += "  %x" + name + " = tile.load %b" + name + ", " + map + " : " + buffer + " -> tensor<" + prefix +
             inputs[k] + ">\n";
  }
  std::string text = body;
  for (size_t p; (p = text.find("T:")) != std::string::npos;) text.replace(p, 2, prefix);
  std::string buffer = "!tile.buffer<" + shape + output + ">";
  int64_t grid = (n + std::max<int64_t>(1, lanes) - 1) / std::max<int64_t>(1, lanes);
  return "tile.func @k(%p: index, " + arguments + "%out: " + buffer + ") grid " + std::to_string(grid) + " inputs " +
         std::to_string(inputs.size()) + " \"pointwise\" {\n  %i = affine.apply affine_map<(p) -> (p * " + step +
         ")>(%p)\n  %left = affine.apply affine_map<(p) -> (" + std::to_string(n) + " - p * " + step + ")>(%p)\n" +
         loads + text + "\n  tile.store %r, %out, " + map + " : tensor<" + prefix + output + "> -> " + buffer +
         "\n  tile.return\n}\n";
}

}  // namespace nacre::cpu::test
