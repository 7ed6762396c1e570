// Values of what the rules emit, by the reference interpreter, for the ops of every_op.mlir in f64: tangents against
// differences, cotangents against tangents, batches against their elements one by one.
#include <cmath>
#include <random>

#include "catch2/catch.hpp"
#include "ir/builder.h"
#include "ir/reference/interpreter.h"
#include "ir/rules/test_support.h"
#include "llvm/Support/MemoryBuffer.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

using namespace mlir;
using namespace nacre::ir;

namespace {

// One op in a module of its own: @value applies it to its operands; the other functions are made by the tests.
struct Subject {
  func::FuncOp value;
  Operation* op;
};

std::string where(Subject s) { return s.value.getName().str(); }

bool isReal(Type type) { return isFloat(cast<RankedTensorType>(type).getElementType()); }

class Values {
 public:
  Values() {
    auto file = llvm::MemoryBuffer::getFile("ir/rules/every_op.mlir");
    REQUIRE(file);
    std::string text;
    SmallVector<StringRef> lines;
    (*file)->getBuffer().split(lines, '\n');
    for (StringRef line : lines) {
      // In f64, except for the op to which the width matters.
      std::string wide = line.str();
      for (size_t at = 0; !line.contains("bitcast") && (at = wide.find("f32", at)) != std::string::npos;)
        wide.replace(at, 3, "f64");
      text += wide + "\n";
    }
    module = test.parse(text);
    INFO(test.diagnostics);
    REQUIRE(module);
    for (auto function : module->getOps<func::FuncOp>()) {
      Operation* op = &function.front().front();
      bool alone = op->getNextNode() == function.front().getTerminator();
      if (alone && isa<RuleInterface>(op) && op->getNumResults() > 0) subjects.push_back({function, op});
    }
    REQUIRE(subjects.size() > 80);
  }

  // A new function with the given arguments, whose body `emit` writes.
  func::FuncOp make(TypeRange arguments,
                    llvm::function_ref<SmallVector<Value>(nacre::ir::Builder&, ArrayRef<Value>)> emit) {
    OpBuilder ops = OpBuilder::atBlockEnd(module->getBody());
    Location loc = ops.getUnknownLoc();
    auto function = func::FuncOp::create(ops, loc, "made" + std::to_string(made++), ops.getFunctionType(arguments, {}));
    ops.setInsertionPointToStart(function.addEntryBlock());
    nacre::ir::Builder b(ops, loc);
    SmallVector<Value> operands(function.getArguments());
    SmallVector<Value> results = emit(b, operands);
    func::ReturnOp::create(ops, loc, results);
    function.setFunctionType(ops.getFunctionType(arguments, ValueRange(results).getTypes()));
    REQUIRE(test.verifies(function));
    return function;
  }

  // Away from kinks and poles of the functions; integers reach outside of what they index.
  HostValue random(RankedTensorType type) {
    HostValue v = zeros(type);
    if (type.getElementType().isF64()) {
      for (double& x : v.elements<double>()) x = std::uniform_real_distribution(0.1, 0.9)(engine);
    } else if (type.getElementType().isInteger(1)) {
      for (bool& x : v.elements<bool>()) x = engine() % 2;
    } else if (type.getElementType().isSignlessInteger(32)) {
      for (int32_t& x : v.elements<int32_t>()) x = static_cast<int>(engine() % 9) - 3;
    } else if (type.getElementType().isSignlessInteger(64)) {
      for (int64_t& x : v.elements<int64_t>()) x = static_cast<int>(engine() % 9) - 3;
    } else if (type.getElementType().isUnsignedInteger(32)) {
      for (uint32_t& x : v.elements<uint32_t>()) x = engine() % 8;
    } else if (type.getElementType().isUnsignedInteger(8)) {
      for (uint8_t& x : v.elements<uint8_t>()) x = engine() % 8;
    } else {
      for (std::byte& x : v.data) x = std::byte(0);
    }
    return v;
  }

  std::vector<HostValue> randoms(TypeRange types) {
    std::vector<HostValue> all;
    for (Type type : types) all.push_back(random(cast<RankedTensorType>(type)));
    return all;
  }

  static std::vector<HostValue> run(func::FuncOp f, ArrayRef<HostValue> args) {
    auto results = interpret(f, args);
    REQUIRE(succeeded(results));
    return *results;
  }

