// Threefry-2x32 with 20 rounds: Salmon, Moraes, Dror, Shaw, Parallel Random Numbers: As Easy as 1, 2, 3, SC 2011.
#include <bit>

#include "ir/nacre.h"
#include "ir/reference/op_table.h"

using namespace mlir;

namespace nacre::ir {

namespace {

struct Block {
  uint32_t x0, x1;
};

Block threefry(uint32_t key0, uint32_t key1, Block x) {
  constexpr int rotations[2][4] = {{13, 15, 26, 6}, {17, 29, 16, 24}};
  // The third key word makes the keys' exclusive or a constant chosen by the authors.
  const uint32_t keys[3] = {key0, key1, key0 ^ key1 ^ 0x1BD11BDAu};
  x.x0 += keys[0];
  x.x1 += keys[1];
  for (uint32_t group = 0; group < 5; ++group) {
    for (int rotation : rotations[group % 2]) {
      x.x0 += x.x1;
      x.x1 = std::rotl(x.x1, rotation) ^ x.x0;
    }
    x.x0 += keys[(group + 1) % 3];
    x.x1 += keys[(group + 2) % 3] + group + 1;
  }
  return x;
}

LogicalResult threefry2x32(OpCall& c) {
  auto key0 = c.operand(0).elements<uint32_t>(), key1 = c.operand(1).elements<uint32_t>();
  auto x0 = c.operand(2).elements<uint32_t>(), x1 = c.operand(3).elements<uint32_t>();
  auto y0 = c.result(0).elements<uint32_t>(), y1 = c.result(1).elements<uint32_t>();
  for (size_t i = 0; i < y0.size(); ++i) {
    Block y = threefry(key0[i], key1[i], {x0[i], x1[i]});
    y0[i] = y.x0;
    y1[i] = y.x1;
  }
  return success();
}

}  // namespace

void addRandom(OpTable& table) { table.add<Threefry2x32Op>(threefry2x32); }

}  // namespace nacre::ir
