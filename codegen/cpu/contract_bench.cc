// Speed of the contraction kernel in the first- and second-level cache, in GFLOP/s, and of compilation.
// Usage: contract_bench [f32|f64|bf16]...
#include <chrono>
#include <cstdio>

#include "codegen/cpu/test_kernel.h"
#include "mlir/IR/Builders.h"

using namespace nacre::cpu::test;
using nacre::codegen::ContractBlock;
using nacre::codegen::Target;

namespace {

double seconds() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

std::string text(const std::string& in, const std::string& out, int64_t m, int64_t n, int64_t k, ContractBlock block) {
  auto shape = [](std::initializer_list<int64_t> dims, const std::string& type) {
    std::string s = "!tile.buffer<";
    for (int64_t d : dims) s += std::to_string(d) + "x";
    return s + type + ">";
  };
  std::string a = shape({m / block.mr, k, block.mr}, in), b = shape({n / block.nr, k, block.nr}, in),
              c = shape({m, n}, out);
  return "tile.func @contract(%p: index, %a: " + a + ", %b: " + b + ", %c: " + c +
         ") grid 1 inputs 2 \"contraction\" {\n  %k = arith.constant " + std::to_string(k) +
         " : index\n  tile.contract %a, %b -> %c depth %k accumulate true : " + a + ", " + b + " -> " + c +
         "\n  tile.return\n}\n";
}

void measure(const std::string& in, const std::string& out, int64_t bytes) {
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  mlir::Builder builder(&context);
  const Target& target = Target::host();
  ContractBlock block = target.contractBlock(out == "f64" ? mlir::Type(builder.getF64Type()) : builder.getF32Type());
  for (auto [m, n] : {std::pair(block.mr * 8, block.nr * 2), std::pair(block.mc, block.nr * 16)}) {
    double t0 = seconds();
    Kernel kernel(text(in, out, m, n, block.kc, block));
    double compile = seconds() - t0;
    Bytes a(m * block.kc * bytes), b(n * block.kc * bytes), c(m * n * (out == "f64" ? 8 : 4));
    std::memset(a.data(), 0, a.size());
    std::memset(b.data(), 0, b.size());
    std::memset(c.data(), 0, c.size());
    double best = 1e9, flops = 2.0 * double(m) * double(n) * double(block.kc);
    for (int i = 0; i < 200; ++i) {
      double t = seconds();
      for (int j = 0; j < 10; ++j) kernel.run({&a, &b, &c});
      best = std::min(best, (seconds() - t) / 10);
    }
    std::printf("%-4s %ldx%ld block, %4ldx%4ldx%3ld: %7.1f GFLOP/s, compiled in %.1f ms\n", in.c_str(), (long)block.mr,
                (long)block.nr, (long)m, (long)n, (long)block.kc, flops / best / 1e9, compile * 1e3);
  }
}

}  // namespace

int main(int argc, char** argv) {
  std::vector<std::string> types(argv + 1, argv + argc);
  if (types.empty()) types = {"f32", "f64", "bf16"};
  for (const std::string& type : types) {
    if (type == "f32") {
      measure("f32", "f32", 4);
    } else if (type == "f64") {
      measure("f64", "f64", 8);
    } else if (type == "bf16") {
      measure("bf16", "f32", 2);
    } else {
      std::fprintf(stderr, "usage: contract_bench [f32|f64|bf16]...\n");
      return 2;
    }
  }
}
