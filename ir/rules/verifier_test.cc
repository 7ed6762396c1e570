// One malformed op per diagnostic.
#include "catch2/catch.hpp"
#include "ir/rules/test_support.h"

using namespace mlir;
using namespace nacre::ir;

namespace {

struct Case {
  const char* arguments;
  const char* op;
  const char* message;
};

void check(const Case& c) {
  TestContext test;
  std::string text = "func.func private @callee(tensor<2xf32>) -> tensor<2xf32>\n";
  text += std::string("func.func @f(") + c.arguments + ") {\n" + c.op + "\nreturn\n}";
  OwningOpRef<ModuleOp> module = test.parse(text);
  INFO(text);
  CHECK(!module);
  CHECK_THAT(test.diagnostics, Catch::Contains(c.message));
}

// Attributes of a gather or scatter that is right until one of them is replaced.
std::string replaced(std::string text, const std::string& from, const std::string& to) {
  size_t at = text.find(from);
  REQUIRE(at != std::string::npos);
  return text.replace(at, from.size(), to);
}

const char* kGather =
    "%r = nacre.gather %x, %i {offset_dims = array<i64: 1>, collapsed_slice_dims = array<i64: 1>, "
    "operand_batching_dims = array<i64: 0>, start_indices_batching_dims = array<i64: 0>, "
    "start_index_map = array<i64: 1>, index_vector_dim = 1 : i64, slice_sizes = array<i64: 1, 1, 4>} "
    ": (tensor<3x5x4xf32>, tensor<3x1xi32>) -> tensor<3x4xf32>";
const char* kScatter =
    "%r = nacre.scatter add %x, %i, %u {update_window_dims = array<i64: 1>, inserted_window_dims = array<i64: 1>, "
    "input_batching_dims = array<i64: 0>, scatter_indices_batching_dims = array<i64: 0>, "
    "scatter_dims_to_operand_dims = array<i64: 1>, index_vector_dim = 1 : i64} "
    ": (tensor<3x5x4xf32>, tensor<3x1xi32>, tensor<3x4xf32>) -> tensor<3x5x4xf32>";

void checkGather(const std::string& from, const std::string& to, const char* message) {
  check({"%x: tensor<3x5x4xf32>, %i: tensor<3x1xi32>", replaced(kGather, from, to).c_str(), message});
}

void checkScatter(const std::string& from, const std::string& to, const char* message) {
  check({"%x: tensor<3x5x4xf32>, %i: tensor<3x1xi32>, %u: tensor<3x4xf32>", replaced(kScatter, from, to).c_str(),
         message});
}

}  // namespace

TEST_CASE("types that the dialect does not have") {
  check({"%x: tensor<?xf32>", "%r = nacre.negate %x : tensor<?xf32>", "statically shaped"});
  check({"%x: tensor<2xf16>", "%r = nacre.negate %x : tensor<2xf16>", "must be"});
  check({"%x: tensor<2xi32>", "%r = nacre.exponential %x : tensor<2xi32>", "must be"});
}

