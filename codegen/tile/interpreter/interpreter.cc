#include "codegen/tile/interpreter/interpreter.h"

#include <cmath>
#include <cstring>
#include <list>
#include <variant>

#include "ir/reference/interpreter_impl.h"
#include "ir/reference/op_table.h"
#include "llvm/ADT/TypeSwitch.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using nacre::ir::HostValue;

namespace nacre::tile {
namespace {

struct Memory {
  BufferType type;
  std::byte* data;
  int64_t bytes;
};

using Slot = std::variant<int64_t, HostValue, Memory>;  // an index or condition, a tile, a buffer

int64_t elementCount(ArrayRef<int64_t> shape) {
  int64_t n = 1;
  for (int64_t d : shape) n *= d;
  return n;
}

class Runner {
 public:
  explicit Runner(FuncOp func) : func(func) {}

  LogicalResult run(ArrayRef<std::span<std::byte>> buffers, bool reverse) {
    Block& body = func.getBody().front();
    if (buffers.size() + 1 != body.getNumArguments())
      return func.emitOpError() << "has " << body.getNumArguments() - 1 << " buffers, not " << buffers.size();
    for (size_t i = 0; i < buffers.size(); ++i) {
      auto type = cast<BufferType>(body.getArgument(i + 1).getType());
      int64_t bytes = elementCount(type.getShape()) * ir::elementBytes(type.getElementType());
      if (static_cast<int64_t>(buffers[i].size()) != bytes)
        return func.emitOpError() << "needs " << bytes << " bytes for buffer " << i << ", not " << buffers[i].size();
      values[body.getArgument(i + 1)] = Memory{type, buffers[i].data(), bytes};
    }
    int64_t grid = func.getGrid();
    for (int64_t n = 0; n < grid; ++n) {
      values[body.getArgument(0)] = reverse ? grid - 1 - n : n;
      for (auto& [value, bytes] : scratch) std::fill(bytes.begin(), bytes.end(), std::byte{0xFF});
      if (failed(block(body))) return failure();
    }
    return success();
  }

 private:
  int64_t index(Value v) { return std::get<int64_t>(values[v]); }
  const HostValue& tile(Value v) { return std::get<HostValue>(values[v]); }
  Memory& memory(Value v) { return std::get<Memory>(values[v]); }
  HostValue zero(Type type) { return ir::zeros(cast<RankedTensorType>(type)); }

  LogicalResult block(Block& block) {
    for (Operation& op : block)
      if (failed(run(&op))) return failure();
    return success();
  }

  // Position in a buffer of map(indices, lane), checked.
  FailureOr<int64_t> position(Operation* op, AffineMap map, ValueRange indices, std::optional<int64_t> lane,
                              const Memory& buffer) {
    SmallVector<int64_t> dims;
    for (Value v : indices) dims.push_back(index(v));
    if (lane) dims.push_back(*lane);
    if (dims.size() != map.getNumDims())
      return op->emitOpError() << "has a map of " << map.getNumDims() << " dimensions for " << dims.size();
    SmallVector<Attribute> operands;
    for (int64_t d : dims) operands.push_back(IntegerAttr::get(IndexType::get(op->getContext()), d));
    SmallVector<Attribute> folded;
    if (failed(map.constantFold(operands, folded))) return op->emitOpError("has a map that cannot be evaluated");
    SmallVector<int64_t> at;
    for (Attribute a : folded) at.push_back(cast<IntegerAttr>(a).getInt());
    return linear(op, at, buffer);
  }

  FailureOr<int64_t> linear(Operation* op, ArrayRef<int64_t> at, const Memory& buffer) {
    int64_t result = 0;
    if (at.size() != buffer.type.getShape().size()) return op->emitOpError("has the wrong number of indices");
    for (auto [i, size] : llvm::zip(at, buffer.type.getShape())) {
      if (i < 0 || i >= size) {
        InFlightDiagnostic d = op->emitOpError() << "accesses index " << i << " of a dimension of " << size;
        return d;
      }
      result = result * size + i;
    }
    return result;
  }

