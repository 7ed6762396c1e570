#include "passes/fuse/test_programs.h"

#include <cmath>

#include "ir/builder.h"
#include "passes/inline_calls.h"
#include "passes/simplify.h"
#include "passes/vjp.h"

using namespace mlir;

namespace nacre::testing {

using namespace ir;

namespace {

constexpr int kLayerParameters = 12;

using Shape = SmallVector<int64_t>;

struct Model {
  const TransformerShape& s;
  Builder& b;

  Value scalarLike(Value v, double x) { return b.constantLike(v, x); }
  Value spread(Value v, ArrayRef<int64_t> shape, ArrayRef<int64_t> dims) { return b.broadcastInDim(v, shape, dims); }
  Value spreadLast(Value v, Value like) { return spread(v, shapeOf(like), {rankOf(like) - 1}); }
  Value spreadRows(Value v, Value like) { return spread(v, shapeOf(like), iotaDims(rankOf(like) - 1)); }
  Value sumLast(Value v) { return b.reduce(CombineKind::Add, v, {rankOf(v) - 1}); }

  Value layernorm(Value x, Value gain, Value bias) {
    Value total = sumLast(x);
    Value mean = b.div(total, scalarLike(total, s.width));
    Value d = b.sub(x, spreadRows(mean, x));
    Value squares = sumLast(b.mul(d, d));
    Value variance = b.div(squares, scalarLike(squares, s.width));
    Value r = b.make<RsqrtOp>(b.add(variance, scalarLike(variance, 1e-5)));
    return b.add(b.mul(b.mul(d, spreadRows(r, x)), spreadLast(gain, x)), spreadLast(bias, x));
  }

  Value dot(Value x, Value y, ArrayRef<int64_t> batchX, ArrayRef<int64_t> batchY, ArrayRef<int64_t> overX,
            ArrayRef<int64_t> overY) {
    return b.make<DotGeneralOp>(x, y, batchX, batchY, overX, overY, TypeAttr());
  }

  Value linear(Value x, Value w, Value bias) {
    Value y = dot(x, w, {}, {}, {2}, {0});
    return b.add(y, spreadLast(bias, y));
  }

  Value gelu(Value x) {
    Value cube = b.mul(b.mul(x, x), x);
    Value inner = b.mul(b.add(x, b.mul(cube, scalarLike(x, 0.044715))), scalarLike(x, 0.7978845608));
    Value t = b.make<TanhOp>(inner);
    return b.mul(b.mul(x, scalarLike(x, 0.5)), b.add(t, scalarLike(x, 1)));
  }

  Value causalMask(Value scores) {
    auto type = RankedTensorType::get({s.time, s.time}, b.ops.getI32Type());
    Value seen = b.compare(ComparisonDirection::GE, b.iota(type, 0), b.iota(type, 1));
    return b.select(spread(seen, shapeOf(scores), {2, 3}), scores, scalarLike(scores, -1e30));
  }

  // exp(x - max) and its sum.
  std::pair<Value, Value> exponentials(Value x) {
    Value most = b.make<StopGradientOp>(b.reduce(CombineKind::Max, x, {rankOf(x) - 1}));
    Value shifted = b.sub(x, spreadRows(most, x));
    Value e = b.make<ExpOp>(shifted);
    return {e, shifted};
  }

  Value attention(Value x, ArrayRef<Value> p) {
    int64_t depth = s.width / s.heads;
    Value qkv = linear(x, p[0], p[1]);
    auto part = [&](int64_t i) {
      Value v = b.slice(qkv, {0, 0, i * s.width}, {s.batch, s.time, (i + 1) * s.width});
      return b.reshape(v, {s.batch, s.time, s.heads, depth});
    };
    Value scores = dot(part(0), part(1), {0, 2}, {0, 2}, {3}, {3});
    scores = causalMask(b.mul(scores, scalarLike(scores, 1 / std::sqrt(static_cast<double>(depth)))));
    auto [e, shifted] = exponentials(scores);
    Value weights = b.div(e, spreadRows(sumLast(e), e));
    Value mixed = dot(weights, part(2), {0, 1}, {0, 2}, {3}, {1});
    Value joined = b.reshape(b.transpose(mixed, {0, 2, 1, 3}), {s.batch, s.time, s.width});
    return linear(joined, p[2], p[3]);
  }

  Value rowsOf(Value table, Value ids) {
    Shape at(shapeOf(ids));
    at.push_back(1);
    return b.make<GatherOp>(RankedTensorType::get({s.batch, s.time, s.width}, b.ops.getF32Type()), table,
                            b.reshape(ids, at), ArrayRef<int64_t>{2}, ArrayRef<int64_t>{0}, ArrayRef<int64_t>{},
                            ArrayRef<int64_t>{}, ArrayRef<int64_t>{0}, int64_t{2}, ArrayRef<int64_t>{1, s.width},
                            false);
  }

