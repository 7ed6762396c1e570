// Plans of random programs, run on tokens: every launch has to find the values it reads where it reads them.
#include "codegen/plan/plan_builder.h"

#include <catch2/catch.hpp>
#include <map>
#include <random>

#include "ir/builder.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

using namespace mlir;

namespace nacre::codegen {
namespace {

struct Program {
  OwningOpRef<ModuleOp> module;
  func::FuncOp main;
  llvm::StringMap<KernelUse> kernels;
};

// Sizes are multiples of 64 bytes, so that memory can be looked at in blocks of 64.
Program randomProgram(MLIRContext& context, unsigned seed) {
  context.loadDialect<ir::NacreDialect, func::FuncDialect>();
  std::mt19937 random(seed);
  auto below = [&](size_t n) { return static_cast<size_t>(random() % n); };
  Program program;
  program.module = ModuleOp::create(UnknownLoc::get(&context));
  OpBuilder ops(&context);
  auto type = [&](int64_t units) -> Type { return RankedTensorType::get({units, 16}, ops.getF32Type()); };
  SmallVector<Type> inputs;
  for (size_t i = 0, n = 1 + below(5); i < n; ++i) inputs.push_back(type(1 + below(3)));
  auto main = func::FuncOp::create(UnknownLoc::get(&context), "main", ops.getFunctionType(inputs, {}));
  program.module->push_back(main);
  program.main = main;
  ops.setInsertionPointToStart(main.addEntryBlock());
  ir::Builder b(ops, main.getLoc());
  for (size_t i = 0; i < inputs.size(); ++i)
    if (below(2)) main.setArgAttr(i, ir::kDonatedAttr, ops.getUnitAttr());

  SmallVector<Value> values(main.getArguments());
  if (below(2)) {
    SmallVector<float> literal(16);
    for (size_t i = 0; i < 16; ++i) literal[i] = static_cast<float>(i);
    auto t = cast<RankedTensorType>(type(1));
    values.push_back(ir::ConstantOp::create(ops, b.loc, t, DenseElementsAttr::get(t, ArrayRef<float>(literal))));
  }
  for (size_t k = 0, n = below(30); k < n; ++k) {
    if (below(5) == 0) {
      Value v = values[below(values.size())];
      values.push_back(b.reshape(v, {ir::typeOf(v).getNumElements() / 4, 4}));
      continue;
    }
    if (below(8) == 0) {
      Value v = values[below(values.size())], w = values[below(values.size())];
      auto barrier =
          ir::OptimizationBarrierOp::create(ops, b.loc, TypeRange{v.getType(), w.getType()}, ValueRange{v, w});
      values.append(barrier.getOutputs().begin(), barrier.getOutputs().end());
      continue;
    }
    SmallVector<Value> operands;
    for (size_t i = 0, m = below(4); i < m; ++i) operands.push_back(values[below(values.size())]);
    KernelUse use;
    use.index = static_cast<int32_t>(k);
    SmallVector<Type> outputs;
    if (!operands.empty() && below(4) == 0) {
      use.destination = static_cast<int>(below(operands.size()));
      outputs.push_back(operands[use.destination].getType());
    } else {
      for (size_t i = 0, m = 1 + below(2); i < m; ++i) outputs.push_back(type(1 + below(3)));
      for (size_t o = 0; o < outputs.size(); ++o)
        for (size_t i = 0; i < operands.size(); ++i)
          if (operands[i].getType() == outputs[o] && below(3)) use.in_place.push_back({o, i});
    }
    std::string name = "k" + std::to_string(k);
    program.kernels[name] = use;
    auto launch = ir::LaunchOp::create(ops, b.loc, outputs, name, operands);
    values.append(launch.getOutputs().begin(), launch.getOutputs().end());
  }
  SmallVector<Value> results;
  for (size_t i = 0, n = 1 + below(5); i < n; ++i) results.push_back(values[values.size() - 1 - below(values.size())]);
  func::ReturnOp::create(ops, b.loc, results);
  main.setFunctionType(ops.getFunctionType(inputs, TypeRange(ValueRange(results))));
  return program;
}

// Memory in blocks of 64 bytes, each with the number of the value that was written there last.
class Memory {
 public:
  using Block = std::tuple<Space, int32_t, int64_t>;
  void write(const Slice& slice, int64_t bytes, int token) {
    for (int64_t i = 0; i < bytes / 64; ++i) blocks_[{slice.space, slice.index, slice.offset / 64 + i}] = token;
  }
  bool holds(const Slice& slice, int64_t bytes, int token) const {
    for (int64_t i = 0; i < bytes / 64; ++i) {
      auto it = blocks_.find({slice.space, slice.index, slice.offset / 64 + i});
      if (it == blocks_.end() || it->second != token) return false;
    }
    return true;
  }
  void copy(const Slice& from, const Slice& to, int64_t bytes) {
    for (int64_t i = 0; i < bytes / 64; ++i)
      blocks_[{to.space, to.index, to.offset / 64 + i}] = blocks_.at({from.space, from.index, from.offset / 64 + i});
  }