  TestContext test;
  OwningOpRef<ModuleOp> module;
  std::vector<Subject> subjects;
  std::mt19937 engine{7};
  int made = 0;
};

// `x` moved by `step` along `direction`.
std::vector<HostValue> moved(std::vector<HostValue> x, const std::vector<HostValue>& direction, double step) {
  for (size_t i = 0; i < x.size(); ++i)
    if (x[i].element().isF64())
      for (auto [to, by] : llvm::zip_equal(x[i].elements<double>(), direction[i].elements<double>())) to += step * by;
  return x;
}

double dot(const HostValue& a, const HostValue& b) {
  double sum = 0;
  for (auto [x, y] : llvm::zip_equal(a.elements<double>(), b.elements<double>())) sum += x * y;
  return sum;
}

bool onlyF64(TypeRange types) {
  return llvm::all_of(types, [](Type t) { return !isReal(t) || cast<RankedTensorType>(t).getElementType().isF64(); });
}

HostValue hostArray(MLIRContext* context, ArrayRef<double> values) {
  HostValue v = zeros(RankedTensorType::get({static_cast<int64_t>(values.size())}, Float64Type::get(context)));
  std::copy(values.begin(), values.end(), v.elements<double>().begin());
  return v;
}

// Tangent of a reduction of `x` to a scalar, with tangents t.
double reduceTangent(const std::string& kind, ArrayRef<double> x, ArrayRef<double> t) {
  TestContext test;
  std::string type = "tensor<" + std::to_string(x.size()) + "xf64>";
  OwningOpRef<ModuleOp> module =
      test.parse("func.func @f(%x: " + type + ", %t: " + type + ") -> tensor<f64> {\n %r = nacre.reduce " + kind +
                 "(%x), dims = [0] : (" + type + ") -> tensor<f64>\n return %r : tensor<f64>\n}");
  INFO(test.diagnostics);
  REQUIRE(module);
  auto function = *module->getOps<func::FuncOp>().begin();
  Operation* end = function.front().getTerminator();
  OpBuilder ops(end);
  nacre::ir::Builder b(ops, end->getLoc());
  SmallVector<Value> results;
  auto reduce = cast<RuleInterface>(&function.front().front());
  REQUIRE(succeeded(reduce.jvp(b, SmallVector<Value>{function.getArgument(1)}, results)));
  end->setOperand(0, results[0]);
  auto found = interpret(function, {hostArray(&test.context, x), hostArray(&test.context, t)});
  REQUIRE(succeeded(found));
  return (*found)[0].elements<double>()[0];
}

}  // namespace

TEST_CASE("a product's derivative is right where elements are zero") {
  CHECK(reduceTangent("mul", {2, 0, 3}, {1, 1, 1}) == 6);
  CHECK(reduceTangent("mul", {0, 0, 3}, {1, 1, 1}) == 0);
  CHECK(reduceTangent("mul", {2, 5, 3, 7, 1}, {1, 0, 0, 1, 0}) == 5 * 3 * 7 + 2 * 5 * 3);
  CHECK(reduceTangent("mul", {4}, {3}) == 3);
}

TEST_CASE("equal extremes share the derivative") {
  CHECK(reduceTangent("max", {1, 5, 5, 2}, {10, 1, 2, 20}) == 1.5);
  CHECK(reduceTangent("min", {1, 5, 1, 1}, {3, 100, 6, 9}) == 6);
  // A tangent elsewhere does not matter, even if it is not a number.
  CHECK(reduceTangent("max", {1, 5}, {INFINITY, 2}) == 2);
}

TEST_CASE("folding does not change values") {
  TestContext test;
  OwningOpRef<ModuleOp> module = test.parse(R"(
    func.func @f(%x: tensor<2x3x4xf64>) -> (tensor<3x4x2xf64>, tensor<8x3xf64>, tensor<2x3x4xf64>, tensor<1x3xf64>) {
      %a = nacre.transpose %x, dims = [2, 0, 1] : (tensor<2x3x4xf64>) -> tensor<4x2x3xf64>
      %b = nacre.transpose %a, dims = [2, 0, 1] : (tensor<4x2x3xf64>) -> tensor<3x4x2xf64>
      %c = nacre.reshape %b : (tensor<3x4x2xf64>) -> tensor<6x4xf64>
      %d = nacre.reshape %c : (tensor<6x4xf64>) -> tensor<8x3xf64>
      %e = nacre.slice %x, start = [0, 0, 0], limit = [2, 3, 4], strides = [1, 1, 1]
          : (tensor<2x3x4xf64>) -> tensor<2x3x4xf64>
      %f = nacre.broadcast_in_dim %e, dims = [0, 1, 2] : (tensor<2x3x4xf64>) -> tensor<2x3x4xf64>
      %g = nacre.constant dense<2.5> : tensor<f64>
      %h = nacre.broadcast_in_dim %g, dims = [] : (tensor<f64>) -> tensor<5x3xf64>
      %i = nacre.transpose %h, dims = [1, 0] : (tensor<5x3xf64>) -> tensor<3x5xf64>
      %j = nacre.slice %i, start = [0, 1], limit = [3, 4], strides = [1, 3] : (tensor<3x5xf64>) -> tensor<3x1xf64>
      %k = nacre.reshape %j : (tensor<3x1xf64>) -> tensor<1x3xf64>
      return %b, %d, %f, %k : tensor<3x4x2xf64>, tensor<8x3xf64>, tensor<2x3x4xf64>, tensor<1x3xf64>
    })");
  INFO(test.diagnostics);
  REQUIRE(module);
  auto function = *module->getOps<func::FuncOp>().begin();
  HostValue x = zeros(cast<RankedTensorType>(function.getArgument(0).getType()));
  for (auto [i, element] : llvm::enumerate(x.elements<double>())) element = i;
  auto before = interpret(function, {x});
  REQUIRE(succeeded(applyPatternsGreedily(function, RewritePatternSet(&test.context))));
  REQUIRE(test.verifies(function));
  auto after = interpret(function, {x});
  REQUIRE((succeeded(before) && succeeded(after)));
  for (auto [b, a] : llvm::zip_equal(*before, *after)) CHECK(b.data == a.data);
  // One transpose, one reshape and one constant are left.
  CHECK(std::distance(function.front().begin(), function.front().end()) == 4);
}