  Value loss(ValueRange parameters, Value tokens, Value targets) {
    Value x = rowsOf(parameters[0], tokens);
    x = b.add(x, spread(parameters[1], shapeOf(x), {1, 2}));
    for (int64_t layer = 0; layer < s.layers; ++layer) {
      SmallVector<Value> p(parameters.slice(4 + layer * kLayerParameters, kLayerParameters));
      x = b.add(x, attention(layernorm(x, p[0], p[1]), ArrayRef<Value>(p).slice(2, 4)));
      Value hidden = gelu(linear(layernorm(x, p[6], p[7]), p[8], p[9]));
      x = b.add(x, linear(hidden, p[10], p[11]));
    }
    x = layernorm(x, parameters[2], parameters[3]);
    Value logits = dot(x, parameters[0], {}, {}, {2}, {1});
    auto [e, shifted] = exponentials(logits);
    Value logSum = b.make<LogOp>(sumLast(e));
    Value column = b.iota(withElement(typeOf(logits), b.ops.getI32Type()), 2);
    Value hit = b.compare(ComparisonDirection::EQ, column, spreadRows(targets, logits));
    Value picked = sumLast(b.select(hit, shifted, b.zerosLike(shifted)));
    Value each = b.sub(logSum, picked);
    Value total = b.reduce(CombineKind::Add, each, {0, 1});
    return b.div(total, scalarLike(total, s.batch * s.time));
  }