TEST_CASE("creation and moves") {
  check({"", "%r = nacre.iota dim = 1 : tensor<3xi32>",
         "nacre.iota: dim = 1, but the result 'tensor<3xi32>' has 1 dimensions"});
  check({"%x: tensor<3xf32>", "%r = nacre.broadcast_in_dim %x, dims = [0] : (tensor<3xf32>) -> tensor<3xf64>",
         "nacre.broadcast_in_dim: the element type changes from 'f32' to 'f64'"});
  check({"%x: tensor<3xf32>", "%r = nacre.broadcast_in_dim %x, dims = [0, 1] : (tensor<3xf32>) -> tensor<3x2xf32>",
         "nacre.broadcast_in_dim: dims = [0,1] has 2 entries, but the operand has 1 dimensions"});
  check({"%x: tensor<3xf32>", "%r = nacre.broadcast_in_dim %x, dims = [2] : (tensor<3xf32>) -> tensor<3x2xf32>",
         "dims = [2] names dimension 2, but there are only 2 dimensions; use numbers from 0 to 1"});
  check({"%x: tensor<3x3xf32>", "%r = nacre.broadcast_in_dim %x, dims = [1, 1] : (tensor<3x3xf32>) -> tensor<3x3xf32>",
         "names dimension 1 twice"});
  check({"%x: tensor<3xf32>", "%r = nacre.broadcast_in_dim %x, dims = [1] : (tensor<3xf32>) -> tensor<3x2xf32>",
         "nacre.broadcast_in_dim: operand has shape [3] and result [3,2]; operand dimension 0 must be 1 or 2"});
  check({"%x: tensor<3xf32>", "%r = nacre.reshape %x : (tensor<3xf32>) -> tensor<3xf64>",
         "nacre.reshape: the element type changes from 'f32' to 'f64'"});
  check({"%x: tensor<3xf32>", "%r = nacre.reshape %x : (tensor<3xf32>) -> tensor<2x2xf32>",
         "nacre.reshape: operand has shape [3] (3 elements) and result [2,2] (4 elements)"});
  check({"%x: tensor<3x2xf32>", "%r = nacre.transpose %x, dims = [0] : (tensor<3x2xf32>) -> tensor<3xf32>",
         "nacre.transpose: dims = [0] has 1 entries, but the operand has 2 dimensions"});
  check({"%x: tensor<3x2xf32>", "%r = nacre.transpose %x, dims = [0, 0] : (tensor<3x2xf32>) -> tensor<3x3xf32>",
         "nacre.transpose: dims = [0,0] names dimension 0 twice"});
  check({"%x: tensor<3x2xf32>", "%r = nacre.transpose %x, dims = [1, 0] : (tensor<3x2xf32>) -> tensor<3x2xf32>",
         "inferred type(s) 'tensor<2x3xf32>' are incompatible"});
  check({"%x: tensor<3xf32>", "%r = nacre.reverse %x, dims = [-1] : (tensor<3xf32>) -> tensor<3xf32>",
         "nacre.reverse: dims = [-1] names dimension -1"});
}

TEST_CASE("slice, pad, concatenate") {
  check({"%x: tensor<3xf32>",
         "%r = nacre.slice %x, start = [0, 0], limit = [1], strides = [1] : (tensor<3xf32>) -> tensor<1xf32>",
         "nacre.slice: start = [0,0] has 2 entries"});
  check({"%x: tensor<3xf32>",
         "%r = nacre.slice %x, start = [0], limit = [], strides = [1] : (tensor<3xf32>) -> tensor<1xf32>",
         "nacre.slice: limit = [] has 0 entries"});
  check({"%x: tensor<3xf32>",
         "%r = nacre.slice %x, start = [0], limit = [1], strides = [] : (tensor<3xf32>) -> tensor<1xf32>",
         "nacre.slice: strides = [] has 0 entries"});
  check({"%x: tensor<3xf32>",
         "%r = nacre.slice %x, start = [1], limit = [4], strides = [1] : (tensor<3xf32>) -> tensor<3xf32>",
         "nacre.slice: operand has shape [3] but dimension 0 is cut from 1 to 4; need 0 <= start <= limit <= 3"});
  check({"%x: tensor<3xf32>",
         "%r = nacre.slice %x, start = [0], limit = [3], strides = [0] : (tensor<3xf32>) -> tensor<3xf32>",
         "nacre.slice: strides = [0] has 0; strides are at least 1"});
  const char* padded = "%x: tensor<3xf32>, %p: tensor<f32>, %v: tensor<1xf32>, %d: tensor<f64>";
  check(
      {padded,
       "%r = nacre.pad %x, %v, low = [0], high = [0], interior = [0] : (tensor<3xf32>, tensor<1xf32>) -> tensor<3xf32>",
       "the padding value must be a scalar"});
  check({padded,
         "%r = nacre.pad %x, %d, low = [0], high = [0], interior = [0] : (tensor<3xf32>, tensor<f64>) -> tensor<3xf32>",
         "nacre.pad: padding_value has type 'tensor<f64>' but the operand has type 'tensor<3xf32>'"});
  check({padded,
         "%r = nacre.pad %x, %p, low = [], high = [0], interior = [0] : (tensor<3xf32>, tensor<f32>) -> tensor<3xf32>",
         "nacre.pad: low = [] has 0 entries"});
  check({padded,
         "%r = nacre.pad %x, %p, low = [0], high = [], interior = [0] : (tensor<3xf32>, tensor<f32>) -> tensor<3xf32>",
         "nacre.pad: high = [] has 0 entries"});
  check({padded,
         "%r = nacre.pad %x, %p, low = [0], high = [0], interior = [] : (tensor<3xf32>, tensor<f32>) -> tensor<3xf32>",
         "nacre.pad: interior = [] has 0 entries"});
  check(
      {padded,
       "%r = nacre.pad %x, %p, low = [0], high = [0], interior = [-1] : (tensor<3xf32>, tensor<f32>) -> tensor<1xf32>",
       "nacre.pad: interior = [-1] must not be negative"});
  check(
      {padded,
       "%r = nacre.pad %x, %p, low = [-2], high = [-2], interior = [0] : (tensor<3xf32>, tensor<f32>) -> tensor<3xf32>",
       "leave dimension 0 with size -1; remove fewer elements"});
  check({"", "%r = \"nacre.concatenate\"() {dimension = 0 : i64} : () -> tensor<3xf32>",
         "nacre.concatenate: needs at least one operand"});
  check({"%x: tensor<2x4xf32>, %y: tensor<2x3xf32>",
         "%r = nacre.concatenate(%x, %y), dim = 0 : (tensor<2x4xf32>, tensor<2x3xf32>) -> tensor<4x4xf32>",
         "nacre.concatenate: operand 1 has shape [2,3] but operand 0 has [2,4]; all dimensions except dimension 0 must "
         "agree"});
  check({"%x: tensor<2xf32>, %y: tensor<2xf64>",
         "%r = nacre.concatenate(%x, %y), dim = 0 : (tensor<2xf32>, tensor<2xf64>) -> tensor<4xf32>",
         "nacre.concatenate: operand 1 has element type 'f64' but operand 0 has 'f32'"});
  check({"%x: tensor<f32>", "%r = nacre.concatenate(%x), dim = 0 : (tensor<f32>) -> tensor<f32>",
         "nacre.concatenate: dim = [0] names dimension 0, but a scalar has no dimensions"});
}

