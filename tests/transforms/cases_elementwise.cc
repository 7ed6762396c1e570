#include "tests/transforms/cases.h"

namespace nacre::testing {

namespace {

std::string tensor(const std::string& shape, const std::string& element) {
  return "tensor<" + (shape.empty() ? "" : shape + "x") + element + ">";
}

// @f(a0, a1, ...) of one op on operands of one type.
std::string sameTypeText(const std::string& op, int operands, const std::string& type) {
  std::string parameters, uses;
  for (int i = 0; i < operands; ++i) {
    parameters += (i ? ", %a" : "%a") + std::to_string(i) + ": " + type;
    uses += (i ? ", %a" : "%a") + std::to_string(i);
  }
  return "func.func @f(" + parameters + ") -> " + type + " {\n  %r = nacre." + op + " " + uses + " : " + type +
         "\n  return %r : " + type + "\n}\n";
}

struct Function {
  const char* op;
  double low, high;
};

// Ranges keep away from poles and from jumps, where there is no derivative.
constexpr Function kUnary[] = {
    {"exponential", -2, 2}, {"exponential_minus_one", -1, 1},
    {"log", 0.2, 3},        {"log_plus_one", -0.5, 2},
    {"sine", -3, 3},        {"cosine", -3, 3},
    {"tan", -1, 1},         {"asin", -0.8, 0.8},
    {"acos", -0.8, 0.8},    {"atan", -3, 3},
    {"sinh", -2, 2},        {"cosh", -2, 2},
    {"tanh", -2, 2},        {"asinh", -3, 3},
    {"acosh", 1.2, 3},      {"atanh", -0.8, 0.8},
    {"logistic", -3, 3},    {"erf", -2, 2},
    {"erfc", -2, 2},        {"erf_inv", -0.8, 0.8},
    {"sqrt", 0.2, 3},       {"rsqrt", 0.3, 3},
    {"cbrt", 0.2, 3},       {"abs", 0.1, 2},
    {"negate", -2, 2},      {"floor", 0.2, 0.8},
    {"ceil", 0.2, 0.8},     {"round_nearest_even", 0.6, 1.4},
    {"sign", 0.1, 2},       {"round_nearest_afz", 0.6, 1.4},
};

constexpr Function kBinary[] = {
    {"add", -2, 2},    {"subtract", -2, 2}, {"multiply", -2, 2}, {"divide", 0.5, 2}, {"remainder", 0.55, 0.95},
    {"power", 0.3, 2}, {"atan2", 0.2, 2},   {"maximum", -2, 2},  {"minimum", -2, 2},
};

}  // namespace

std::vector<Case> elementwiseCases() {
  std::vector<Case> cases;
  for (const Function& f : kUnary) cases.push_back({f.op, sameTypeText(f.op, 1, tensor("2x3", "f64")), f.low, f.high});
  for (const Function& f : kBinary) cases.push_back({f.op, sameTypeText(f.op, 2, tensor("2x3", "f64")), f.low, f.high});
  // Rank 0, no elements, a dimension of size 1, both operands the same.
  for (const char* shape : {"", "0", "2x0", "1x2"}) {
    std::string note = std::string("/shape [") + shape + "]";
    cases.push_back({"tanh" + note, sameTypeText("tanh", 1, tensor(shape, "f64"))});
    cases.push_back({"multiply" + note, sameTypeText("multiply", 2, tensor(shape, "f64"))});
    cases.push_back({"maximum" + note, sameTypeText("maximum", 2, tensor(shape, "f64"))});
    cases.push_back({"clamp" + note, sameTypeText("clamp", 3, tensor(shape, "f64"))});
  }
  cases.push_back({"abs/negative", sameTypeText("abs", 1, tensor("3", "f64")), -2, -0.1});
  cases.push_back({"cbrt/negative", sameTypeText("cbrt", 1, tensor("3", "f64")), -2, -0.3});
  cases.push_back({"divide/negative", sameTypeText("divide", 2, tensor("3", "f64")), -2, -0.5});
  cases.push_back({"atan2/left half", sameTypeText("atan2", 2, tensor("3", "f64")), -2, -0.2});
  cases.push_back({"remainder/quotient of 2",
                   "func.func @f(%x: tensor<3xf64>, %y: tensor<3xf64>) -> tensor<3xf64> {\n"
                   "  %c = nacre.constant dense<2.5> : tensor<3xf64>\n"
                   "  %z = nacre.multiply %x, %c : tensor<3xf64>\n"
                   "  %r = nacre.remainder %z, %y : tensor<3xf64>\n  return %r : tensor<3xf64>\n}\n",
                   0.9, 1.1});
  cases.push_back({"multiply/square",
                   "func.func @f(%x: tensor<3xf64>) -> tensor<3xf64> {\n"
                   "  %r = nacre.multiply %x, %x : tensor<3xf64>\n  return %r : tensor<3xf64>\n}\n"});
  cases.push_back({"clamp", sameTypeText("clamp", 3, tensor("20", "f64"))});
  cases.push_back({"select",
                   "func.func @f(%p: tensor<2x3xi1>, %x: tensor<2x3xf64>, %y: tensor<2x3xf64>) -> tensor<2x3xf64> {\n"
                   "  %r = nacre.select %p, %x, %y : (tensor<2x3xi1>, tensor<2x3xf64>, tensor<2x3xf64>) -> "
                   "tensor<2x3xf64>\n  return %r : tensor<2x3xf64>\n}\n"});
  cases.push_back({"compare",
                   "func.func @f(%x: tensor<3xf64>, %y: tensor<3xf64>) -> tensor<3xf64> {\n"
                   "  %p = nacre.compare LT %x, %y : (tensor<3xf64>, tensor<3xf64>) -> tensor<3xi1>\n"
                   "  %e = nacre.exponential %x : tensor<3xf64>\n"
                   "  %r = nacre.select %p, %e, %y : (tensor<3xi1>, tensor<3xf64>, tensor<3xf64>) -> tensor<3xf64>\n"
                   "  return %r : tensor<3xf64>\n}\n"});
  cases.push_back({"stop_gradient",
                   "func.func @f(%x: tensor<3xf64>) -> tensor<3xf64> {\n"
                   "  %s = nacre.stop_gradient %x : tensor<3xf64>\n"
                   "  %r = nacre.multiply %x, %s : tensor<3xf64>\n  return %r : tensor<3xf64>\n}\n",
                   -2, 2, 0, 3, false});
  cases.push_back({"is_finite",
                   "func.func @f(%x: tensor<3xf64>) -> tensor<3xi1> {\n"
                   "  %r = nacre.is_finite %x : (tensor<3xf64>) -> tensor<3xi1>\n  return %r : tensor<3xi1>\n}\n"});

  for (const char* op : {"add", "subtract", "multiply", "divide", "remainder", "power", "maximum", "minimum", "and",
                         "or", "xor", "shift_left", "shift_right_arithmetic", "shift_right_logical"})
    cases.push_back({std::string(op) + "/i32", sameTypeText(op, 2, tensor("2x2", "i32")), -2, 2, 0, 5});
  for (const char* op : {"not", "popcnt", "count_leading_zeros", "negate", "abs", "sign"})
    cases.push_back({std::string(op) + "/i32", sameTypeText(op, 1, tensor("2x2", "i32")), -2, 2, -5, 5});
  for (const char* op : {"and", "or", "xor"})
    cases.push_back({std::string(op) + "/i1", sameTypeText(op, 2, tensor("3", "i1"))});

  // A round trip through f32 would spoil finite differences; the rule is the same for all pairs of floats.
  cases.push_back({"convert/to integer and back",
                   "func.func @f(%x: tensor<3xf64>, %i: tensor<3xi32>) -> tensor<3xf64> {\n"
                   "  %j = nacre.convert %i : (tensor<3xi32>) -> tensor<3xf64>\n"
                   "  %k = nacre.convert %x : (tensor<3xf64>) -> tensor<3xi64>\n"
                   "  %l = nacre.convert %k : (tensor<3xi64>) -> tensor<3xf64>\n"
                   "  %s = nacre.add %j, %l : tensor<3xf64>\n"
                   "  %r = nacre.multiply %s, %x : tensor<3xf64>\n  return %r : tensor<3xf64>\n}\n",
                   1.1, 1.9});
  cases.push_back({"convert/f32 to f64",
                   "func.func @f(%x: tensor<3xf32>) -> tensor<3xf64> {\n"
                   "  %y = nacre.convert %x : (tensor<3xf32>) -> tensor<3xf64>\n"
                   "  %r = nacre.multiply %y, %y : tensor<3xf64>\n  return %r : tensor<3xf64>\n}\n",
                   -2, 2, 0, 3, false});
  cases.push_back({"bitcast_convert",
                   "func.func @f(%x: tensor<3xf64>) -> tensor<3xi64> {\n"
                   "  %r = nacre.bitcast_convert %x : (tensor<3xf64>) -> tensor<3xi64>\n  return %r : "
                   "tensor<3xi64>\n}\n"});
  cases.push_back({"bitcast_convert/narrower and wider",
                   "func.func @f(%x: tensor<3xi64>, %y: tensor<3x4xui8>) -> (tensor<3x2xui32>, tensor<3xf32>) {\n"
                   "  %r = nacre.bitcast_convert %x : (tensor<3xi64>) -> tensor<3x2xui32>\n"
                   "  %s = nacre.bitcast_convert %y : (tensor<3x4xui8>) -> tensor<3xf32>\n"
                   "  return %r, %s : tensor<3x2xui32>, tensor<3xf32>\n}\n"});
  cases.push_back({"threefry2x32",
                   "func.func @f(%k: tensor<3xui32>, %l: tensor<3xui32>, %x: tensor<3xui32>, %y: tensor<3xui32>) -> "
                   "(tensor<3xui32>, tensor<3xui32>) {\n  %r, %s = nacre.threefry2x32 %k, %l, %x, %y : "
                   "(tensor<3xui32>, tensor<3xui32>, tensor<3xui32>, tensor<3xui32>) -> (tensor<3xui32>, "
                   "tensor<3xui32>)\n  return %r, %s : tensor<3xui32>, tensor<3xui32>\n}\n"});
  return cases;
}

}  // namespace nacre::testing