TEST_CASE("tangents agree with differences") {
  Values values;
  int checked = 0;
  for (const Subject& s : values.subjects) {
    TypeRange types = s.op->getOperandTypes();
    bool differentiable = llvm::any_of(types, isReal) && isReal(s.op->getResult(0).getType()) &&
                          !s.op->hasTrait<NotDifferentiable>() && onlyF64(types) && onlyF64(s.op->getResultTypes());
    if (!differentiable) continue;
    INFO("@" << where(s));
    SmallVector<Type> arguments(types);
    arguments.append(types.begin(), types.end());
    auto tangent = values.make(arguments, [&](nacre::ir::Builder& b, ArrayRef<Value> all) {
      IRMapping map;
      for (auto [from, to] : llvm::zip(s.op->getOperands(), all)) map.map(from, to);
      Operation* copy = b.ops.clone(*s.op, map);
      SmallVector<Value> tangents, results;
      for (auto [v, t] : llvm::zip_equal(copy->getOperands(), all.drop_front(types.size())))
        tangents.push_back(isReal(v.getType()) ? t : nullptr);
      REQUIRE(succeeded(cast<RuleInterface>(copy).jvp(b, tangents, results)));
      for (auto [result, t] : llvm::zip_equal(copy->getResults(), results))
        if (!t) t = b.zerosLike(result);
      return results;
    });
    for (int repeat = 0; repeat < 3; ++repeat) {
      std::vector<HostValue> x = values.randoms(types), t = values.randoms(types), all = x;
      // acosh lives above 1.
      if (isa<AcoshOp>(s.op)) x = moved(x, t, 10), all = x;
      all.insert(all.end(), t.begin(), t.end());
      std::vector<HostValue> found = Values::run(tangent, all);
      const double h = 1e-5;
      std::vector<HostValue> plus = Values::run(s.value, moved(x, t, h)), minus = Values::run(s.value, moved(x, t, -h));
      for (size_t r = 0; r < found.size(); ++r) {
        if (!isReal(found[r].type)) continue;
        for (size_t i = 0; i < found[r].elements<double>().size(); ++i) {
          double difference = (plus[r].elements<double>()[i] - minus[r].elements<double>()[i]) / (2 * h);
          if (std::isnan(difference)) difference = 0;  // infinity minus itself: the reduction of nothing
          CHECK(found[r].elements<double>()[i] == Approx(difference).epsilon(1e-5).margin(1e-7));
        }
      }
    }
    ++checked;
  }
  CHECK(checked > 60);
}