TEST_CASE("dynamic_slice, dynamic_update_slice") {
  const char* arguments =
      "%x: tensor<5x4xf32>, %i: tensor<i32>, %j: tensor<i64>, %v: tensor<1xi32>, %u: tensor<6x1xf32>, "
      "%d: tensor<1x1xf64>, %w: tensor<1xf32>";
  check({arguments,
         "%r = nacre.dynamic_slice %x at(%i), sizes = [1, 1] : (tensor<5x4xf32>, tensor<i32>) -> tensor<1x1xf32>",
         "nacre.dynamic_slice: has 1 start indices, but the operand has 2 dimensions"});
  check({arguments,
         "%r = nacre.dynamic_slice %x at(%i, %j), sizes = [1, 1] "
         ": (tensor<5x4xf32>, tensor<i32>, tensor<i64>) -> tensor<1x1xf32>",
         "nacre.dynamic_slice: start indices have types 'tensor<i32>' and 'tensor<i64>'"});
  check({arguments,
         "%r = nacre.dynamic_slice %x at(%v, %v), sizes = [1, 1] "
         ": (tensor<5x4xf32>, tensor<1xi32>, tensor<1xi32>) -> tensor<1x1xf32>",
         "all must be scalars of one integer type"});
  check({arguments,
         "%r = nacre.dynamic_slice %x at(%i, %i), sizes = [1] "
         ": (tensor<5x4xf32>, tensor<i32>, tensor<i32>) -> tensor<1xf32>",
         "nacre.dynamic_slice: sizes = [1] has 1 entries"});
  check({arguments,
         "%r = nacre.dynamic_slice %x at(%i, %i), sizes = [6, 1] "
         ": (tensor<5x4xf32>, tensor<i32>, tensor<i32>) -> tensor<6x1xf32>",
         "nacre.dynamic_slice: operand has shape [5,4] but the window has sizes [6,1]"});
  check({arguments,
         "%r = nacre.dynamic_update_slice %x, %u at(%i, %i) "
         ": (tensor<5x4xf32>, tensor<6x1xf32>, tensor<i32>, tensor<i32>) -> tensor<5x4xf32>",
         "nacre.dynamic_update_slice: update has shape [6,1] but the operand has [5,4]"});
  check({arguments,
         "%r = nacre.dynamic_update_slice %x, %w at(%i, %i) "
         ": (tensor<5x4xf32>, tensor<1xf32>, tensor<i32>, tensor<i32>) -> tensor<5x4xf32>",
         "the update must have the same rank"});
  check({arguments,
         "%r = nacre.dynamic_update_slice %x, %d at(%i, %i) "
         ": (tensor<5x4xf32>, tensor<1x1xf64>, tensor<i32>, tensor<i32>) -> tensor<5x4xf32>",
         "nacre.dynamic_update_slice: update has element type 'f64' but the operand has 'f32'"});
  check({arguments,
         "%r = nacre.dynamic_update_slice %x, %x at(%i) : (tensor<5x4xf32>, tensor<5x4xf32>, tensor<i32>) -> "
         "tensor<5x4xf32>",
         "nacre.dynamic_update_slice: has 1 start indices"});
}

