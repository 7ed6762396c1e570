// Constants are folded to the bits that the interpreter computes, for every foldable op, type and edge value.
#include <catch2/catch.hpp>
#include <map>

#include "ir/builder.h"
#include "passes/simplify.h"
#include "tests/transforms/harness.h"

using namespace mlir;
using namespace nacre::passes;

namespace nacre::testing {

namespace {

// Eight edge values of each element type, as MLIR writes them.
const std::map<std::string, std::vector<std::string>> kEdges = {
    {"bf16", {"0.0", "-0.0", "1.5", "-3.0e38", "0x7F80", "0xFF80", "0x7FC0", "0x0001"}},
    {"f32", {"0.0", "-0.0", "1.1", "-3.0e38", "0x7F800000", "0xFF800000", "0x7FC00000", "2147483647.0"}},
    {"f64", {"0.0", "-0.0", "1.1", "-1.7e308", "0x7FF0000000000000", "-1.5", "0x7FF8000000000000", "4294967296.5"}},
    {"i32", {"0", "1", "-1", "2147483647", "-2147483648", "256", "16777217", "-7"}},
    {"i64", {"0", "1", "-1", "9223372036854775807", "-9223372036854775808", "4294967296", "9007199254740993", "-7"}},
    {"ui8", {"0", "1", "255", "127", "128", "7", "254", "2"}},
    {"ui32", {"0", "1", "4294967295", "2147483647", "2147483648", "16777217", "256", "7"}},
    {"i1", {"true", "false", "false", "true", "true", "true", "false", "false"}},
};

bool isFloatName(const std::string& type) { return type[0] == 'f' || type[0] == 'b'; }

std::string constant(const std::string& name, const std::string& type, size_t rotation) {
  const std::vector<std::string>& edges = kEdges.at(type);
  std::string values;
  for (size_t i = 0; i < edges.size(); ++i) values += (i ? ", " : "") + edges[(i + rotation) % edges.size()];
  return "  %" + name + " = nacre.constant dense<[" + values + "]> : tensor<8x" + type + ">\n";
}

// The program's result before and after simplification; whether only a constant is left.
bool foldsExactly(const std::string& type, const std::string& result, const std::string& op, size_t rotation) {
  Case c{"fold", "func.func @f() -> tensor<8x" + result + "> {\n" + constant("x", type, 0) +
                     constant("y", type, rotation) + constant("p", "i1", rotation) + "  %r = " + op +
                     "\n  return %r : tensor<8x" + result + ">\n}\n"};
  INFO(c.text);
  OwningOpRef<ModuleOp> module = parse(c);
  func::FuncOp f = function(*module);
  Values expected = evaluate(f, {});
  REQUIRE(succeeded(simplify(f)));
  REQUIRE(evaluate(f, {})[0].data == expected[0].data);
  return isa<ir::ConstantOp>(f.front().front()) && f.front().getOperations().size() == 2;
}

std::string signature(const std::string& operands, const std::string& result) {
  return " : (" + operands + ") -> tensor<8x" + result + ">";
}

}  // namespace

TEST_CASE("arithmetic on constants") {
  for (const auto& [type, edges] : kEdges)
    for (size_t rotation = 0; rotation < edges.size(); ++rotation) {
      std::string tensor = "tensor<8x" + type + ">";
      for (std::string op : {"add", "multiply", "subtract", "divide", "maximum", "minimum", "and", "or", "xor"}) {
        bool bits = op == "and" || op == "or" || op == "xor", number = op == "subtract" || op == "divide";
        if ((bits && isFloatName(type)) || (number && type == "i1")) continue;
        bool folded = foldsExactly(type, type, "nacre." + op + " %x, %y : " + tensor, rotation);
        // NaN results and integer division are left to the run.
        if (!isFloatName(type) && op != "divide") CHECK(folded);
      }
      foldsExactly(type, type, "nacre.select %p, %x, %y" + signature("tensor<8xi1>, " + tensor + ", " + tensor, type),
                   rotation);
      for (const char* direction : {"EQ", "NE", "LT", "LE", "GT", "GE"})
        CHECK(foldsExactly(
            type, "i1", std::string("nacre.compare ") + direction + " %x, %y" + signature(tensor + ", " + tensor, "i1"),
            rotation));
    }
}

TEST_CASE("functions of one constant") {
  for (const auto& [type, edges] : kEdges)
    for (std::string op : {"negate", "abs", "not"}) {
      if (op == "not" ? isFloatName(type) : type == "i1") continue;
      foldsExactly(type, type, "nacre." + op + " %x : tensor<8x" + type + ">", 0);
    }
}

TEST_CASE("conversions of constants between all types") {
  for (const auto& [from, edges] : kEdges)
    for (const auto& [to, others] : kEdges) {
      bool folded = foldsExactly(from, to, "nacre.convert %x" + signature("tensor<8x" + from + ">", to), 0);
      if (!isFloatName(from) || !isFloatName(to)) CHECK(folded);
    }
}

TEST_CASE("moves of constants") {
  for (const char* op :
       {"nacre.reshape %x : (tensor<8xi32>) -> tensor<2x4xi32>",
        "nacre.broadcast_in_dim %x, dims = [1] : (tensor<8xi32>) -> tensor<2x8xi32>",
        "nacre.reverse %x, dims = [0] : (tensor<8xi32>) -> tensor<8xi32>",
        "nacre.slice %x, start = [1], limit = [8], strides = [3] : (tensor<8xi32>) -> tensor<3xi32>"}) {
    std::string text(op), type = text.substr(text.rfind("tensor"));
    Case c{"fold", "func.func @f() -> " + type + " {\n" + constant("x", "i32", 0) + "  %r = " + text +
                       "\n  return %r : " + type + "\n}\n"};
    INFO(c.text);
    OwningOpRef<ModuleOp> module = parse(c);
    func::FuncOp f = function(*module);
    Values expected = evaluate(f, {});
    REQUIRE(succeeded(simplify(f)));
    CHECK(f.front().getOperations().size() == 2);
    CHECK(evaluate(f, {})[0].data == expected[0].data);
  }
}

TEST_CASE("constants above 64 elements are left alone unless they are splats") {
  Case c{"fold",
         "func.func @f() -> tensor<40x2xi32> {\n  %x = nacre.constant dense<[1, 2]> : tensor<2xi32>\n"
         "  %r = nacre.broadcast_in_dim %x, dims = [1] : (tensor<2xi32>) -> tensor<40x2xi32>\n"
         "  return %r : tensor<40x2xi32>\n}\n"};
  OwningOpRef<ModuleOp> module = parse(c);
  func::FuncOp f = function(*module);
  REQUIRE(succeeded(simplify(f)));
  CHECK(f.front().getOperations().size() == 3);
}

}  // namespace nacre::testing