  // Scales so that the global norm is at most 1, then AdamW.
  void update(ValueRange p, ValueRange m, ValueRange v, ValueRange g, SmallVectorImpl<Value>& results) {
    Value norm;
    for (Value x : g) norm = b.addOrNull(norm, b.reduce(CombineKind::Add, b.mul(x, x), iotaDims(rankOf(x))));
    norm = b.make<SqrtOp>(norm);
    Value scale = b.div(scalarLike(norm, 1), b.make<MaxOp>(norm, scalarLike(norm, 1)));
    SmallVector<Value> ps, ms, vs;
    for (auto [p, m, v, g] : llvm::zip(p, m, v, g)) {
      Value clipped = b.mul(g, spread(scale, shapeOf(g), {}));
      auto mix = [&](Value old, Value now, double keep) {
        return b.add(b.mul(old, scalarLike(old, keep)), b.mul(now, scalarLike(now, 1 - keep)));
      };
      ms.push_back(mix(m, clipped, 0.9));
      vs.push_back(mix(v, b.mul(clipped, clipped), 0.99));
      Value step = b.div(ms.back(), b.add(b.make<SqrtOp>(vs.back()), scalarLike(v, 1e-8)));
      step = b.add(step, b.mul(p, scalarLike(p, 0.01)));
      ps.push_back(b.sub(p, b.mul(step, scalarLike(p, 1e-3))));
    }
    results.append(ps);
    results.append(ms);
    results.append(vs);
  }
};

SmallVector<Type> parameterTypes(const TransformerShape& s, Type element) {
  SmallVector<Type> types;
  auto add = [&](ArrayRef<int64_t> shape) { types.push_back(RankedTensorType::get(shape, element)); };
  int64_t w = s.width;
  add({s.vocabulary, w}), add({s.time, w}), add({w}), add({w});
  for (int64_t layer = 0; layer < s.layers; ++layer) {
    add({w}), add({w}), add({w, 3 * w}), add({3 * w}), add({w, w}), add({w});
    add({w}), add({w}), add({w, 4 * w}), add({4 * w}), add({4 * w, w}), add({w});
  }
  return types;
}

func::FuncOp declare(ModuleOp module, StringRef name, ArrayRef<Type> inputs, ArrayRef<Type> outputs) {
  OpBuilder ops(module.getBodyRegion());
  ops.setInsertionPointToEnd(module.getBody());
  auto f = func::FuncOp::create(ops, module.getLoc(), name, ops.getFunctionType(inputs, outputs));
  f.addEntryBlock();
  return f;
}

}  // namespace

OwningOpRef<ModuleOp> transformerStep(MLIRContext& context, const TransformerShape& s) {
  context.loadDialect<NacreDialect, func::FuncDialect>();
  OwningOpRef<ModuleOp> module = ModuleOp::create(UnknownLoc::get(&context));
  OpBuilder ops(&context);
  SmallVector<Type> parameters = parameterTypes(s, ops.getF32Type());
  int64_t n = parameters.size();
  Type ids = RankedTensorType::get({s.batch, s.time}, ops.getI32Type());
  Type scalar = RankedTensorType::get({}, ops.getF32Type());

  SmallVector<Type> inputs(parameters);
  inputs.append({ids, ids});
  func::FuncOp loss = declare(*module, "loss", inputs, {scalar});
  {
    OpBuilder inside = OpBuilder::atBlockEnd(&loss.front());
    Builder b(inside, loss.getLoc());
    ValueRange args = loss.getArguments();
    Value result = Model{s, b}.loss(args.take_front(n), args[n], args[n + 1]);
    func::ReturnOp::create(inside, loss.getLoc(), result);
  }
  SmallVector<bool> active(n + 2, true);
  active[n] = active[n + 1] = false;
  auto gradient = passes::vjp(loss, active, {true}, "gradient");
  if (failed(gradient)) return {};

  SmallVector<Type> all, results;
  for (int i = 0; i < 3; ++i) all.append(parameters);
  results = all;
  results.push_back(scalar);
  all.append({ids, ids});
  func::FuncOp main = declare(*module, "main", all, results);
  {
    OpBuilder inside = OpBuilder::atBlockEnd(&main.front());
    Builder b(inside, main.getLoc());
    ValueRange args = main.getArguments();
    SmallVector<Value> operands(args.take_front(n));
    operands.append({args[3 * n], args[3 * n + 1], b.constant(cast<RankedTensorType>(scalar), 1)});
    auto call = CallOp::create(inside, main.getLoc(), gradient->getResultTypes(), gradient->getName(), operands);
    SmallVector<Value> out;
    Model{s, b}.update(args.take_front(n), args.slice(n, n), args.slice(2 * n, n), call.getOutputs().drop_front(), out);
    out.push_back(call.getOutputs()[0]);
    func::ReturnOp::create(inside, main.getLoc(), out);
  }
  for (int64_t i = 0; i < 3 * n; ++i) main.setArgAttr(i, kDonatedAttr, ops.getUnitAttr());
  if (failed(passes::inlineCalls(main)) || failed(passes::simplify(main))) return {};
  gradient->erase();
  loss.erase();
  return module;
}

int64_t handCountOfTransformerStep(const TransformerShape& s) {
  int64_t x = s.batch * s.time * s.width;                // one activation
  int64_t scores = s.batch * s.heads * s.time * s.time;  // one score matrix
  int64_t logits = s.batch * s.time * s.vocabulary;
  int64_t w = s.width * s.width, table = s.vocabulary * s.width, position = s.time * s.width;

  int64_t layer = 0;
  // Forward. A product reads both operands and writes its result; bias, residual and gelu ride on it.
  layer += 2 * (x + x);                                       // two layernorms
  layer += (x + 3 * w + 3 * x);                               // qkv
  layer += (2 * x + scores) + 2 * scores + (scores + x + x);  // scores, softmax, mixed
  layer += (x + w + x + x);                                   // out, residual read
  layer += (x + 4 * w + 4 * x + 4 * x + 4 * x);  // up: writes gelu's result, its input and tanh for the way back
  layer += (4 * x + 4 * w + x + x);              // down, residual read
  // Backward. Each product has two, one for each operand; bias gradients read their cotangent once more.
  layer += (x + 4 * w + 8 * x + 4 * x) + (x + 4 * x + 4 * w) + x;  // down: the first applies gelu's derivative
  layer += (4 * x + 4 * w + x) + (4 * x + x + 4 * w) + 4 * x;      // up
  layer += 2 * ((x + x + x + x) + 2 * x);  // layernorm: cotangent, input, residual's cotangent -> result; its columns
  layer += (x + w + x) + (x + x + w) + x;  // out
  layer += (x + x + scores) + (scores + x + x) + 3 * scores + 2 * (scores + x + x);  // mixed; softmax; scores
  layer += (3 * x + 3 * x);                                    // cotangents of q, k, v side by side
  layer += (3 * x + 3 * w + x) + (x + 3 * x + 3 * w) + 3 * x;  // qkv

  int64_t ends = 0;
  ends += x + position + x;                                          // embedding
  ends += 2 * x + 4 * x + 2 * x;                                     // last layernorm and its way back
  ends += (x + table + logits) + 2 * logits;                         // logits, loss: reads logits, writes exponentials
  ends += 2 * logits + (logits + table + x) + (logits + x + table);  // cotangent of logits, its two products
  ends += (table) + (x + table) + (x + position) + 2 * table;        // rows of the table added, positions
  // Clipping reads all gradients, AdamW reads four arrays and writes three.
  int64_t parameters = table + position + 2 * s.width + s.layers * (12 * w + 13 * s.width);
  return 4 * (s.layers * layer + ends + 8 * parameters);
}

}  // namespace nacre::testing