TEST_CASE("gather") {
  checkGather("offset_dims = array<i64: 1>", "offset_dims = array<i64: 0, 1>",
              "nacre.gather: offset_dims = [0,1], collapsed_slice_dims = [1] and operand_batching_dims = [0] must "
              "together have as many entries as the operand of shape [3,5,4] has dimensions (3)");
  checkGather("index_vector_dim = 1", "index_vector_dim = 3", "nacre.gather: index_vector_dim = 3");
  checkGather(
      "start_index_map = array<i64: 1>", "start_index_map = array<i64: 1, 2>",
      "nacre.gather: start_index_map = [1,2] has 2 entries, but index vectors of indices of shape [3,1] have 1");
  checkGather("start_index_map = array<i64: 1>", "start_index_map = array<i64: 3>",
              "nacre.gather: start_index_map = [3] names dimension 3");
  checkGather("start_index_map = array<i64: 1>", "start_index_map = array<i64: 0>",
              "nacre.gather: start_index_map and operand_batching_dims = [0,0] names dimension 0 twice");
  checkGather("collapsed_slice_dims = array<i64: 1>", "collapsed_slice_dims = array<i64: 0>",
              "nacre.gather: collapsed_slice_dims and operand_batching_dims = [0,0] names dimension 0 twice");
  checkGather("collapsed_slice_dims = array<i64: 1>", "collapsed_slice_dims = array<i64: 7>",
              "nacre.gather: collapsed_slice_dims = [7] names dimension 7");
  checkGather("start_indices_batching_dims = array<i64: 0>", "start_indices_batching_dims = array<i64: 1>",
              "nacre.gather: start_indices_batching_dims = [1] must not hold index_vector_dim = 1");
  checkGather("start_indices_batching_dims = array<i64: 0>", "start_indices_batching_dims = array<i64>",
              "nacre.gather: operand_batching_dims = [0] and start_indices_batching_dims = [] must have the same");
  checkGather("slice_sizes = array<i64: 1, 1, 4>", "slice_sizes = array<i64: 1, 4>",
              "nacre.gather: slice_sizes = [1,4] has 2 entries");
  checkGather("slice_sizes = array<i64: 1, 1, 4>", "slice_sizes = array<i64: 1, 1, 9>",
              "nacre.gather: operand has shape [3,5,4] but slice_sizes = [1,1,9]");
  checkGather("slice_sizes = array<i64: 1, 1, 4>", "slice_sizes = array<i64: 1, 2, 4>",
              "has 2 at dimension 1, which is collapsed or batching; its size must be 1");
  checkGather("offset_dims = array<i64: 1>", "offset_dims = array<i64: 2>",
              "nacre.gather: offset_dims = [2] names dimension 2, but there are only 2 dimensions");
  std::string text =
      replaced(kGather, "operand_batching_dims = array<i64: 0>", "operand_batching_dims = array<i64: 2>");
  text = replaced(text, "slice_sizes = array<i64: 1, 1, 4>", "slice_sizes = array<i64: 1, 1, 1>");
  check(
      {"%x: tensor<3x5x4xf32>, %i: tensor<3x1xi32>", text.c_str(),
       "batching dimension 2 of the operand of shape [3,5,4] and 0 of the indices of shape [3,1] must have the same"});
  check(
      {"%x: tensor<3x5x4xf32>, %i: tensor<2xi32>",
       "%r = nacre.gather %x, %i {offset_dims = array<i64: 1, 0>, collapsed_slice_dims = array<i64: 1>, "
       "operand_batching_dims = array<i64>, start_indices_batching_dims = array<i64>, start_index_map = array<i64: 1>, "
       "index_vector_dim = 1 : i64, slice_sizes = array<i64: 3, 1, 4>} : (tensor<3x5x4xf32>, tensor<2xi32>) -> "
       "tensor<3x4x2xf32>",
       "nacre.gather: offset_dims = [1,0] must be in ascending order"});
}

