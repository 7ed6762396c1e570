#include "tests/transforms/harness.h"

#include <catch2/catch.hpp>

#include "ir/builder.h"
#include "ir/text/safe_parse.h"
#include "mlir/IR/Verifier.h"

using namespace mlir;

namespace nacre::testing {

MLIRContext& context() {
  static MLIRContext* shared = [] {
    auto* made = new MLIRContext(MLIRContext::Threading::DISABLED);
    made->loadDialect<ir::NacreDialect, func::FuncDialect>();
    return made;
  }();
  return *shared;
}

OwningOpRef<ModuleOp> parse(const Case& c) {
  std::string error;
  FailureOr<OwningOpRef<ModuleOp>> module = ir::parseModule(c.text, c.name, context(), error);
  INFO(error << "\n" << c.text);
  REQUIRE(succeeded(module));
  return std::move(*module);
}

func::FuncOp function(ModuleOp module, StringRef name) {
  auto f = module.lookupSymbol<func::FuncOp>(name);
  REQUIRE(f);
  return f;
}

Values evaluate(func::FuncOp f, const Values& arguments) {
  std::string text;
  llvm::raw_string_ostream(text) << *f;
  INFO(text);
  REQUIRE(succeeded(verify(f)));
  auto results = ir::interpret(f, arguments);
  REQUIRE(succeeded(results));
  return std::move(*results);
}

bool isReal(Type type) { return isa<FloatType>(cast<RankedTensorType>(type).getElementType()); }

std::vector<bool> realFlags(TypeRange types) {
  std::vector<bool> flags;
  for (Type type : types) flags.push_back(isReal(type));
  return flags;
}

SmallVector<bool> flags(const std::vector<bool>& from) { return SmallVector<bool>(from.begin(), from.end()); }

namespace {

// Calls `visit` with a span of the element type's C++ type.
template <class Value, class Visit>
void withElements(Value& value, Visit visit) {
  Type element = value.element();
  if (element.isF64()) return visit(value.template elements<double>());
  if (element.isF32()) return visit(value.template elements<float>());
  if (element.isInteger(1)) return visit(value.template elements<bool>());
  if (element.isUnsignedInteger(8)) return visit(value.template elements<uint8_t>());
  if (element.isUnsignedInteger(32)) return visit(value.template elements<uint32_t>());
  if (element.isInteger(32)) return visit(value.template elements<int32_t>());
  REQUIRE(element.isInteger(64));
  visit(value.template elements<int64_t>());
}

}  // namespace

ir::HostValue randomValue(const Case& c, RankedTensorType type, std::mt19937& random) {
  ir::HostValue value = ir::zeros(type);
  withElements(value, [&](auto elements) {
    using T = std::remove_reference_t<decltype(elements[0])>;
    for (T& x : elements) {
      if constexpr (std::is_same_v<T, bool>)
        x = random() % 2;
      else if constexpr (std::is_floating_point_v<T>)
        x = static_cast<T>(std::uniform_real_distribution<double>(c.low, c.high)(random));
      else
        x = static_cast<T>(std::uniform_int_distribution<int64_t>(c.intLow, c.intHigh)(random));
    }
  });
  return value;
}

Values randomArguments(const Case& c, TypeRange types, std::mt19937& random) {
  Values values;
  for (Type type : types) values.push_back(randomValue(c, cast<RankedTensorType>(type), random));
  return values;
}

Values randomDirection(const Values& like, std::mt19937& random) {
  Case unit;
  unit.low = -1, unit.high = 1;
  Values direction;
  for (const ir::HostValue& value : like)
    if (isReal(value.type)) direction.push_back(randomValue(unit, value.type, random));
  return direction;
}

std::vector<double> numbers(const ir::HostValue& value) {
  std::vector<double> out;
  withElements(value, [&](auto elements) { out.assign(elements.begin(), elements.end()); });
  return out;
}

Values realOnes(const Values& values) {
  Values real;
  for (const ir::HostValue& value : values)
    if (isReal(value.type)) real.push_back(value);
  return real;
}

Values moved(const Values& values, const Values& direction, double step) {
  Values out = values;
  size_t next = 0;
  for (ir::HostValue& value : out) {
    if (!isReal(value.type)) continue;
    std::vector<double> change = numbers(direction[next++]);
    withElements(value, [&](auto elements) {
      using T = std::remove_reference_t<decltype(elements[0])>;
      for (size_t i = 0; i < elements.size(); ++i) elements[i] = static_cast<T>(elements[i] + step * change[i]);
    });
  }
  return out;
}

double dot(const Values& a, const Values& b, double* magnitude) {
  REQUIRE(a.size() == b.size());
  double sum = 0, sizes = 0;
  for (size_t i = 0; i < a.size(); ++i) {
    std::vector<double> x = numbers(a[i]), y = numbers(b[i]);
    REQUIRE(x.size() == y.size());
    for (size_t k = 0; k < x.size(); ++k) {
      sum += x[k] * y[k];
      sizes += std::abs(x[k] * y[k]);
    }
  }
  if (magnitude) *magnitude = sizes;
  return sum;
}

}  // namespace nacre::testing