  template <class Access>
  LogicalResult lanes(Operation* op, Type type, Value valid, Value mask, AffineMap map, ValueRange indices,
                      const Memory& buffer, Access access) {
    bool scalar = isScalarTile(type);
    int64_t count = lanesOf(type), limit = valid ? index(valid) : count;
    for (int64_t l = 0; l < std::min(count, limit); ++l) {
      if (mask && !tile(mask).elements<bool>()[l]) continue;
      auto at = position(op, map, indices, scalar ? std::nullopt : std::optional<int64_t>(l), buffer);
      if (failed(at)) return failure();
      access(l, *at);
    }
    return success();
  }

  HostValue combine(ir::CombineKind kind, const HostValue& a, const HostValue& b, Operation* op) {
    static const char* const names[] = {"nacre.add", "nacre.multiply", "nacre.minimum", "nacre.maximum",
                                        "nacre.and", "nacre.or",       "nacre.xor"};
    HostValue result = ir::zeros(a.type);
    const HostValue* operands[] = {&a, &b};
    ir::OpCall call{op, operands, result, inner};
    (void)(*ir::OpTable::get().find(names[static_cast<int>(kind)]))(call);
    return result;
  }

  HostValue part(const HostValue& v, int64_t start, int64_t count, bool scalar) {
    auto type = RankedTensorType::get(scalar ? ArrayRef<int64_t>() : ArrayRef<int64_t>(count), v.element());
    int64_t bytes = ir::elementBytes(v.element());
    HostValue result{type, {v.data.begin() + start * bytes, v.data.begin() + (start + count) * bytes}};
    return result;
  }

  HostValue reduce(ir::CombineKind kind, const HostValue& v, Operation* op) {
    int64_t n = lanesOf(v.type);
    if (n == 1) return part(v, 0, 1, true);
    int64_t half = n / 2;
    HostValue folded = combine(kind, part(v, 0, half, false), part(v, half, half, false), op);
    HostValue result = reduce(kind, folded, op);
    return n % 2 ? combine(kind, result, part(v, n - 1, 1, true), op) : result;
  }

  template <class T>
  void fma(const HostValue& a, const HostValue& b, const HostValue& c, HostValue& out) {
    for (size_t i = 0; i < out.elements<T>().size(); ++i)
      out.elements<T>()[i] = std::fma(a.elements<T>()[i], b.elements<T>()[i], c.elements<T>()[i]);
  }

  template <class T>
  void contract(ContractOp op) {
    Memory &a = memory(op.getA()), &b = memory(op.getB()), &c = memory(op.getC());
    int64_t mr = a.type.getShape()[2], nr = b.type.getShape()[2], ka = a.type.getShape()[1], kb = b.type.getShape()[1];
    int64_t m = c.type.getShape()[0], n = c.type.getShape()[1], depth = index(op.getDepth());
    auto *x = reinterpret_cast<T*>(a.data), *y = reinterpret_cast<T*>(b.data), *z = reinterpret_cast<T*>(c.data);
    for (int64_t i = 0; i < m; ++i)
      for (int64_t j = 0; j < n; ++j) {
        T sum = op.getAccumulate() ? z[i * n + j] : T(0);
        for (int64_t k = 0; k < depth; ++k)
          sum = std::fma(x[(i / mr * ka + k) * mr + i % mr], y[(j / nr * kb + k) * nr + j % nr], sum);
        z[i * n + j] = sum;
      }
  }

