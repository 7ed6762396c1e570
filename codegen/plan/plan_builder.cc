#include "codegen/plan/plan_builder.h"

#include <algorithm>
#include <limits>

#include "absl/status/status.h"
#include "codegen/plan/arena.h"
#include "codegen/plan/constant_bytes.h"
#include "ir/nacre.h"
#include "llvm/ADT/STLExtras.h"
#include "passes/provenance.h"

using namespace mlir;

namespace nacre::codegen {

using namespace ir;

namespace {

constexpr int64_t kNever = -1, kEnd = std::numeric_limits<int64_t>::max() / 2;

TensorSpec specOf(Type type) {
  auto tensor = cast<RankedTensorType>(type);
  return {dtypeOf(tensor.getElementType()), tensor.getShape().vec()};
}

// A piece of memory with one or, after take-overs in place, several values one after the other.
struct Home {
  int64_t bytes = 0;
  Space space = Space::arena;
  int32_t index = 0;
  int64_t first = kNever, last = kNever;  // steps
  int64_t offset = 0;
};

class Planner {
 public:
  Planner(func::FuncOp main, const llvm::StringMap<KernelUse>& kernels) : main_(main), kernels_(kernels) {}

  absl::StatusOr<Plan> run() {
    describeArguments();
    if (absl::Status s = findLastUses(); !s.ok()) return s;
    if (absl::Status s = visitOps(); !s.ok()) return s;
    placeResults();
    placeTemporaries();
    writeCommands();
    return std::move(plan_);
  }

 private:
  // A launch with the homes of its operands, before homes have offsets.
  struct Step {
    int32_t kernel = -1;
    int copyFrom = -1, copyTo = -1;  // homes: a copy before the launch
    SmallVector<int> homes;
    std::string where;
  };

  void describeArguments() {
    for (auto [i, argument] : llvm::enumerate(main_.getArguments())) {
      ArgumentSpec spec;
      static_cast<TensorSpec&>(spec) = specOf(argument.getType());
      if (auto name = main_.getArgAttrOfType<StringAttr>(i, kNameAttr)) spec.name = name.str();
      spec.donated = static_cast<bool>(main_.getArgAttr(i, kDonatedAttr));
      homeOf_[argument] = addHome({spec.bytes(), Space::argument, static_cast<int32_t>(i)});
      plan_.arguments.push_back(std::move(spec));
    }
  }

  int addHome(Home home) {
    homes_.push_back(home);
    return static_cast<int>(homes_.size()) - 1;
  }

  // The value whose memory `v` is a view of.
  static Value viewed(Value v) {
    while (Operation* op = v.getDefiningOp()) {
      if (isa<ReshapeOp, BitcastConvertOp>(op))
        v = op->getOperand(0);
      else if (auto barrier = dyn_cast<OptimizationBarrierOp>(op))
        v = barrier.getInputs()[cast<OpResult>(v).getResultNumber()];
      else
        break;
    }
    return v;
  }

  absl::Status findLastUses() {
    int64_t step = 0;
    for (Operation& op : main_.front()) {
      if (isa<func::ReturnOp>(op)) {
        for (Value v : op.getOperands()) lastUse_[viewed(v)] = kEnd;
      } else if (isa<LaunchOp>(op)) {
        for (Value v : op.getOperands()) lastUse_[viewed(v)] = step;
        ++step;
      }
    }
    return absl::OkStatus();
  }

  int64_t lastUse(Value v) const {
    auto it = lastUse_.find(v);
    return it == lastUse_.end() ? kNever : it->second;
  }

  absl::Status visitOps() {
    for (Operation& op : main_.front().without_terminator()) {
      if (isa<ReshapeOp, BitcastConvertOp, OptimizationBarrierOp>(op)) continue;
      if (auto constant = dyn_cast<ConstantOp>(op)) {
        addConstant(constant);
      } else if (auto launch = dyn_cast<LaunchOp>(op)) {
        if (absl::Status s = addLaunch(launch); !s.ok()) return s;
      } else {
        return absl::InternalError("plan: " + op.getName().getStringRef().str() + " stands outside of kernels");
      }
    }
    return absl::OkStatus();
  }