TEST_CASE("scatter") {
  checkScatter("scatter add", "scatter mul", "nacre.scatter: kind mul is not supported; use set or add");
  checkScatter("inserted_window_dims = array<i64: 1>", "inserted_window_dims = array<i64>",
               "nacre.scatter: update_window_dims = [1], inserted_window_dims = [] and input_batching_dims = [0] must");
  checkScatter("update_window_dims = array<i64: 1>", "update_window_dims = array<i64: 5>",
               "nacre.scatter: update_window_dims = [5] names dimension 5");
  checkScatter("scatter_dims_to_operand_dims = array<i64: 1>", "scatter_dims_to_operand_dims = array<i64>",
               "nacre.scatter: scatter_dims_to_operand_dims = [] has 0 entries");
  auto other = [](const char* updates, const char* message) {
    std::string text = replaced(kScatter, "tensor<3x4xf32>)", std::string(updates) + ")");
    std::string arguments = std::string("%x: tensor<3x5x4xf32>, %i: tensor<3x1xi32>, %u: ") + updates;
    check({arguments.c_str(), text.c_str(), message});
  };
  other("tensor<3x4xf64>", "nacre.scatter: updates have element type 'f64' but the operand has 'f32'");
  other("tensor<3x4x1xf32>", "nacre.scatter: updates have shape [3,4,1], but indices of shape [3,1]");
  other("tensor<2x4xf32>", "nacre.scatter: updates of shape [2,4] have sizes [2] outside update_window_dims = [1]");
  other("tensor<3x9xf32>", "dimension 1 of the updates must not exceed dimension 2 of the operand");
}

TEST_CASE("reductions") {
  check({"%x: tensor<3xf32>", "%r = nacre.reduce set(%x), dims = [0] : (tensor<3xf32>) -> tensor<f32>",
         "nacre.reduce: kind set combines nothing"});
  check({"", "\"nacre.reduce\"() {kind = #nacre<combine add>, dimensions = array<i64>} : () -> ()",
         "nacre.reduce: needs at least one operand"});
  check({"%x: tensor<3xf32>", "%r = nacre.reduce add(%x), dims = [1] : (tensor<3xf32>) -> tensor<3xf32>",
         "nacre.reduce: dims = [1] names dimension 1"});
  check({"%x: tensor<3xf32>", "%r = nacre.reduce and(%x), dims = [0] : (tensor<3xf32>) -> tensor<f32>",
         "nacre.reduce: kind and combines bits, but operand 0 has element type 'f32'"});
  check({"%x: tensor<3xf32>, %y: tensor<2xf32>",
         "%r:2 = nacre.reduce add(%x, %y), dims = [0] : (tensor<3xf32>, tensor<2xf32>) -> (tensor<f32>, tensor<f32>)",
         "nacre.reduce: operand 1 has shape [2] but operand 0 has [3]"});
  check({"%x: tensor<3xf32>", "%r = nacre.arg_reduce add %x, dim = 0 : (tensor<3xf32>) -> tensor<i32>",
         "nacre.arg_reduce: kind add is not min or max"});
  check({"%x: tensor<3xf32>", "%r = nacre.arg_reduce max %x, dim = 1 : (tensor<3xf32>) -> tensor<i32>",
         "nacre.arg_reduce: dim = [1] names dimension 1"});
  check({"%x: tensor<0xf32>", "%r = nacre.arg_reduce max %x, dim = 0 : (tensor<0xf32>) -> tensor<i32>",
         "nacre.arg_reduce: dimension 0 of the operand of shape [0] is empty"});
  check({"%x: tensor<3x2xf32>", "%r = nacre.arg_reduce max %x, dim = 0 : (tensor<3x2xf32>) -> tensor<3xi32>",
         "nacre.arg_reduce: operand has shape [3,2] and result [3]; without dimension 0 it is [2]"});
  check({"%x: tensor<257xf32>", "%r = nacre.arg_reduce max %x, dim = 0 : (tensor<257xf32>) -> tensor<ui8>",
         "nacre.arg_reduce: indices up to 256 do not fit into 'ui8'"});
}

