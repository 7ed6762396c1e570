#include "codegen/plan/constant_bytes.h"

#include <cstring>

using namespace mlir;

namespace nacre::codegen {

std::vector<uint8_t> bytesOfConstant(ElementsAttr value) {
  Type element = value.getElementType();
  unsigned width = element.getIntOrFloatBitWidth();
  size_t size = width < 8 ? 1 : width / 8;
  std::vector<uint8_t> bytes;
  bytes.reserve(value.getNumElements() * size);
  auto append = [&](const APInt& bits) {
    uint64_t word = bits.getZExtValue();
    uint8_t raw[8];
    std::memcpy(raw, &word, 8);
    bytes.insert(bytes.end(), raw, raw + size);
  };
  if (isa<FloatType>(element))
    for (const APFloat& x : value.getValues<APFloat>()) append(x.bitcastToAPInt());
  else
    for (const APInt& x : value.getValues<APInt>()) append(x);
  return bytes;
}

}  // namespace nacre::codegen
