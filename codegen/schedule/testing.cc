#include "codegen/schedule/testing.h"

#include <cmath>
#include <random>

#include "codegen/schedule/schedule.h"
#include "codegen/tile/interpreter/interpreter.h"
#include "ir/reference/interpreter.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"

using namespace mlir;
using nacre::ir::HostValue;

namespace nacre::schedule {
namespace {

struct Session {
  MLIRContext context;
  std::string errors;
  OwningOpRef<ModuleOp> module;

  explicit Session(const std::string& text) {
    context.loadDialect<ir::NacreDialect, tile::TileDialect, func::FuncDialect>();
    context.getDiagEngine().registerHandler([this](Diagnostic& d) {
      errors += d.str() + "\n";
      return success();
    });
    module = parseSourceString<ModuleOp>(text, &context);
  }
  SmallVector<func::FuncOp> kernels() {
    SmallVector<func::FuncOp> all;
    for (auto f : module->getOps<func::FuncOp>())
      if (f->hasAttr(ir::kKernelAttr)) all.push_back(f);
    return all;
  }
};

codegen::Target targetOf(int vectorBytes) {
  codegen::Target target;
  target.vectorBytes = vectorBytes;
  target.avx512 = vectorBytes == 64;
  target.fma = vectorBytes > 16;
  return target;
}

HostValue randomValue(RankedTensorType type, std::mt19937& random, int integers) {
  HostValue v = ir::zeros(type);
  std::uniform_real_distribution<double> real(-2, 2);
  auto fillWith = [&]<class T>(std::span<T> values) {
    for (T& x : values) x = static_cast<T>(std::is_floating_point_v<T> ? real(random) : random() % integers);
  };
  Type e = type.getElementType();
  if (e.isF32())
    fillWith(v.elements<float>());
  else if (e.isF64())
    fillWith(v.elements<double>());
  else if (e.isInteger(64))
    fillWith(v.elements<int64_t>());
  else if (e.isInteger(32))
    fillWith(v.elements<int32_t>());
  else if (e.isInteger(8))
    fillWith(v.elements<uint8_t>());
  else if (e.isInteger(1))
    for (std::byte& b : v.data) b = std::byte(random() & 1);
  else
    for (size_t i = 0; i < v.data.size() / 2; ++i) {
      float x = static_cast<float>(real(random));
      uint32_t bits;
      std::memcpy(&bits, &x, 4);
      uint16_t high = bits >> 16;
      std::memcpy(&v.data[2 * i], &high, 2);
    }
  return v;
}

std::vector<double> numbers(const HostValue& v) {
  std::vector<double> all;
  Type e = v.element();
  auto take = [&]<class T>(std::span<const T> values) { all.assign(values.begin(), values.end()); };
  if (e.isF32())
    take(v.elements<float>());
  else if (e.isF64())
    take(v.elements<double>());
  else if (e.isBF16())
    for (size_t i = 0; i < v.data.size() / 2; ++i) {
      uint32_t bits = 0;
      std::memcpy(reinterpret_cast<char*>(&bits) + 2, &v.data[2 * i], 2);
      float x;
      std::memcpy(&x, &bits, 4);
      all.push_back(x);
    }
  return all;
}

std::string compare(const HostValue& expected, const HostValue& actual, double tolerance, const std::string& what) {
  if (expected.data.size() != actual.data.size()) return what + ": sizes differ\n";
  Type e = expected.element();
  if (!isa<FloatType>(e)) {
    for (size_t i = 0; i < expected.data.size(); ++i)
      if (expected.data[i] != actual.data[i])
        return what + ": byte " + std::to_string(i) + " is " + std::to_string(int(actual.data[i])) + ", not " +
               std::to_string(int(expected.data[i])) + "\n";
    return "";
  }
  if (tolerance == 0) tolerance = e.isF64() ? 1e-12 : e.isF32() ? 2e-6 : 1.0 / 128;
  std::vector<double> x = numbers(expected), y = numbers(actual);
  double largest = 0;
  for (double v : x)
    if (std::isfinite(v)) largest = std::max(largest, std::abs(v));
  for (size_t i = 0; i < x.size(); ++i) {
    bool same = (std::isnan(x[i]) && std::isnan(y[i])) || x[i] == y[i] || std::abs(x[i] - y[i]) <= tolerance * largest;
    if (!same)
      return what + ": element " + std::to_string(i) + " is " + std::to_string(y[i]) + ", not " + std::to_string(x[i]) +
             "\n";
  }
  return "";
}

std::string checkKernel(func::FuncOp kernel, int vectorBytes, ArrayRef<HostValue> inputs, ArrayRef<HostValue> expected,
                        double tolerance) {
  const std::string name = (kernel.getName() + " at " + Twine(vectorBytes)).str();
  auto tiles = emitTileFunc(kernel, targetOf(vectorBytes));
  if (failed(tiles)) return name + ": not emitted\n";
  if (failed(verify(*tiles))) return name + ": the tile function does not verify\n";
  auto operand = kernel->getAttrOfType<IntegerAttr>("nacre.in_place_operand");
  std::string wrong;
  // Fresh outputs, in both orders; then outputs in the memory of inputs.
  for (int mode = 0; mode < 3; ++mode) {
    std::vector<HostValue> in(inputs.begin(), inputs.end()), out;
    for (const HostValue& v : expected) {
      out.push_back(v);
      std::fill(out.back().data.begin(), out.back().data.end(), std::byte{0xFE});
    }
    std::vector<std::span<std::byte>> buffers;
    for (HostValue& v : in) buffers.push_back(v.data);
    for (HostValue& v : out) buffers.push_back(v.data);
    if (operand) out[0].data = in[operand.getInt()].data, buffers[in.size()] = out[0].data;
    std::map<int64_t, int64_t> shared;
    ArrayRef<int64_t> pairs = tiles->getInPlace();
    if (mode == 2) {
      if (pairs.empty()) break;
      for (size_t p = 0; p < pairs.size(); p += 2) {
        bool taken = shared.count(pairs[p]);
        for (auto& [o, i] : shared) taken |= i == pairs[p + 1];
        if (taken) continue;
        shared[pairs[p]] = pairs[p + 1];
        buffers[in.size() + pairs[p]] = buffers[pairs[p + 1]];
      }
    }
    if (failed(tile::runTiles(*tiles, buffers, mode == 1))) {
      wrong += name + ": does not run\n";
      break;
    }
    for (auto& [o, i] : shared) out[o].data = in[i].data;
    for (auto [o, v] : llvm::enumerate(expected))
      wrong += compare(v, out[o], tolerance, name + " mode " + std::to_string(mode) + " result " + std::to_string(o));
    if (!wrong.empty()) break;
  }
  if (!wrong.empty() && std::getenv("NACRE_TEST_PRINT")) tiles->dump();
  tiles->erase();
  return wrong;
}

}  // namespace

std::string fill(std::string text, const std::map<std::string, std::string>& values) {
  for (auto& [key, value] : values)
    for (size_t at; (at = text.find("$" + key)) != std::string::npos;) text.replace(at, key.size() + 1, value);
  return text;
}

std::string checkKernels(const std::string& text, int integers, double tolerance) {
  Session session(text);
  if (!session.module) return session.errors + text;
  std::mt19937 random(1);
  std::string wrong;
  for (func::FuncOp kernel : session.kernels()) {
    std::vector<HostValue> inputs;
    for (Type t : kernel.getFunctionType().getInputs())
      inputs.push_back(randomValue(cast<RankedTensorType>(t), random, integers));
    auto expected = ir::interpret(kernel, inputs);
    if (failed(expected)) return session.errors + "the reference interpreter fails on\n" + text;
    for (int vectorBytes : {64, 32, 16}) wrong += checkKernel(kernel, vectorBytes, inputs, *expected, tolerance);
  }
  return wrong.empty() ? "" : wrong + session.errors + text;
}

std::string tileText(const std::string& text, int vectorBytes) {
  Session session(text);
  if (!session.module) return "";
  std::string result;
  llvm::raw_string_ostream stream(result);
  for (func::FuncOp kernel : session.kernels()) {
    auto tiles = emitTileFunc(kernel, targetOf(vectorBytes));
    if (failed(tiles)) return "";
    tiles->print(stream);
  }
  return result;
}

std::string emissionErrors(const std::string& text) {
  Session session(text);
  if (!session.module) return "does not parse: " + session.errors;
  for (func::FuncOp kernel : session.kernels()) (void)emitTileFunc(kernel, targetOf(64));
  return session.errors;
}

}  // namespace nacre::schedule