  void addConstant(ConstantOp op) {
    int64_t bytes = specOf(op.getType()).bytes();
    auto [it, isNew] = constants_.try_emplace(op.getValue(), static_cast<int>(homes_.size()));
    if (isNew) {
      addHome({bytes, Space::constant, static_cast<int32_t>(plan_.constants.size())});
      plan_.constants.push_back(bytesOfConstant(op.getValue()));
    }
    homeOf_[op.getResult()] = it->second;
  }

  absl::Status addLaunch(LaunchOp op) {
    auto kernel = kernels_.find(op.getKernel());
    if (kernel == kernels_.end()) return absl::InternalError("plan: no kernel @" + op.getKernel().str());
    const KernelUse& use = kernel->second;
    int64_t now = static_cast<int64_t>(steps_.size());
    Step step;
    step.kernel = use.index;
    step.where = passes::describe(op.getLoc());
    for (Value v : op.getInputs()) step.homes.push_back(homeOf_.at(viewed(v)));
    for (int home : step.homes) homes_[home].last = std::max(homes_[home].last, now);

    SmallVector<int> outputs(op.getNumResults(), -1);
    if (use.destination >= 0) {
      int home = step.homes[use.destination];
      if (canTakeOver(op, use.destination, step.homes, now)) {
        outputs[0] = home;
      } else {
        outputs[0] = addHome({homes_[home].bytes});
        step.copyFrom = home;
        step.copyTo = outputs[0];
        step.homes[use.destination] = outputs[0];
      }
    }
    takeOverInputs(op, use, step.homes, outputs, now);
    for (auto [i, result] : llvm::enumerate(op.getOutputs())) {
      int64_t bytes = specOf(result.getType()).bytes();
      if (outputs[i] < 0) outputs[i] = addHome({bytes});
      Home& home = homes_[outputs[i]];
      if (home.first == kNever) home.first = now;
      home.last = std::max(home.last, std::max(now, lastUse(result)));
      homeOf_[result] = outputs[i];
      current_[outputs[i]] = result;
      step.homes.push_back(outputs[i]);
    }
    steps_.push_back(std::move(step));
    return absl::OkStatus();
  }

  // Is this the last that anybody sees of the input's memory, and may it be written?
  bool canTakeOver(LaunchOp op, int input, ArrayRef<int> inputs, int64_t now) const {
    int home = inputs[input];
    if (llvm::count(inputs, home) > 1) return false;
    const Home& h = homes_[home];
    bool donated = h.space == Space::argument && plan_.arguments[h.index].donated;
    if (h.space != Space::arena && !donated) return false;
    return lastUse(viewed(op.getInputs()[input])) <= now;
  }

  void takeOverInputs(LaunchOp op, const KernelUse& use, ArrayRef<int> inputs, MutableArrayRef<int> outputs,
                      int64_t now) {
    SmallVector<int> taken(outputs.begin(), outputs.end());
    // Donated arguments first, and only for outputs that are results of the program: those save a buffer.
    for (bool donation : {true, false})
      for (auto [output, input] : use.in_place) {
        Value result = op.getOutputs()[output];
        int home = inputs[input];
        bool isDonated = homes_[home].space == Space::argument;
        if (outputs[output] >= 0 || llvm::is_contained(taken, home) || !canTakeOver(op, input, inputs, now)) continue;
        if (isDonated != donation || (donation && lastUse(result) != kEnd)) continue;
        if (homes_[home].bytes != specOf(result.getType()).bytes()) continue;
        outputs[output] = home;
        taken.push_back(home);
      }
  }

  void placeResults() {
    auto results = main_.front().getTerminator()->getOperands();
    std::vector<bool> argumentTaken(plan_.arguments.size(), false);
    // Donated arguments whose memory was taken over while the program runs serve nobody else.
    for (auto& [home, value] : current_)
      if (homes_[home].space == Space::argument) argumentTaken[homes_[home].index] = true;

    std::vector<int> open;  // results with a home in the arena, not placed yet
    std::vector<bool> homeTaken(homes_.size(), false);
    for (auto [i, value] : llvm::enumerate(results)) {
      ResultSpec spec;
      static_cast<TensorSpec&>(spec) = specOf(value.getType());
      int id = homeOf_.at(viewed(value));
      Home& home = homes_[id];
      bool donated = home.space == Space::argument && plan_.arguments[home.index].donated;
      if (home.space == Space::argument && !donated) {
        spec.is_argument = home.index;
      } else if (homeTaken[id] || home.space == Space::constant) {
        finalCopies_.push_back({id, static_cast<int32_t>(i)});
      } else if (donated) {
        spec.reuses_argument = home.index;
        argumentTaken[home.index] = true;
        homeTaken[id] = true;
      } else {
        home.space = Space::result;
        home.index = static_cast<int32_t>(i);
        homeTaken[id] = true;
        open.push_back(id);
      }
      plan_.results.push_back(std::move(spec));
    }
    donate(open, argumentTaken, true);
    donate(open, argumentTaken, false);
  }

