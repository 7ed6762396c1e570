#include "ir/text/safe_parse.h"

#include <catch2/catch.hpp>
#include <random>

#include "ir/nacre.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace nacre::ir;

namespace {

const std::string kGood = R"(func.func @main(%x: tensor<2x3xf32>, %i: tensor<i32>) -> tensor<3xf32> {
  %c = nacre.constant dense<[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]> : tensor<2x3xf32>
  %s = nacre.add %x, %c : tensor<2x3xf32>
  %r = nacre.reduce add (%s), dims = [0] : (tensor<2x3xf32>) -> tensor<3xf32>
  // a comment with ((( and "
  return %r : tensor<3xf32>
}
)";

struct Parsed {
  bool ok;
  std::string error;
};

Parsed parse(const std::string& text, const TextLimits& limits = {}) {
  static mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  context.loadDialect<NacreDialect, mlir::func::FuncDialect>();
  std::string error;
  bool ok = succeeded(parseModule(text, "t.mlir", context, error, limits));
  return {ok, error};
}

std::string times(const std::string& s, int n) {
  std::string out;
  for (int i = 0; i < n; ++i) out += s;
  return out;
}

bool startsWith(const std::string& s, const std::string& start) { return s.rfind(start, 0) == 0; }

}  // namespace

TEST_CASE("good text parses without an error") {
  Parsed p = parse(kGood);
  CHECK(p.error == "");
  CHECK(p.ok);
}

TEST_CASE("deep nesting is refused before the parser sees it") {
  for (std::string bracket : {"(", "[", "{", "<", "{region{", "tensor<", "loc(", "\"a\"() ({"}) {
    Parsed p = parse(times(bracket, 50000));
    CHECK(!p.ok);
    CHECK(startsWith(p.error, "t.mlir:1:"));
    CHECK(p.error.find("nest more than 200 deep") != std::string::npos);
  }
  CHECK(!parse("module {\n" + times("module {\n", 199) + times("}\n", 200)).error.empty() == false);
  CHECK(parse("\n\n  " + times("[", 201)).error == "t.mlir:3:203: brackets nest more than 200 deep");
}

TEST_CASE("brackets in strings and comments do not count") {
  CHECK(parse("// " + times("(", 1000) + "\n" + kGood).ok);
  CHECK(parse("module attributes {nacre.note = \"" + times("(\\\"", 1000) + "\"} {}").ok);
}

TEST_CASE("arrows do not close brackets") {
  CHECK(findTextProblem(times("-> [", 201)).has_value());
  CHECK(!findTextProblem(times("[ -> ]", 1000)).has_value());
}

TEST_CASE("size and number of tokens are bounded") {
  TextLimits limits;
  limits.bytes = 100;
  CHECK(parse(kGood, limits).error.find("bytes, the limit is 100") != std::string::npos);
  limits = {};
  limits.tokens = 50;
  CHECK(parse(kGood, limits).error.find("more than 50 tokens") != std::string::npos);
}

TEST_CASE("long affine expressions are refused") {
  std::string text = "module attributes {nacre.m = affine_map<(d0) -> (d0" + times(" + d0 mod 3", 40000) + ")>} {}";
  CHECK(parse(text).error.find("an affine map of more than 2000 tokens") != std::string::npos);
  text = "module attributes {nacre.m = affine_map<(d0) -> (" + times("-", 40000) + "d0)>} {}";
  CHECK(parse(text).error.find("an affine map of more than 2000 tokens") != std::string::npos);
  CHECK(parse("module attributes {nacre.m = affine_map<(d0) -> (d0 + 1)>, nacre.n = [" + times("1, ", 3000) + "1]} {}")
            .ok);
}

TEST_CASE("shapes whose size overflows are refused") {
  for (std::string shape :
       {"99999999999999999999x", "9223372036854775807x2x", "1048576x1048576x1048576x", "0x9999999999999999x"})
    CHECK(parse("func.func private @f(tensor<" + shape + "f32>)").error.find("elements") != std::string::npos);
  CHECK(parse("func.func private @f(tensor<1048576x1048576xf32>)").ok);
  CHECK(parse("func.func private @f(tensor<0x7xf32>)").ok);
}

TEST_CASE("huge numbers are refused or parsed, with a place") {
  for (const std::string& number : std::vector<std::string>{times("9", 4000), "1" + times("0", 400) + ".0",
                                                            "0x" + times("f", 4000), "1e999999999"}) {
    Parsed p = parse("func.func @main() -> tensor<i32> {\n  %c = nacre.constant dense<" + number +
                     "> : tensor<i32>\n  return %c : tensor<i32>\n}");
    CHECK(!p.ok);
    CHECK(startsWith(p.error, "t.mlir:2:"));
  }
}

TEST_CASE("errors of parser and verifier name file, line and column") {
  Parsed p = parse("func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {\n  %y = nacre.ad %x, %x : tensor<2xf32>\n}");
  CHECK(startsWith(p.error, "t.mlir:2:"));
  p = parse(
      "func.func @main(%x: tensor<2x3xf32>) -> tensor<3x3xf32> {\n"
      "  %y = nacre.transpose %x, dims = [1, 0] : (tensor<2x3xf32>) -> tensor<3x3xf32>\n"
      "  return %y : tensor<3x3xf32>\n}");
  CHECK(!p.ok);
  CHECK(startsWith(p.error, "t.mlir:2:"));
}

TEST_CASE("text cut at every byte is refused or parsed, never a crash") {
  int refused = 0;
  for (size_t n = 0; n < kGood.size(); ++n) {
    Parsed p = parse(kGood.substr(0, n));
    CHECK(p.ok == p.error.empty());
    refused += !p.ok;
  }
  CHECK(refused > 300);
}

TEST_CASE("text with random bytes changed is refused or parsed, never a crash") {
  std::mt19937 random(1);
  int refused = 0;
  for (int round = 0; round < 2000; ++round) {
    std::string text = kGood;
    for (int change = 0; change < 1 + round % 5; ++change)
      text[random() % text.size()] = round % 2 ? static_cast<char>(random() % 256) : kGood[random() % kGood.size()];
    Parsed p = parse(text);
    CHECK(p.ok == p.error.empty());
    refused += !p.ok;
  }
  CHECK(refused > 500);
}

TEST_CASE("garbage is refused") {
  std::mt19937 random(2);
  for (int round = 0; round < 200; ++round) {
    std::string text(1 + random() % 300, ' ');
    for (char& c : text) c = static_cast<char>(random() % 256);
    Parsed p = parse("x" + text);
    CHECK(!p.ok);
    CHECK(startsWith(p.error, "t.mlir:"));
  }
}

TEST_CASE("a file that is missing is named") {
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  std::string error;
  CHECK(failed(parseModuleFile("/nonexistent/x.mlir", context, error)));
  CHECK(error == "/nonexistent/x.mlir: No such file or directory");
}