  LogicalResult run(Operation* op) {
    return TypeSwitch<Operation*, LogicalResult>(op)
        .Case<ReturnOp, scf::YieldOp, PrefetchOp>([&](Operation*) { return success(); })
        .Case([&](scf::ForOp o) { return loop(o); })
        .Case([&](scf::IfOp o) {
          Region& region = index(o.getCondition()) ? o.getThenRegion() : o.getElseRegion();
          if (region.empty()) return success();
          if (failed(block(region.front()))) return failure();
          for (auto [r, v] : llvm::zip(o.getResults(), region.front().getTerminator()->getOperands()))
            values[r] = Slot(values[v]);
          return success();
        })
        .Case([&](arith::ConstantOp o) {
          values[o->getResult(0)] = cast<IntegerAttr>(o.getValue()).getValue().getSExtValue();
          return success();
        })
        .Case([&](arith::CmpIOp o) {
          values[o->getResult(0)] = int64_t{arith::applyCmpPredicate(
              o.getPredicate(), APInt(64, index(o.getLhs()), true), APInt(64, index(o.getRhs()), true))};
          return success();
        })
        .Case<affine::AffineApplyOp, affine::AffineMinOp, affine::AffineMaxOp>([&](auto o) -> LogicalResult {
          SmallVector<Attribute> operands, folded;
          for (Value v : o->getOperands())
            operands.push_back(IntegerAttr::get(IndexType::get(o.getContext()), index(v)));
          if (failed(o.getAffineMap().constantFold(operands, folded))) return o.emitOpError("cannot be evaluated");
          int64_t best = cast<IntegerAttr>(folded[0]).getInt();
          for (Attribute a : folded) {
            int64_t x = cast<IntegerAttr>(a).getInt();
            best = std::is_same_v<decltype(o), affine::AffineMinOp> ? std::min(best, x) : std::max(best, x);
          }
          values[o->getResult(0)] = best;
          return success();
        })
        .Case([&](ScratchOp o) {
          auto& bytes = scratch[o.getOperation()];
          auto type = o.getBuffer().getType();
          bytes.resize(elementCount(type.getShape()) * ir::elementBytes(type.getElementType()), std::byte{0xFF});
          values[o->getResult(0)] = Memory{type, bytes.data(), static_cast<int64_t>(bytes.size())};
          return success();
        })
        .Case([&](LoadOp o) {
          HostValue result = zero(o.getTile().getType());
          Memory& buffer = memory(o.getBuffer());
          int64_t bytes = ir::elementBytes(result.element());
          LogicalResult ok = lanes(
              o, result.type, o.getValid(), o.getMask(), o.getMap(), o.getIndices(), buffer,
              [&](int64_t l, int64_t at) { std::memcpy(&result.data[l * bytes], buffer.data + at * bytes, bytes); });
          values[o->getResult(0)] = std::move(result);
          return ok;
        })
        .Case([&](StoreOp o) {
          HostValue value = tile(o.getTile());
          Memory& buffer = memory(o.getBuffer());
          int64_t bytes = ir::elementBytes(value.element());
          return lanes(
              o, value.type, o.getValid(), o.getMask(), o.getMap(), o.getIndices(), buffer,
              [&](int64_t l, int64_t at) { std::memcpy(buffer.data + at * bytes, &value.data[l * bytes], bytes); });
        })
        .Case([&](GatherOp o) { return gather(o); })
        .Case([&](FromIndexOp o) {
          HostValue v = zero(o.getTile().getType());
          v.elements<int64_t>()[0] = index(o.getIndex());
          values[o->getResult(0)] = std::move(v);
          return success();
        })
        .Case([&](ToIndexOp o) {
          values[o->getResult(0)] = ir::integerAt(tile(o.getTile()), 0);
          return success();
        })
        .Case([&](ToBoolOp o) {
          values[o->getResult(0)] = int64_t{tile(o.getTile()).elements<bool>()[0]};
          return success();
        })
        .Case([&](LanesOp o) {
          HostValue v = zero(o.getTile().getType());
          for (int64_t l = 0; l < lanesOf(v.type); ++l) v.elements<int64_t>()[l] = l;
          values[o->getResult(0)] = std::move(v);
          return success();
        })
        .Case([&](SplatOp o) {
          HostValue v = zero(o.getTile().getType()), scalar = tile(o.getScalar());
          for (int64_t l = 0; l < lanesOf(v.type); ++l) ir::copyElement(v, l, scalar, 0);
          values[o->getResult(0)] = std::move(v);
          return success();
        })
        .Case([&](ReduceOp o) {
          HostValue v = tile(o.getTile());
          values[o->getResult(0)] = reduce(o.getKind(), v, o);
          return success();
        })
        .Case([&](FmaOp o) {
          HostValue v = zero(o.getResult().getType());
          HostValue a = tile(o.getA()), b = tile(o.getB()), c = tile(o.getC());
          if (v.element().isF64())
            fma<double>(a, b, c, v);
          else
            fma<float>(a, b, c, v);
          values[o->getResult(0)] = std::move(v);
          return success();
        })
        .Case([&](TransposeOp o) {
          int64_t n = o.getRows().size();
          SmallVector<HostValue> rows;
          for (Value r : o.getRows()) rows.push_back(tile(r));
          for (int64_t j = 0; j < n; ++j) {
            HostValue column = zero(o.getColumns()[j].getType());
            for (int64_t i = 0; i < n; ++i) ir::copyElement(column, i, rows[i], j);
            values[o.getColumns()[j]] = std::move(column);
          }
          return success();
        })
        .Case([&](ContractOp o) {
          if (memory(o.getC()).type.getElementType().isF64())
            contract<double>(o);
          else
            contract<float>(o);
          return success();
        })
        .Default([&](Operation* o) { return element(o); });
  }