  // Moves results into donated arguments that are dead before the result's memory is first written.
  void donate(std::vector<int>& open, std::vector<bool>& argumentTaken, bool exact) {
    for (int& id : open) {
      if (id < 0) continue;
      Home& home = homes_[id];
      ResultSpec& result = plan_.results[home.index];
      for (int32_t a = 0; a < static_cast<int32_t>(plan_.arguments.size()); ++a) {
        const ArgumentSpec& argument = plan_.arguments[a];
        if (!argument.donated || argumentTaken[a] || argument.bytes() != result.bytes() || result.bytes() == 0)
          continue;
        if (exact && (argument.dtype != result.dtype || argument.shape != result.shape)) continue;
        if (homes_[a].last >= home.first) continue;
        result.reuses_argument = a;
        argumentTaken[a] = true;
        home.space = Space::argument;
        home.index = a;
        id = -1;
        break;
      }
    }
  }

  void placeTemporaries() {
    std::vector<Lifetime> lifetimes;
    std::vector<int> owners;
    for (auto [id, home] : llvm::enumerate(homes_)) {
      if (home.space != Space::arena) continue;
      lifetimes.push_back({home.bytes, home.first, home.last});
      owners.push_back(static_cast<int>(id));
    }
    Placement placement = placeInArena(lifetimes);
    for (auto [owner, offset] : llvm::zip(owners, placement.offsets)) homes_[owner].offset = offset;
    plan_.arena_bytes = placement.bytes;
  }

  Slice sliceOf(int id) const {
    const Home& home = homes_[id];
    return {home.space, home.space == Space::arena ? 0 : home.index, home.offset};
  }

  void addCopy(Slice from, Slice to, int64_t bytes, std::string where) {
    if (bytes == 0) return;
    Command command;
    command.kind = Command::Kind::copy;
    command.operands = {from, to};
    command.bytes = bytes;
    command.where = std::move(where);
    plan_.commands.push_back(std::move(command));
  }

  void writeCommands() {
    for (Step& step : steps_) {
      if (step.copyFrom >= 0)
        addCopy(sliceOf(step.copyFrom), sliceOf(step.copyTo), homes_[step.copyFrom].bytes, step.where);
      Command command;
      command.kernel = step.kernel;
      command.where = std::move(step.where);
      for (int home : step.homes) command.operands.push_back(sliceOf(home));
      plan_.commands.push_back(std::move(command));
    }
    for (auto [home, result] : finalCopies_)
      addCopy(sliceOf(home), {Space::result, result, 0}, homes_[home].bytes, "copy of a result");
  }

  func::FuncOp main_;
  const llvm::StringMap<KernelUse>& kernels_;
  Plan plan_;
  std::vector<Home> homes_;           // the arguments' come first
  DenseMap<Value, int> homeOf_;       // of values that are no views
  DenseMap<int, Value> current_;      // by home: the last value written to it
  DenseMap<Value, int64_t> lastUse_;  // of values that are no views, all views counted
  DenseMap<Attribute, int> constants_;
  std::vector<Step> steps_;
  std::vector<std::pair<int, int32_t>> finalCopies_;  // home -> result
};

}  // namespace

DType dtypeOf(Type element) {
  if (element.isBF16()) return DType::bf16;
  if (element.isF32()) return DType::f32;
  if (element.isF64()) return DType::f64;
  auto integer = cast<IntegerType>(element);
  if (integer.getWidth() == 1) return DType::pred;
  if (integer.getWidth() == 8) return DType::u8;
  if (integer.getWidth() == 64) return DType::s64;
  return integer.isUnsigned() ? DType::u32 : DType::s32;
}

absl::StatusOr<Plan> buildPlan(func::FuncOp main, const llvm::StringMap<KernelUse>& kernels) {
  return Planner(main, kernels).run();
}

}  // namespace nacre::codegen
