// The checksum of zip archives.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>

namespace nacre::io {

// Of the bytes that gave `crc` followed by `bytes`; start with 0.
uint32_t crc32(uint32_t crc, std::span<const std::byte> bytes);

}  // namespace nacre::io