  LogicalResult loop(scf::ForOp o) {
    SmallVector<Slot> carried;
    for (Value v : o.getInitArgs()) carried.push_back(values[v]);
    int64_t upper = index(o.getUpperBound()), step = index(o.getStep());
    for (int64_t i = index(o.getLowerBound()); i < upper; i += step) {
      values[o.getInductionVar()] = i;
      for (auto [a, v] : llvm::zip(o.getRegionIterArgs(), carried)) values[a] = std::move(v);
      if (failed(block(*o.getBody()))) return failure();
      carried.clear();
      for (Value v : o.getBody()->getTerminator()->getOperands()) carried.push_back(values[v]);
    }
    for (auto [r, v] : llvm::zip(o.getResults(), carried)) values[r] = std::move(v);
    return success();
  }

  LogicalResult gather(GatherOp o) {
    HostValue result = zero(o.getTile().getType());
    Memory& buffer = memory(o.getBuffer());
    int64_t bytes = ir::elementBytes(result.element());
    for (int64_t l = 0; l < lanesOf(result.type); ++l) {
      if (o.getMask() && !tile(o.getMask()).elements<bool>()[l]) continue;
      SmallVector<int64_t> at;
      for (Value i : o.getIndices()) at.push_back(tile(i).elements<int64_t>()[l]);
      auto where = linear(o, at, buffer);
      if (failed(where)) return failure();
      std::memcpy(&result.data[l * bytes], buffer.data + *where * bytes, bytes);
    }
    values[o->getResult(0)] = std::move(result);
    return success();
  }

  // A nacre op on tiles: the reference interpreter's meaning of it.
  LogicalResult element(Operation* op) {
    const ir::OpFunction* meaning = ir::OpTable::get().find(op->getName().getStringRef());
    if (!meaning) return op->emitOpError("cannot be in a tile function");
    SmallVector<const HostValue*> operands;
    for (Value v : op->getOperands()) operands.push_back(&tile(v));
    SmallVector<HostValue> results;
    for (Type t : op->getResultTypes()) results.push_back(zero(t));
    ir::OpCall call{op, operands, results, inner};
    if (failed((*meaning)(call))) return failure();
    for (auto [r, v] : llvm::zip(op->getResults(), results)) values[r] = std::move(v);
    return success();
  }

  FuncOp func;
  ir::Interpreter inner;
  llvm::DenseMap<Value, Slot> values;
  llvm::DenseMap<Operation*, std::vector<std::byte>> scratch;
};

}  // namespace

LogicalResult runTiles(FuncOp func, ArrayRef<std::span<std::byte>> buffers, bool reverse) {
  return Runner(func).run(buffers, reverse);
}

FailureOr<std::vector<HostValue>> runTiles(FuncOp func, ArrayRef<HostValue> inputs, bool reverse) {
  std::vector<HostValue> in(inputs.begin(), inputs.end()), out;
  std::vector<std::span<std::byte>> buffers;
  for (HostValue& v : in) buffers.push_back(v.data);
  ArrayRef<Type> types = func.getArgumentTypes();
  for (Type t : types.drop_front(1 + in.size())) {
    out.push_back(ir::zeros(cast<BufferType>(t).tensorType()));
    std::fill(out.back().data.begin(), out.back().data.end(), std::byte{0xFF});
  }
  for (HostValue& v : out) buffers.push_back(v.data);
  if (failed(runTiles(func, buffers, reverse))) return failure();
  return out;
}

}  // namespace nacre::tile
