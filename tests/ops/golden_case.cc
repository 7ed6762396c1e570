#include "tests/ops/golden_case.h"

#include <cstring>
#include <fstream>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "mlir/IR/MLIRContext.h"

using nlohmann::json;

namespace nacre::tests {

namespace {

mlir::Type elementNamed(const std::string& name, mlir::MLIRContext& context) {
  using Signedness = mlir::IntegerType::SignednessSemantics;
  auto integer = [&](int width, Signedness s) { return mlir::IntegerType::get(&context, width, s); };
  if (name == "bool") return integer(1, Signedness::Signless);
  if (name == "int32") return integer(32, Signedness::Signless);
  if (name == "int64") return integer(64, Signedness::Signless);
  if (name == "uint8") return integer(8, Signedness::Unsigned);
  if (name == "uint32") return integer(32, Signedness::Unsigned);
  if (name == "bfloat16") return mlir::BFloat16Type::get(&context);
  if (name == "float32") return mlir::Float32Type::get(&context);
  if (name == "float64") return mlir::Float64Type::get(&context);
  throw std::runtime_error("unknown dtype " + name);
}

std::vector<std::byte> bytesOf(const std::string& hex) {
  auto digit = [](char c) { return c <= '9' ? c - '0' : c - 'a' + 10; };
  std::vector<std::byte> bytes(hex.size() / 2);
  for (size_t i = 0; i < bytes.size(); ++i)
    bytes[i] = static_cast<std::byte>(16 * digit(hex[2 * i]) + digit(hex[2 * i + 1]));
  return bytes;
}

ir::HostValue valueOf(const json& j, mlir::MLIRContext& context) {
  auto shape = j.at("shape").get<std::vector<int64_t>>();
  auto type = mlir::RankedTensorType::get(shape, elementNamed(j.at("dtype").get<std::string>(), context));
  ir::HostValue value{type, bytesOf(j.at("hex").get_ref<const std::string&>())};
  if (ir::byteSize(type) != static_cast<int64_t>(value.data.size()))
    throw std::runtime_error("an array's bytes do not fit its shape");
  return value;
}

std::vector<float> magnitudeOf(const json& j) {
  if (!j.contains("scale")) return {};
  auto bytes = bytesOf(j.at("scale").get_ref<const std::string&>());
  std::vector<float> magnitude;
  for (size_t i = 0; i + sizeof(float) <= bytes.size(); i += sizeof(float)) {
    float x;
    std::memcpy(&x, bytes.data() + i, sizeof x);
    magnitude.push_back(x);
  }
  return magnitude;
}

}  // namespace

std::string GoldenCase::name() const { return op + " " + dtype + (what.empty() ? "" : " (" + what + ")"); }

std::vector<GoldenCase> loadGoldenCases(const std::string& path, mlir::MLIRContext& context) {
  std::ifstream file(path);
  if (!file) throw std::runtime_error(path + " cannot be opened");
  std::vector<GoldenCase> cases;
  for (const json& j : json::parse(file)) {
    GoldenCase c{j.at("op"), j.at("dtype"), j.value("what", ""), j.at("mlir"), {}, {}};
    for (const json& input : j.at("inputs")) c.inputs.push_back(valueOf(input, context));
    for (const json& output : j.at("outputs")) c.outputs.push_back({valueOf(output, context), magnitudeOf(output)});
    cases.push_back(std::move(c));
  }
  return cases;
}

}  // namespace nacre::tests
