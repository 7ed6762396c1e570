// One negative test per diagnostic of the tile dialect, and text that survives a round trip.
#include <catch2/catch.hpp>

#include "codegen/tile/dialect.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"

using namespace mlir;

namespace {

// The first diagnostic, or the module as text.
std::string parse(const std::string& text) {
  MLIRContext context(MLIRContext::Threading::DISABLED);
  context.loadDialect<nacre::tile::TileDialect, nacre::ir::NacreDialect>();
  std::string message;
  ScopedDiagnosticHandler handler(&context, [&](Diagnostic& d) {
    if (message.empty()) message = d.str();
    return success();
  });
  OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(text, &context);
  if (!module) return message;
  std::string out;
  llvm::raw_string_ostream stream(out);
  module->print(stream);
  return out;
}

std::string body(const std::string& ops, const std::string& x = "8xf32") {
  return parse("tile.func @k(%p: index, %x: !tile.buffer<" + x + ">) grid 1 inputs 1 \"pointwise\" {\n" + ops +
               "\ntile.return\n}");
}

void refused(const std::string& got, const std::string& part) {
  INFO(got);
  CHECK(got.find(part) != std::string::npos);
}

}  // namespace

TEST_CASE("text survives a round trip") {
  std::string text = parse(
      R"(tile.func @k(%p: index, %x: !tile.buffer<4x8xf32>, %y: !tile.buffer<4x8xf32>) grid 4 inputs 1 "row" in_place [0, 0] attributes {note = "n"} {
    %s = tile.scratch : !tile.buffer<8xi1>
    %t = tile.load %x, affine_map<(i, l) -> (i, l)>(%p) valid %p : !tile.buffer<4x8xf32> -> tensor<8xf32>
    tile.store %t, %y, affine_map<(i, l) -> (i, l)>(%p) {streaming = true} : tensor<8xf32> -> !tile.buffer<4x8xf32>
    tile.return
  })");
  CHECK(text.find("tile.func @k") != std::string::npos);
  CHECK(text.find("in_place [0, 0]") != std::string::npos);
  CHECK(text.find("tile.scratch : <8xi1>") != std::string::npos);
  CHECK(parse(text) == text);
}

TEST_CASE("malformed functions") {
  auto func = [](const std::string& signature, const std::string& rest) {
    return parse("tile.func @k(" + signature + ") " + rest + " {\ntile.return\n}");
  };
  refused(func("%x: !tile.buffer<8xf32>", "grid 1 inputs 1 \"p\""), "program number (index) as its first argument");
  refused(func("%p: index, %x: f32", "grid 1 inputs 1 \"p\""), "takes buffers after the program number, not 'f32'");
  refused(func("%p: index", "grid 1 inputs 1 \"p\""), "has 0 buffers, of which 1 cannot be inputs");
  refused(func("%p: index", "grid -1 inputs 0 \"p\""), "negative grid");
  refused(func("%p: index, %x: !tile.buffer<8xf32>", "grid 1 inputs 1 \"p\" in_place [0]"), "in_place lists pairs");
  refused(func("%p: index, %x: !tile.buffer<8xf32>", "grid 1 inputs 1 \"p\" in_place [0, 0]"),
          "names no output and input");
  refused(func("%p: index, %x: !tile.buffer<8xf32>, %y: !tile.buffer<8xi32>", "grid 1 inputs 1 \"p\" in_place [0, 0]"),
          "has types");
  refused(parse("tile.func @k(%p: index) -> f32 grid 1 inputs 0 \"p\" {\ntile.return\n}"), "has no results");
  refused(func("%p: index, %x: !tile.buffer<8xf16>", "grid 1 inputs 1 \"p\""), "element type 'f16' is not supported");
}

TEST_CASE("malformed accesses") {
  refused(body("%t = tile.load %x, affine_map<(l) -> (l)>() : !tile.buffer<8xf32> -> tensor<8xi32>"),
          "tile of 'i32' from a buffer of 'f32'");
  refused(body("%t = tile.load %x, affine_map<(i, l) -> (l)>() : !tile.buffer<8xf32> -> tensor<8xf32>"),
          "needs 1 dims: 0 indices and the lane");
  refused(body("%t = tile.load %x, affine_map<(l) -> (l, l)>() : !tile.buffer<8xf32> -> tensor<8xf32>"),
          "needs 1 results, one per dimension");
  refused(body("%t = tile.load %x, affine_map<() -> (0)>() valid %p : !tile.buffer<8xf32> -> tensor<f32>"),
          "valid counts lanes: a scalar has none");
  refused(body("%t = tile.load %x, affine_map<() -> (0)>() : !tile.buffer<8xf32> -> tensor<2x2xf32>"),
          "tile must have rank 0 or 1");
  refused(body("%m = nacre.constant dense<true> : tensor<4xi1>\n%t = tile.load %x, affine_map<(l) -> (l)>() mask %m : "
               "tensor<4xi1> : !tile.buffer<8xf32> -> tensor<8xf32>"),
          "does not fit the tile");
  refused(body("%i = nacre.constant dense<0> : tensor<8xi32>\n%t = tile.gather %x[%i : tensor<8xi32>] : "
               "!tile.buffer<8xf32> -> tensor<8xf32>"),
          "is not i64 of the shape");
  refused(
      body("%i = nacre.constant dense<0> : tensor<8xi64>\n%t = tile.gather %x[%i, %i : tensor<8xi64>, tensor<8xi64>] : "
           "!tile.buffer<8xf32> -> tensor<8xf32>"),
      "needs one index per dimension");
}

TEST_CASE("malformed lane ops and contractions") {
  std::string t = "%t = nacre.constant dense<0.0> : tensor<4xf32>\n",
              s = "%s = nacre.constant dense<0.0> : tensor<f32>\n";
  refused(body(t + "%r = tile.reduce add %t : tensor<4xf32> -> tensor<f64>"), "combines the lanes of one tile");
  refused(body(t + "%r = tile.reduce set %t : tensor<4xf32> -> tensor<f32>"), "cannot combine with kind set");
  refused(body(t + "%r = tile.splat %t : tensor<4xf32> -> tensor<4xf32>"), "repeats a scalar");
  refused(body(t + "%r:2 = tile.transpose %t, %t : tensor<4xf32>, tensor<4xf32> -> tensor<4xf32>, tensor<4xf32>"),
          "needs n tiles of n lanes");
  refused(body(t + "%r = tile.transpose %t, %t : tensor<4xf32>, tensor<4xf32> -> tensor<4xf32>"),
          "has 2 rows and 1 columns");
  auto contract = [&](const std::string& a, const std::string& b, const std::string& c) {
    auto type = [](const std::string& shape) { return "!tile.buffer<" + shape + ">"; };
    return body(
        "%a = tile.scratch : " + type(a) + "\n%b = tile.scratch : " + type(b) + "\n%c = tile.scratch : " + type(c) +
        "\ntile.contract %a, %b -> %c depth %p accumulate true : " + type(a) + ", " + type(b) + " -> " + type(c));
  };
  refused(contract("4x8xf32", "1x8x8xf32", "4x8xf32"), "takes A [M/mr, K, mr]");
  refused(contract("1x8x4xf32", "1x9x8xf32", "4x8xf32"), "has depth 8 in A and 9 in B");
  refused(contract("1x8x4xf32", "1x8x8xf32", "4x9xf32"), "do not give a product of");
  refused(contract("1x8x4xi32", "1x8x8xi32", "4x8xi32"), "multiplies f32 into f32");
}