TEST_CASE("dot_general") {
  const char* arguments = "%x: tensor<2x3xf32>, %y: tensor<4x5xf32>, %z: tensor<3x4xf64>, %i: tensor<3x4xi32>";
  check({arguments,
         "%r = nacre.dot_general %x, %z, batching = [] x [], contracting = [1] x [0] "
         ": (tensor<2x3xf32>, tensor<3x4xf64>) -> tensor<2x4xf32>",
         "nacre.dot_general: lhs has element type 'f32' but rhs has 'f64'"});
  check({arguments,
         "%r = nacre.dot_general %x, %y, batching = [] x [], contracting = [2] x [0] "
         ": (tensor<2x3xf32>, tensor<4x5xf32>) -> tensor<2x5xf32>",
         "nacre.dot_general: batching and contracting dimensions of lhs = [2] names dimension 2"});
  check({arguments,
         "%r = nacre.dot_general %x, %y, batching = [0] x [0], contracting = [1] x [0] "
         ": (tensor<2x3xf32>, tensor<4x5xf32>) -> tensor<2x5xf32>",
         "nacre.dot_general: batching and contracting dimensions of rhs = [0,0] names dimension 0 twice"});
  check({arguments,
         "%r = nacre.dot_general %x, %y, batching = [] x [], contracting = [1] x [] "
         ": (tensor<2x3xf32>, tensor<4x5xf32>) -> tensor<2x5xf32>",
         "each list must have as many entries for lhs as for rhs"});
  check({arguments,
         "%r = nacre.dot_general %x, %y, batching = [] x [], contracting = [1] x [0] "
         ": (tensor<2x3xf32>, tensor<4x5xf32>) -> tensor<2x5xf32>",
         "nacre.dot_general: lhs has shape [2,3] and rhs [4,5]; dimension 1 of lhs (3) meets dimension 0 of rhs (4)"});
  check({arguments,
         "%r = nacre.dot_general %x, %x, batching = [] x [], contracting = [0] x [0], preferred = i32 "
         ": (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<3x3xi32>",
         "nacre.dot_general: preferred = 'i32', but the operands have element type 'f32'"});
}

TEST_CASE("structure") {
  const char* x = "%x: tensor<2xf32>";
  check({x, "%r = nacre.optimization_barrier %x : (tensor<2xf32>) -> tensor<2xf64>",
         "nacre.optimization_barrier: operands have types ('tensor<2xf32>') but results ('tensor<2xf64>')"});
  check({x, "%r = nacre.call @nobody(%x) : (tensor<2xf32>) -> tensor<2xf32>",
         "nacre.call: @nobody is not a function of this module"});
  check({x, "%r = nacre.call @callee(%x) : (tensor<2xf32>) -> tensor<3xf32>",
         "nacre.call: @callee has type ('tensor<2xf32>') -> ('tensor<2xf32>') but is used as"});
  check({x, "%r = nacre.launch @nobody(%x) : (tensor<2xf32>) -> tensor<2xf32>",
         "nacre.launch: @nobody is not a function of this module"});
  check(
      {x, "%r = nacre.launch @callee(%x) : (tensor<2xf32>) -> tensor<2xf32>", "nacre.launch: @callee is not a kernel"});
  check({x, R"(%r = nacre.fusion "magic"(%x) {
^bb0(%a: tensor<2xf32>):
  nacre.yield %a : tensor<2xf32>
} : (tensor<2xf32>) -> tensor<2xf32>)",
         "nacre.fusion: unknown kind \"magic\"; the kinds are pointwise, transpose"});
  check({x, R"(%r = nacre.fusion "pointwise"(%x) {
^bb0(%a: tensor<3xf32>):
  nacre.yield %a : tensor<3xf32>
} : (tensor<2xf32>) -> tensor<3xf32>)",
         "nacre.fusion: the body takes ('tensor<3xf32>') but the operands are ('tensor<2xf32>')"});
  check({x, R"(%r = nacre.fusion "pointwise"(%x) {
^bb0(%a: tensor<2xf32>):
  nacre.yield %a : tensor<2xf32>
} : (tensor<2xf32>) -> tensor<3xf32>)",
         "nacre.fusion: the body yields ('tensor<2xf32>') but the results are ('tensor<3xf32>')"});
  check({x, R"(%r = nacre.fusion "pointwise"(%x) {
^bb0(%a: tensor<2xf32>):
  %b = nacre.negate %a : tensor<2xf32>
} : (tensor<2xf32>) -> tensor<2xf32>)",
         "nacre.fusion: the body must end with nacre.yield"});
  check({x, R"(%r = nacre.fusion "pointwise"(%x) {
^bb0(%a: tensor<2xf32>):
  %b = nacre.call @callee(%a) : (tensor<2xf32>) -> tensor<2xf32>
  nacre.yield %b : tensor<2xf32>
} : (tensor<2xf32>) -> tensor<2xf32>)",
         "nacre.call: not allowed inside a nacre.fusion"});
}
