// Element types as the runtime and the frontend know them. Names follow StableHLO's public specification.
#pragma once
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace nacre {

// `pred` is stored as one byte (0 or 1), `bf16` as its 16 bits.
enum class DType : uint8_t { pred, s32, s64, u8, u32, bf16, f32, f64 };

constexpr DType kAllDTypes[] = {DType::pred, DType::s32,  DType::s64, DType::u8,
                                DType::u32,  DType::bf16, DType::f32, DType::f64};

// Bytes of one element in memory.
constexpr size_t size_of(DType t) {
  switch (t) {
    case DType::pred:
    case DType::u8: return 1;
    case DType::bf16: return 2;
    case DType::s32:
    case DType::u32:
    case DType::f32: return 4;
    case DType::s64:
    case DType::f64: return 8;
  }
  return 0;
}

// NumPy's spelling: "bool", "int32", "bfloat16", "float32", ...
constexpr std::string_view name_of(DType t) {
  switch (t) {
    case DType::pred: return "bool";
    case DType::s32: return "int32";
    case DType::s64: return "int64";
    case DType::u8: return "uint8";
    case DType::u32: return "uint32";
    case DType::bf16: return "bfloat16";
    case DType::f32: return "float32";
    case DType::f64: return "float64";
  }
  return "?";
}

constexpr bool is_floating(DType t) { return t == DType::bf16 || t == DType::f32 || t == DType::f64; }
constexpr bool is_unsigned(DType t) { return t == DType::u8 || t == DType::u32; }
constexpr bool is_integer(DType t) { return t == DType::s32 || t == DType::s64 || is_unsigned(t); }

}  // namespace nacre
