#include "passes/structural_hash.h"

#include <catch2/catch.hpp>

#include "ir/nacre.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Parser/Parser.h"

using namespace mlir;

namespace nacre::passes {

namespace {

// The key of @f in a module, made in a context of its own.
std::string keyOf(const std::string& text) {
  MLIRContext context;
  context.loadDialect<ir::NacreDialect, func::FuncDialect>();
  OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(text, &context);
  REQUIRE(module);
  return structuralKey(module->lookupSymbol("f"));
}

std::string body(const std::string& op) {
  return "func.func @f(%x: tensor<2xf32>, %y: tensor<2xf32>) -> tensor<2xf32> {\n  %r = " + op +
         " : tensor<2xf32>\n  return %r : tensor<2xf32>\n}\n";
}

std::string calling(const std::string& name, const std::string& op) {
  return "func.func private @" + name + "(%x: tensor<2xf32>) -> tensor<2xf32> {\n  %r = nacre." + op +
         " %x : tensor<2xf32>\n  return %r : tensor<2xf32>\n}\nfunc.func @f(%x: tensor<2xf32>) -> tensor<2xf32> {\n" +
         "  %r = nacre.call @" + name + "(%x) : (tensor<2xf32>) -> tensor<2xf32>\n  return %r : tensor<2xf32>\n}\n";
}

}  // namespace

TEST_CASE("names of values, arguments and locations do not count") {
  std::string key = keyOf(body("nacre.subtract %x, %y"));
  CHECK(key == keyOf("\n\nfunc.func @f(%a: tensor<2xf32> {nacre.name = \"w\"}, %b: tensor<2xf32>) -> tensor<2xf32> {\n"
                     "  %c = nacre.subtract %a, %b : tensor<2xf32>\n  return %c : tensor<2xf32>\n}\n"));
  CHECK(structuralHash(llvm::StringRef(key)) == structuralHash(llvm::StringRef(keyOf(body("nacre.subtract %x, %y")))));
}

TEST_CASE("ops, operands, attributes, types and donation count") {
  std::string key = keyOf(body("nacre.subtract %x, %y"));
  CHECK(key != keyOf(body("nacre.subtract %y, %x")));
  CHECK(key != keyOf(body("nacre.add %x, %y")));
  CHECK(key != keyOf("func.func @f(%x: tensor<2xf32> {nacre.donated}, %y: tensor<2xf32>) -> tensor<2xf32> {\n"
                     "  %r = nacre.subtract %x, %y : tensor<2xf32>\n  return %r : tensor<2xf32>\n}\n"));
  auto reduced = [](const std::string& kind, const std::string& dim) {
    return keyOf("func.func @f(%x: tensor<2x2xf32>) -> tensor<2xf32> {\n  %r = nacre.reduce " + kind +
                 " (%x), dims = [" + dim + "] : (tensor<2x2xf32>) -> tensor<2xf32>\n  return %r : tensor<2xf32>\n}\n");
  };
  CHECK(reduced("add", "0") == reduced("add", "0"));
  CHECK(reduced("add", "0") != reduced("add", "1"));
  CHECK(reduced("add", "0") != reduced("max", "0"));
}

TEST_CASE("a callee counts by what it does, not by its name") {
  CHECK(keyOf(calling("g", "sine")) == keyOf(calling("other", "sine")));
  CHECK(keyOf(calling("g", "sine")) != keyOf(calling("g", "cosine")));
}

TEST_CASE("the hash is that of the text, on every machine") {
  CHECK(structuralHash(llvm::StringRef("nacre")) == structuralHash(llvm::StringRef("nacre")));
  CHECK(structuralHash(llvm::StringRef("nacre")) != structuralHash(llvm::StringRef("nacra")));
  // XXH3's published value for no bytes.
  CHECK(structuralHash(llvm::StringRef("")) == StructuralHash{0x6001C324468D497F, 0x99AA06D3014798D8});
}

}  // namespace nacre::passes
