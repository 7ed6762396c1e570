#include "frontend/io/crc32.h"

#include <array>

namespace nacre::io {
namespace {

// Eight tables, so that eight bytes are taken at a time: table[k] advances a byte past k zero bytes.
constexpr auto kTables = [] {
  std::array<std::array<uint32_t, 256>, 8> t{};
  for (uint32_t i = 0; i < 256; ++i) {
    uint32_t c = i;
    for (int k = 0; k < 8; ++k) c = c & 1 ? 0xedb88320u ^ (c >> 1) : c >> 1;
    t[0][i] = c;
  }
  for (uint32_t i = 0; i < 256; ++i)
    for (int k = 1; k < 8; ++k) t[k][i] = (t[k - 1][i] >> 8) ^ t[0][t[k - 1][i] & 0xff];
  return t;
}();

}  // namespace

uint32_t crc32(uint32_t crc, std::span<const std::byte> bytes) {
  auto at = [&](std::size_t i) { return std::to_integer<uint32_t>(bytes[i]); };
  uint32_t c = ~crc;
  for (; bytes.size() >= 8; bytes = bytes.subspan(8)) {
    c ^= at(0) | at(1) << 8 | at(2) << 16 | at(3) << 24;
    c = kTables[7][c & 0xff] ^ kTables[6][c >> 8 & 0xff] ^ kTables[5][c >> 16 & 0xff] ^ kTables[4][c >> 24] ^
        kTables[3][at(4)] ^ kTables[2][at(5)] ^ kTables[1][at(6)] ^ kTables[0][at(7)];
  }
  for (std::byte b : bytes) c = kTables[0][(c ^ std::to_integer<uint32_t>(b)) & 0xff] ^ (c >> 8);
  return ~c;
}

}  // namespace nacre::io