 private:
  std::map<Block, int> blocks_;
};

bool overlap(const Slice& a, int64_t aBytes, const Slice& b, int64_t bBytes) {
  return a.space == b.space && a.index == b.index && a.offset < b.offset + bBytes && b.offset < a.offset + aBytes;
}

Value viewed(Value v) {
  while (Operation* op = v.getDefiningOp()) {
    if (isa<ir::LaunchOp, ir::ConstantOp>(op)) break;
    v = op->getOperand(isa<ir::ReshapeOp>(op) ? 0 : cast<OpResult>(v).getResultNumber());
  }
  return v;
}

int64_t bytesOf(Value v) { return cast<RankedTensorType>(v.getType()).getNumElements() * 4; }

void runOnTokens(Program& program, const Plan& plan) {
  DenseMap<Value, int> tokens;
  auto tokenOf = [&](Value v) { return tokens.try_emplace(viewed(v), tokens.size()).first->second; };
  Memory memory;
  for (auto [i, argument] : llvm::enumerate(program.main.getArguments()))
    memory.write({Space::argument, static_cast<int32_t>(i), 0}, bytesOf(argument), tokenOf(argument));
  for (auto constant : program.main.getOps<ir::ConstantOp>())
    memory.write({Space::constant, 0, 0}, bytesOf(constant), tokenOf(constant));

  auto isWritable = [&](const Slice& s) {
    if (s.space == Space::constant) return false;
    return s.space != Space::argument || plan.arguments[s.index].donated;
  };
  size_t next = 0;
  auto copies = [&] {
    for (; next < plan.commands.size() && plan.commands[next].kind == Command::Kind::copy; ++next) {
      const Command& c = plan.commands[next];
      REQUIRE(isWritable(c.operands[1]));
      memory.copy(c.operands[0], c.operands[1], c.bytes);
    }
  };
  for (auto launch : program.main.getOps<ir::LaunchOp>()) {
    copies();
    REQUIRE(next < plan.commands.size());
    const Command& c = plan.commands[next++];
    const KernelUse& use = program.kernels[launch.getKernel()];
    REQUIRE(c.kernel == use.index);
    size_t inputs = launch.getInputs().size();
    REQUIRE(c.operands.size() == inputs + launch.getNumResults());
    for (auto [i, input] : llvm::enumerate(launch.getInputs())) {
      INFO("input " << i << " of " << launch.getKernel().str());
      REQUIRE(memory.holds(c.operands[i], bytesOf(input), tokenOf(input)));
    }
    for (auto [o, output] : llvm::enumerate(launch.getOutputs())) {
      const Slice& slice = c.operands[inputs + o];
      REQUIRE(isWritable(slice));
      for (size_t other = inputs; other < inputs + o; ++other)
        REQUIRE(!overlap(slice, bytesOf(output), c.operands[other], bytesOf(launch.getOutputs()[other - inputs])));
      for (auto [i, input] : llvm::enumerate(launch.getInputs())) {
        if (!overlap(slice, bytesOf(output), c.operands[i], bytesOf(input))) continue;
        REQUIRE(slice == c.operands[i]);
        bool allowed =
            use.destination == static_cast<int>(i) || llvm::is_contained(use.in_place, std::pair<int, int>(o, i));
        REQUIRE(allowed);
      }
      if (use.destination >= 0) REQUIRE(slice == c.operands[use.destination]);
      if (slice.space == Space::arena) REQUIRE(slice.offset + bytesOf(output) <= plan.arena_bytes);
      memory.write(slice, bytesOf(output), tokenOf(output));
    }
  }
  copies();
  REQUIRE(next == plan.commands.size());
  std::vector<bool> reused(plan.arguments.size(), false);
  for (auto [i, value] : llvm::enumerate(program.main.front().getTerminator()->getOperands())) {
    const ResultSpec& result = plan.results[i];
    Slice slice{Space::result, static_cast<int32_t>(i), 0};
    if (int32_t a = std::max(result.is_argument, result.reuses_argument); a >= 0) slice = {Space::argument, a, 0};
    if (result.reuses_argument >= 0) {
      REQUIRE(plan.arguments[result.reuses_argument].donated);
      REQUIRE(!reused[result.reuses_argument]);
      reused[result.reuses_argument] = true;
    }
    if (result.is_argument >= 0) REQUIRE(!plan.arguments[result.is_argument].donated);
    REQUIRE(memory.holds(slice, bytesOf(value), tokenOf(value)));
  }
}

TEST_CASE("random programs find their values") {
  MLIRContext context;
  for (unsigned seed = 0; seed < 400; ++seed) {
    Program program = randomProgram(context, seed);
    auto plan = buildPlan(program.main, program.kernels);
    REQUIRE(plan.ok());
    std::string text;
    llvm::raw_string_ostream(text) << *program.module;
    INFO("seed " << seed << "\n" << text);
    runOnTokens(program, *plan);
  }
}

// A main of one launch: @k with the given operands.
Plan planOf(MLIRContext& context, bool donated, std::vector<std::pair<int, int>> inPlace, int destination,
            bool readLater) {
  context.loadDialect<ir::NacreDialect, func::FuncDialect>();
  OwningOpRef<ModuleOp> module = ModuleOp::create(UnknownLoc::get(&context));
  OpBuilder ops(&context);
  Type type = RankedTensorType::get({16}, ops.getF32Type());
  auto main = func::FuncOp::create(UnknownLoc::get(&context), "main", ops.getFunctionType({type}, {type, type}));
  module->push_back(main);
  if (donated) main.setArgAttr(0, ir::kDonatedAttr, ops.getUnitAttr());
  ops.setInsertionPointToStart(main.addEntryBlock());
  Value x = main.getArgument(0);
  Value y = ir::LaunchOp::create(ops, main.getLoc(), TypeRange{type}, "k", ValueRange{x}).getOutputs()[0];
  Value z = ir::LaunchOp::create(ops, main.getLoc(), TypeRange{type}, "l", readLater ? x : y).getOutputs()[0];
  func::ReturnOp::create(ops, main.getLoc(), ValueRange{y, z});
  llvm::StringMap<KernelUse> kernels;
  kernels["k"] = {0, std::move(inPlace), destination};
  kernels["l"] = {1, {}, -1};
  auto plan = buildPlan(main, kernels);
  REQUIRE(plan.ok());
  return *plan;
}

TEST_CASE("a donated argument is written in place, others are copied") {
  MLIRContext context;
  Plan inPlace = planOf(context, true, {{0, 0}}, -1, false);
  CHECK(inPlace.results[0].reuses_argument == 0);
  CHECK(inPlace.commands.size() == 2);
  Plan readLater = planOf(context, true, {{0, 0}}, -1, true);
  CHECK(readLater.results[0].reuses_argument == -1);
  Plan undonated = planOf(context, false, {{0, 0}}, -1, false);
  CHECK(undonated.results[0].reuses_argument == -1);
  Plan destination = planOf(context, true, {}, 0, false);
  CHECK(destination.commands.size() == 2);
  Plan copied = planOf(context, false, {}, 0, false);
  REQUIRE(copied.commands.size() == 3);
  CHECK(copied.commands[0].kind == Command::Kind::copy);
  CHECK(copied.commands[0].bytes == 64);
}

TEST_CASE("a launch of an unknown kernel is an internal error") {
  MLIRContext context;
  Program program = randomProgram(context, 11);
  program.kernels.clear();
  auto plan = buildPlan(program.main, program.kernels);
  REQUIRE(!plan.ok());
  CHECK(std::string(plan.status().message()).find("no kernel @k") != std::string::npos);
}

}  // namespace
}  // namespace nacre::codegen