TEST_CASE("cotangents agree with tangents") {
  Values values;
  int checked = 0;
  for (const Subject& s : values.subjects) {
    TypeRange types = s.op->getOperandTypes();
    if (types.empty() || !onlyF64(types) || !onlyF64(s.op->getResultTypes())) continue;
    if (!llvm::any_of(s.op->getResultTypes(), isReal)) continue;
    for (unsigned bits = 1; bits < 1u << types.size(); ++bits) {
      // Only choices in which the op is linear; other tests make sure that those exist.
      bool real = true;
      for (size_t i = 0; i < types.size(); ++i) real &= !(bits >> i & 1) || isReal(types[i]);
      bool bilinear = isa<MulOp, DotGeneralOp>(s.op) && bits == 3;
      bool nonlinear = isa<DivOp>(s.op) && bits != 1;
      bool reduces = isa<ReduceOp>(s.op) && cast<ReduceOp>(s.op).getKind() != CombineKind::Add;
      bool linear = isa<NegOp, AddOp, SubOp, MulOp, DivOp, SelectOp, BroadcastInDimOp, ReshapeOp, TransposeOp,
                        ReverseOp, SliceOp, PadOp, ConcatenateOp, DynamicSliceOp, DynamicUpdateSliceOp, GatherOp,
                        ScatterOp, ReduceOp, DotGeneralOp, OptimizationBarrierOp>(s.op);
      if (!linear || !real || bilinear || nonlinear || reduces) continue;
      INFO("@" << where(s) << " in operands " << bits);
      size_t count = types.size();
      SmallVector<Type> arguments(types);
      arguments.append(s.op->result_type_begin(), s.op->result_type_end());
      auto transposed = values.make(arguments, [&](nacre::ir::Builder& b, ArrayRef<Value> all) {
        IRMapping map;
        for (auto [from, to] : llvm::zip(s.op->getOperands(), all)) map.map(from, to);
        Operation* copy = b.ops.clone(*s.op, map);
        SmallVector<Value> operands(copy->getOperands()), cotangents(all.drop_front(count)), results;
        for (size_t i = 0; i < count; ++i)
          if (bits >> i & 1) operands[i] = nullptr;
        for (Value& c : cotangents)
          if (!isReal(c.getType())) c = nullptr;
        REQUIRE(succeeded(cast<RuleInterface>(copy).transpose(b, operands, cotangents, results)));
        for (auto [operand, c] : llvm::zip_equal(copy->getOperands(), results))
          if (!c) c = b.zerosLike(operand);
        return results;
      });
      for (int repeat = 0; repeat < 4; ++repeat) {
        std::vector<HostValue> x = values.randoms(types);
        if (auto scatter = dyn_cast<ScatterOp>(s.op); scatter && scatter.getUniqueIndices())
          for (auto [i, index] : llvm::enumerate(x[1].elements<int32_t>())) index = 2 * i - 1;
        std::vector<HostValue> base = x;
        for (size_t i = 0; i < count; ++i)
          if (bits >> i & 1) base[i] = zeros(x[i].type);
        std::vector<HostValue> cotangents = values.randoms(s.op->getResultTypes()), all = x;
        all.insert(all.end(), cotangents.begin(), cotangents.end());
        std::vector<HostValue> back = Values::run(transposed, all);
        // The op is affine where other operands add to it: its value at zero is taken off.
        std::vector<HostValue> at = Values::run(s.value, x), atZero = Values::run(s.value, base);
        double forward = 0, reverse = 0;
        for (size_t r = 0; r < at.size(); ++r)
          if (isReal(at[r].type)) forward += dot(cotangents[r], at[r]) - dot(cotangents[r], atZero[r]);
        for (size_t i = 0; i < count; ++i)
          if (bits >> i & 1) reverse += dot(back[i], x[i]);
        CHECK(reverse == Approx(forward).epsilon(1e-11).margin(1e-11));
      }
      ++checked;
    }
  }
  CHECK(checked > 50);
}

TEST_CASE("a batch agrees with its elements one by one") {
  Values values;
  const int64_t size = 3;
  for (const Subject& s : values.subjects) {
    TypeRange types = s.op->getOperandTypes();
    for (unsigned bits = 1; bits < 1u << types.size(); ++bits) {
      INFO("@" << where(s) << ", mapped " << bits);
      SmallVector<Type> arguments;
      SmallVector<bool> mapped;
      for (size_t i = 0; i < types.size(); ++i) {
        mapped.push_back(bits >> i & 1);
        auto type = cast<RankedTensorType>(types[i]);
        arguments.push_back(mapped[i] ? withLeading(type, size) : type);
      }
      auto batched = values.make(arguments, [&](nacre::ir::Builder& b, ArrayRef<Value> all) {
        SmallVector<Value> results;
        REQUIRE(succeeded(cast<RuleInterface>(s.op).batch(b, size, all, mapped, results)));
        return results;
      });
      std::vector<HostValue> x = values.randoms(arguments), found = Values::run(batched, x);
      for (int64_t k = 0; k < size; ++k) {
        std::vector<HostValue> one;
        auto part = [&](const HostValue& all, Type type) {
          HostValue v = zeros(cast<RankedTensorType>(type));
          std::copy_n(all.data.begin() + k * v.data.size(), v.data.size(), v.data.begin());
          return v;
        };
        for (size_t i = 0; i < types.size(); ++i) one.push_back(mapped[i] ? part(x[i], types[i]) : x[i]);
        std::vector<HostValue> expected = Values::run(s.value, one);
        for (size_t r = 0; r < expected.size(); ++r) CHECK(part(found[r], expected[r].type).data == expected[r].data);
      }
    }
  }
}
