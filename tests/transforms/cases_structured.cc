#include "tests/transforms/cases.h"

namespace nacre::testing {

namespace {

// @f whose body is one op: parameters "%x: tensor<..>, ...", the op's text, the result type.
Case one(const std::string& name, const std::string& parameters, const std::string& op, const std::string& result) {
  return {name,
          "func.func @f(" + parameters + ") -> " + result + " {\n  %r = " + op + "\n  return %r : " + result + "\n}\n"};
}

Case withIndices(Case c, int64_t low, int64_t high) {
  c.intLow = low, c.intHigh = high;
  return c;
}

Case inRange(Case c, double low, double high) {
  c.low = low, c.high = high;
  return c;
}

void addMoves(std::vector<Case>& cases) {
  auto add = [&](auto&&... parts) { cases.push_back(one(parts...)); };
  cases.push_back({"constant",
                   "func.func @f(%x: tensor<2xf64>) -> (tensor<2xf64>, tensor<2xf64>) {\n  %c = nacre.constant "
                   "dense<[2.0, -3.0]> : tensor<2xf64>\n  %r = nacre.multiply %x, %c : tensor<2xf64>\n"
                   "  return %r, %c : tensor<2xf64>, tensor<2xf64>\n}\n"});
  cases.push_back({"iota",
                   "func.func @f(%x: tensor<2x3xf64>) -> tensor<2x3xf64> {\n  %i = nacre.iota dim = 1 : "
                   "tensor<2x3xf64>\n  %r = nacre.multiply %x, %i : tensor<2x3xf64>\n  return %r : "
                   "tensor<2x3xf64>\n}\n"});
  add("broadcast_in_dim", "%x: tensor<3xf64>",
      "nacre.broadcast_in_dim %x, dims = [1] : (tensor<3xf64>) -> tensor<2x3xf64>", "tensor<2x3xf64>");
  add("broadcast_in_dim/scalar", "%x: tensor<f64>",
      "nacre.broadcast_in_dim %x, dims = [] : (tensor<f64>) -> tensor<2x3xf64>", "tensor<2x3xf64>");
  add("broadcast_in_dim/stretched and out of order", "%x: tensor<1x2x3xf64>",
      "nacre.broadcast_in_dim %x, dims = [3, 2, 0] : (tensor<1x2x3xf64>) -> tensor<3x2x2x4xf64>",
      "tensor<3x2x2x4xf64>");
  add("broadcast_in_dim/to nothing", "%x: tensor<1x2xf64>",
      "nacre.broadcast_in_dim %x, dims = [0, 1] : (tensor<1x2xf64>) -> tensor<0x2xf64>", "tensor<0x2xf64>");
  add("reshape", "%x: tensor<2x6xf64>", "nacre.reshape %x : (tensor<2x6xf64>) -> tensor<3x4xf64>", "tensor<3x4xf64>");
  add("reshape/scalar", "%x: tensor<f64>", "nacre.reshape %x : (tensor<f64>) -> tensor<1x1xf64>", "tensor<1x1xf64>");
  add("reshape/empty", "%x: tensor<0x3xf64>", "nacre.reshape %x : (tensor<0x3xf64>) -> tensor<2x0xf64>",
      "tensor<2x0xf64>");
  add("transpose", "%x: tensor<2x3x4xf64>",
      "nacre.transpose %x, dims = [2, 0, 1] : (tensor<2x3x4xf64>) -> tensor<4x2x3xf64>", "tensor<4x2x3xf64>");
  add("transpose/scalar", "%x: tensor<f64>", "nacre.transpose %x, dims = [] : (tensor<f64>) -> tensor<f64>",
      "tensor<f64>");
  add("reverse", "%x: tensor<2x3x2xf64>", "nacre.reverse %x, dims = [0, 1] : (tensor<2x3x2xf64>) -> tensor<2x3x2xf64>",
      "tensor<2x3x2xf64>");
  add("slice", "%x: tensor<5x7xf64>",
      "nacre.slice %x, start = [1, 0], limit = [4, 6], strides = [1, 2] : (tensor<5x7xf64>) -> tensor<3x3xf64>",
      "tensor<3x3xf64>");
  add("slice/stride that leaves a rest", "%x: tensor<9xf64>",
      "nacre.slice %x, start = [1], limit = [9], strides = [3] : (tensor<9xf64>) -> tensor<3xf64>", "tensor<3xf64>");
  add("slice/empty", "%x: tensor<5xf64>",
      "nacre.slice %x, start = [2], limit = [2], strides = [1] : (tensor<5xf64>) -> tensor<0xf64>", "tensor<0xf64>");
  add("pad", "%x: tensor<2x3xf64>, %p: tensor<f64>",
      "nacre.pad %x, %p, low = [1, 0], high = [0, 2], interior = [0, 1] : (tensor<2x3xf64>, tensor<f64>) -> "
      "tensor<3x7xf64>",
      "tensor<3x7xf64>");
  add("pad/negative edges", "%x: tensor<4x5xf64>, %p: tensor<f64>",
      "nacre.pad %x, %p, low = [-1, 2], high = [1, -2], interior = [1, 0] : (tensor<4x5xf64>, tensor<f64>) -> "
      "tensor<7x5xf64>",
      "tensor<7x5xf64>");
  add("pad/empty operand", "%x: tensor<0xf64>, %p: tensor<f64>",
      "nacre.pad %x, %p, low = [1], high = [2], interior = [1] : (tensor<0xf64>, tensor<f64>) -> tensor<3xf64>",
      "tensor<3xf64>");
  add("concatenate", "%x: tensor<2x1xf64>, %y: tensor<2x3xf64>, %z: tensor<2x0xf64>",
      "nacre.concatenate(%x, %y, %z), dim = 1 : (tensor<2x1xf64>, tensor<2x3xf64>, tensor<2x0xf64>) -> "
      "tensor<2x4xf64>",
      "tensor<2x4xf64>");
  add("concatenate/one twice", "%x: tensor<2xf64>",
      "nacre.concatenate(%x, %x), dim = 0 : (tensor<2xf64>, tensor<2xf64>) -> tensor<4xf64>", "tensor<4xf64>");
}

void addIndexing(std::vector<Case>& cases) {
  auto add = [&](auto&&... parts) { cases.push_back(withIndices(one(parts...), -1, 3)); };
  add("dynamic_slice", "%x: tensor<4x5xf64>, %i: tensor<i32>, %j: tensor<i32>",
      "nacre.dynamic_slice %x at(%i, %j), sizes = [2, 3] : (tensor<4x5xf64>, tensor<i32>, tensor<i32>) -> "
      "tensor<2x3xf64>",
      "tensor<2x3xf64>");
  add("dynamic_slice/scalar", "%x: tensor<f64>",
      "nacre.dynamic_slice %x at(), sizes = [] : (tensor<f64>) -> tensor<f64>", "tensor<f64>");
  add("dynamic_update_slice", "%x: tensor<4x5xf64>, %u: tensor<2x3xf64>, %i: tensor<i64>, %j: tensor<i64>",
      "nacre.dynamic_update_slice %x, %u at(%i, %j) : (tensor<4x5xf64>, tensor<2x3xf64>, tensor<i64>, tensor<i64>) -> "
      "tensor<4x5xf64>",
      "tensor<4x5xf64>");
  add("dynamic_update_slice/empty update", "%x: tensor<4xf64>, %u: tensor<0xf64>, %i: tensor<i32>",
      "nacre.dynamic_update_slice %x, %u at(%i) : (tensor<4xf64>, tensor<0xf64>, tensor<i32>) -> tensor<4xf64>",
      "tensor<4xf64>");
  add("gather/rows", "%x: tensor<4x3xf64>, %i: tensor<2x2xi32>",
      "nacre.gather %x, %i {offset_dims = array<i64: 2>, collapsed_slice_dims = array<i64: 0>, operand_batching_dims = "
      "array<i64>, start_indices_batching_dims = array<i64>, start_index_map = array<i64: 0>, index_vector_dim = 2 : "
      "i64, slice_sizes = array<i64: 1, 3>} : (tensor<4x3xf64>, tensor<2x2xi32>) -> tensor<2x2x3xf64>",
      "tensor<2x2x3xf64>");
  add("gather/windows at points", "%x: tensor<4x5xf64>, %i: tensor<2x3xi64>",
      "nacre.gather %x, %i {offset_dims = array<i64: 0, 2>, collapsed_slice_dims = array<i64>, operand_batching_dims = "
      "array<i64>, start_indices_batching_dims = array<i64>, start_index_map = array<i64: 1, 0>, index_vector_dim = 0 "
      ": i64, slice_sizes = array<i64: 2, 2>} : (tensor<4x5xf64>, tensor<2x3xi64>) -> tensor<2x3x2xf64>",
      "tensor<2x3x2xf64>");
  add("gather/batched", "%x: tensor<2x4xf64>, %i: tensor<2x3xi32>",
      "nacre.gather %x, %i {offset_dims = array<i64>, collapsed_slice_dims = array<i64: 1>, operand_batching_dims = "
      "array<i64: 0>, start_indices_batching_dims = array<i64: 0>, start_index_map = array<i64: 1>, index_vector_dim = "
      "2 : i64, slice_sizes = array<i64: 1, 1>} : (tensor<2x4xf64>, tensor<2x3xi32>) -> tensor<2x3xf64>",
      "tensor<2x3xf64>");
  add("gather/no indices", "%x: tensor<4x3xf64>, %i: tensor<0x1xi32>",
      "nacre.gather %x, %i {offset_dims = array<i64: 1>, collapsed_slice_dims = array<i64: 0>, operand_batching_dims = "
      "array<i64>, start_indices_batching_dims = array<i64>, start_index_map = array<i64: 0>, index_vector_dim = 1 : "
      "i64, slice_sizes = array<i64: 1, 3>} : (tensor<4x3xf64>, tensor<0x1xi32>) -> tensor<0x3xf64>",
      "tensor<0x3xf64>");
  for (const char* kind : {"add", "set"}) {
    std::string name = std::string("scatter/") + kind, op = std::string("nacre.scatter ") + kind;
    add(name + " rows", "%x: tensor<4x3xf64>, %i: tensor<5x1xi32>, %u: tensor<5x3xf64>",
        op + " %x, %i, %u {update_window_dims = array<i64: 1>, inserted_window_dims = array<i64: 0>, "
             "input_batching_dims = array<i64>, scatter_indices_batching_dims = array<i64>, "
             "scatter_dims_to_operand_dims = array<i64: 0>, index_vector_dim = 1 : i64} : (tensor<4x3xf64>, "
             "tensor<5x1xi32>, tensor<5x3xf64>) -> tensor<4x3xf64>",
        "tensor<4x3xf64>");
    add(name + " overlapping windows", "%x: tensor<4x5xf64>, %i: tensor<2x3xi64>, %u: tensor<2x3x2xf64>",
        op + " %x, %i, %u {update_window_dims = array<i64: 0, 2>, inserted_window_dims = array<i64>, "
             "input_batching_dims = array<i64>, scatter_indices_batching_dims = array<i64>, "
             "scatter_dims_to_operand_dims = array<i64: 1, 0>, index_vector_dim = 0 : i64} : (tensor<4x5xf64>, "
             "tensor<2x3xi64>, tensor<2x3x2xf64>) -> tensor<4x5xf64>",
        "tensor<4x5xf64>");
    add(name + " batched", "%x: tensor<2x4xf64>, %i: tensor<2x3xi32>, %u: tensor<2x3xf64>",
        op + " %x, %i, %u {update_window_dims = array<i64>, inserted_window_dims = array<i64: 1>, "
             "input_batching_dims = array<i64: 0>, scatter_indices_batching_dims = array<i64: 0>, "
             "scatter_dims_to_operand_dims = array<i64: 1>, index_vector_dim = 2 : i64} : (tensor<2x4xf64>, "
             "tensor<2x3xi32>, tensor<2x3xf64>) -> tensor<2x4xf64>",
        "tensor<2x4xf64>");
  }
}

void addReductions(std::vector<Case>& cases) {
  for (const char* kind : {"add", "mul", "min", "max"}) {
    std::string name = std::string("reduce/") + kind, op = std::string("nacre.reduce ") + kind;
    cases.push_back(one(name, "%x: tensor<2x3x4xf64>",
                        op + " (%x), dims = [0, 2] : (tensor<2x3x4xf64>) -> tensor<3xf64>", "tensor<3xf64>"));
    cases.push_back(one(name + " to a scalar", "%x: tensor<5xf64>",
                        op + " (%x), dims = [0] : (tensor<5xf64>) -> tensor<f64>", "tensor<f64>"));
    cases.push_back(one(name + " of nothing", "%x: tensor<0x2xf64>",
                        op + " (%x), dims = [0] : (tensor<0x2xf64>) -> tensor<2xf64>", "tensor<2xf64>"));
    cases.push_back(one(name + " to nothing", "%x: tensor<0x2xf64>",
                        op + " (%x), dims = [1] : (tensor<0x2xf64>) -> tensor<0xf64>", "tensor<0xf64>"));
    cases.push_back(one(name + " over size 1", "%x: tensor<2x1xf64>",
                        op + " (%x), dims = [1] : (tensor<2x1xf64>) -> tensor<2xf64>", "tensor<2xf64>"));
    cases.push_back({name + " of two",
                     "func.func @f(%x: tensor<2x3xf64>, %y: tensor<2x3xf64>) -> (tensor<2xf64>, tensor<2xf64>) {\n"
                     "  %r, %s = " +
                         op +
                         " (%x, %y), dims = [1] : (tensor<2x3xf64>, tensor<2x3xf64>) -> "
                         "(tensor<2xf64>, tensor<2xf64>)\n  return %r, %s : tensor<2xf64>, tensor<2xf64>\n}\n"});
  }
  for (const char* kind : {"and", "or", "xor"})
    cases.push_back(one(std::string("reduce/") + kind, "%x: tensor<2x3xi1>",
                        std::string("nacre.reduce ") + kind + " (%x), dims = [1] : (tensor<2x3xi1>) -> tensor<2xi1>",
                        "tensor<2xi1>"));
  for (const char* kind : {"min", "max"})
    cases.push_back(one(std::string("arg_reduce/") + kind, "%x: tensor<2x4xf64>",
                        std::string("nacre.arg_reduce ") + kind + " %x, dim = 1 : (tensor<2x4xf64>) -> tensor<2xi32>",
                        "tensor<2xi32>"));
}

void addContractions(std::vector<Case>& cases) {
  auto add = [&](auto&&... parts) { cases.push_back(one(parts...)); };
  add("dot_general", "%x: tensor<2x3xf64>, %y: tensor<3x4xf64>",
      "nacre.dot_general %x, %y, batching = [] x [], contracting = [1] x [0] : (tensor<2x3xf64>, tensor<3x4xf64>) -> "
      "tensor<2x4xf64>",
      "tensor<2x4xf64>");
  add("dot_general/vectors", "%x: tensor<3xf64>, %y: tensor<3xf64>",
      "nacre.dot_general %x, %y, batching = [] x [], contracting = [0] x [0] : (tensor<3xf64>, tensor<3xf64>) -> "
      "tensor<f64>",
      "tensor<f64>");
  add("dot_general/outer product", "%x: tensor<2xf64>, %y: tensor<3xf64>",
      "nacre.dot_general %x, %y, batching = [] x [], contracting = [] x [] : (tensor<2xf64>, tensor<3xf64>) -> "
      "tensor<2x3xf64>",
      "tensor<2x3xf64>");
  add("dot_general/batch and contracting dims anywhere", "%x: tensor<3x2x5x4xf64>, %y: tensor<4x6x2x3xf64>",
      "nacre.dot_general %x, %y, batching = [1] x [2], contracting = [3, 0] x [0, 3] : (tensor<3x2x5x4xf64>, "
      "tensor<4x6x2x3xf64>) -> tensor<2x5x6xf64>",
      "tensor<2x5x6xf64>");
  add("dot_general/two batch dims", "%x: tensor<2x3x2xf64>, %y: tensor<3x2x2x4xf64>",
      "nacre.dot_general %x, %y, batching = [0, 1] x [1, 0], contracting = [2] x [2] : (tensor<2x3x2xf64>, "
      "tensor<3x2x2x4xf64>) -> tensor<2x3x4xf64>",
      "tensor<2x3x4xf64>");
  add("dot_general/sum of nothing", "%x: tensor<2x0xf64>, %y: tensor<0x3xf64>",
      "nacre.dot_general %x, %y, batching = [] x [], contracting = [1] x [0] : (tensor<2x0xf64>, tensor<0x3xf64>) -> "
      "tensor<2x3xf64>",
      "tensor<2x3xf64>");
  add("dot_general/f32 operands, f64 result", "%x: tensor<2x3xf32>, %y: tensor<3xf32>",
      "nacre.dot_general %x, %y, batching = [] x [], contracting = [1] x [0], preferred = f64 : (tensor<2x3xf32>, "
      "tensor<3xf32>) -> tensor<2xf64>",
      "tensor<2xf64>");
  cases.back().smooth = false;  // f32 arguments are too coarse for finite differences.
  add("dot_general/same twice", "%x: tensor<3x3xf64>",
      "nacre.dot_general %x, %x, batching = [] x [], contracting = [1] x [0] : (tensor<3x3xf64>, tensor<3x3xf64>) -> "
      "tensor<3x3xf64>",
      "tensor<3x3xf64>");
}

void addStructure(std::vector<Case>& cases) {
  cases.push_back({"optimization_barrier",
                   "func.func @f(%x: tensor<2xf64>, %i: tensor<3xi32>) -> (tensor<2xf64>, tensor<3xi32>) {\n"
                   "  %y, %j = nacre.optimization_barrier %x, %i : (tensor<2xf64>, tensor<3xi32>) -> (tensor<2xf64>, "
                   "tensor<3xi32>)\n  %r = nacre.multiply %y, %y : tensor<2xf64>\n"
                   "  return %r, %j : tensor<2xf64>, tensor<3xi32>\n}\n"});
  cases.push_back({"call",
                   "func.func private @g(%x: tensor<2xf64>) -> (tensor<2xf64>, tensor<2xf64>) {\n"
                   "  %s = nacre.sine %x : tensor<2xf64>\n  return %s, %x : tensor<2xf64>, tensor<2xf64>\n}\n"
                   "func.func @f(%x: tensor<2xf64>) -> tensor<2xf64> {\n"
                   "  %a, %b = nacre.call @g(%x) : (tensor<2xf64>) -> (tensor<2xf64>, tensor<2xf64>)\n"
                   "  %c, %d = nacre.call @g(%a) : (tensor<2xf64>) -> (tensor<2xf64>, tensor<2xf64>)\n"
                   "  %r = nacre.multiply %b, %c : tensor<2xf64>\n  return %r : tensor<2xf64>\n}\n"});
  // A program that shares values, ignores some and returns others twice.
  cases.push_back(inRange({"multiply/layernorm and softmax",
                           R"(func.func @f(%x: tensor<3x4xf64>, %g: tensor<4xf64>, %unused: tensor<2xf64>)
    -> (tensor<3x4xf64>, tensor<3x4xf64>, tensor<4xf64>) {
  %s = nacre.reduce add(%x), dims = [1] : (tensor<3x4xf64>) -> tensor<3xf64>
  %n = nacre.constant dense<4.0> : tensor<3xf64>
  %m = nacre.divide %s, %n : tensor<3xf64>
  %mb = nacre.broadcast_in_dim %m, dims = [0] : (tensor<3xf64>) -> tensor<3x4xf64>
  %c = nacre.subtract %x, %mb : tensor<3x4xf64>
  %c2 = nacre.multiply %c, %c : tensor<3x4xf64>
  %v = nacre.reduce add(%c2), dims = [1] : (tensor<3x4xf64>) -> tensor<3xf64>
  %e = nacre.constant dense<0.1> : tensor<3xf64>
  %ve = nacre.add %v, %e : tensor<3xf64>
  %rs = nacre.rsqrt %ve : tensor<3xf64>
  %rb = nacre.broadcast_in_dim %rs, dims = [0] : (tensor<3xf64>) -> tensor<3x4xf64>
  %y = nacre.multiply %c, %rb : tensor<3x4xf64>
  %gb = nacre.broadcast_in_dim %g, dims = [1] : (tensor<4xf64>) -> tensor<3x4xf64>
  %z = nacre.multiply %y, %gb : tensor<3x4xf64>
  %mx = nacre.reduce max(%z), dims = [1] : (tensor<3x4xf64>) -> tensor<3xf64>
  %st = nacre.broadcast_in_dim %mx, dims = [0] : (tensor<3xf64>) -> tensor<3x4xf64>
  %d = nacre.subtract %z, %st : tensor<3x4xf64>
  %ex = nacre.exponential %d : tensor<3x4xf64>
  %t = nacre.reduce add(%ex), dims = [1] : (tensor<3x4xf64>) -> tensor<3xf64>
  %tb = nacre.broadcast_in_dim %t, dims = [0] : (tensor<3xf64>) -> tensor<3x4xf64>
  %p = nacre.divide %ex, %tb : tensor<3x4xf64>
  return %p, %p, %g : tensor<3x4xf64>, tensor<3x4xf64>, tensor<4xf64>
}
)"},
                          -1, 1));
}

}  // namespace

std::vector<Case> structuredCases() {
  std::vector<Case> cases;
  addMoves(cases);
  addIndexing(cases);
  addReductions(cases);
  addContractions(cases);
  addStructure(cases);
  return cases;
}

std::vector<Case> allCases() {
  std::vector<Case> cases = elementwiseCases();
  for (Case& c : structuredCases()) cases.push_back(std::move(c));
  return cases;
}

}  // namespace nacre::testing
