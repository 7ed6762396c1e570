#include "tests/ops/random_program.h"

#include <algorithm>
#include <numeric>
#include <random>

namespace nacre::tests {

namespace {

using Shape = std::vector<int64_t>;

std::string typeOf(const Shape& shape) {
  std::string text = "tensor<";
  for (int64_t d : shape) text += std::to_string(d) + "x";
  return text + "f32>";
}

std::string listOf(const Shape& values) {
  std::string text = "[";
  for (size_t i = 0; i < values.size(); ++i) text += (i ? ", " : "") + std::to_string(values[i]);
  return text + "]";
}

class Generator {
 public:
  explicit Generator(uint32_t seed) : random_(seed) {}

  RandomProgram run(int ops) {
    // Few different extents, so that shapes meet.
    const Shape extents{1, 3, 16, 17, 40};
    std::string arguments;
    RandomProgram program;
    for (int i = 0; i < 3; ++i) {
      Shape shape;
      for (size_t d = below(4); d > 0; --d) shape.push_back(extents[below(extents.size())]);
      std::string name = "%a" + std::to_string(i);
      arguments += (i ? ", " : "") + name + ": " + typeOf(shape);
      values_.push_back({name, shape});
      program.arguments.push_back(shape);
    }
    for (int i = 0; i < ops; ++i) addOp();
    // The last values are returned: at least one, some with uses inside too.
    std::string names, types;
    size_t first = values_.size() - std::min<size_t>(values_.size() - 3, 1 + below(3));
    for (size_t i = first; i < values_.size(); ++i) {
      names += (i > first ? ", " : "") + values_[i].name;
      types += (i > first ? ", " : "") + typeOf(values_[i].shape);
    }
    program.mlir = "func.func @main(" + arguments + ") -> (" + types + ") {\n" + body_ + "  return " + names + " : " +
                   types + "\n}\n";
    return program;
  }

 private:
  struct Named {
    std::string name;
    Shape shape;
  };

  size_t below(size_t n) { return random_() % n; }
  const Named& any() { return values_[below(values_.size())]; }
  // One of the last ones more often, so that chains grow.
  Named recent() { return below(2) ? values_[values_.size() - 1 - below(std::min<size_t>(values_.size(), 4))] : any(); }

  void emit(const std::string& op, const Shape& shape) {
    std::string name = "%v" + std::to_string(values_.size());
    body_ += "  " + name + " = nacre." + op + "\n";
    values_.push_back({name, shape});
  }
  void emit(const std::string& op, const Named& x, const std::string& rest, const Shape& shape) {
    emit(op + " " + x.name + rest + " : (" + typeOf(x.shape) + ") -> " + typeOf(shape), shape);
  }

  void addOp() {
    Named x = recent();
    switch (below(10)) {
      case 0:
      case 1: return addUnary(x);
      case 2:
      case 3:
      case 4: return addBinary(x);
      case 5: return addReduce(x);
      case 6: return addTranspose(x);
      case 7: return addBroadcast(x);
      case 8: return addSlice(x);
      default: return addDot(x);
    }
  }

  void addUnary(const Named& x) {
    const char* ops[] = {"tanh", "logistic", "negate", "abs", "sine"};
    emit(std::string(ops[below(5)]) + " " + x.name + " : " + typeOf(x.shape), x.shape);
  }

  void addBinary(const Named& x) {
    std::vector<Named> partners;
    for (const Named& v : values_)
      if (v.shape == x.shape) partners.push_back(v);
    Named y = partners[below(partners.size())];
    const char* ops[] = {"add", "subtract", "maximum", "minimum", "multiply"};
    emit(std::string(ops[below(5)]) + " " + x.name + ", " + y.name + " : " + typeOf(x.shape), x.shape);
    addBounded();
  }

  // Keeps the last value small.
  void addBounded() {
    Named x = values_.back();
    emit("tanh " + x.name + " : " + typeOf(x.shape), x.shape);
  }

  void addReduce(const Named& x) {
    if (x.shape.empty()) return;
    Shape dims, kept;
    for (size_t d = 0; d < x.shape.size(); ++d) {
      if (below(2))
        dims.push_back(static_cast<int64_t>(d));
      else
        kept.push_back(x.shape[d]);
    }
    emit(std::string("reduce ") + (below(2) ? "add" : "max") + " (" + x.name + "), dims = " + listOf(dims) + " : (" +
             typeOf(x.shape) + ") -> " + typeOf(kept),
         kept);
    addBounded();
  }

  void addTranspose(const Named& x) {
    Shape permutation(x.shape.size()), shape;
    std::iota(permutation.begin(), permutation.end(), 0);
    std::shuffle(permutation.begin(), permutation.end(), random_);
    for (int64_t d : permutation) shape.push_back(x.shape[d]);
    emit("transpose", x, ", dims = " + listOf(permutation), shape);
  }

  void addBroadcast(const Named& x) {
    // To the shape of another value, whose dimensions it must be some of.
    Named like = any();
    Shape dims;
    size_t next = 0;
    for (int64_t size : x.shape) {
      while (next < like.shape.size() && size != 1 && like.shape[next] != size) ++next;
      if (next == like.shape.size()) return addUnary(x);
      dims.push_back(static_cast<int64_t>(next++));
    }
    emit("broadcast_in_dim", x, ", dims = " + listOf(dims), like.shape);
  }

  void addSlice(const Named& x) {
    Shape start, limit, strides, shape;
    for (int64_t size : x.shape) {
      int64_t from = static_cast<int64_t>(below(size)), stride = 1 + static_cast<int64_t>(below(2));
      start.push_back(from);
      limit.push_back(size);
      strides.push_back(stride);
      shape.push_back((size - from + stride - 1) / stride);
    }
    emit("slice", x, ", start = " + listOf(start) + ", limit = " + listOf(limit) + ", strides = " + listOf(strides),
         shape);
  }

  // x times its own transpose.
  void addDot(const Named& x) {
    if (x.shape.size() != 2) return addUnary(x);
    Shape shape{x.shape[0], x.shape[0]};
    emit("dot_general " + x.name + ", " + x.name + ", batching = [] x [], contracting = [1] x [1] : (" +
             typeOf(x.shape) + ", " + typeOf(x.shape) + ") -> " + typeOf(shape),
         shape);
    addBounded();
  }

  std::mt19937 random_;
  std::vector<Named> values_;
  std::string body_;
};

}  // namespace

RandomProgram randomProgram(uint32_t seed, int ops) { return Generator(seed).run(ops); }

}  // namespace nacre::tests
