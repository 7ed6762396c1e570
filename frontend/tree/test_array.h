// A stand-in for nacre::Array, with as many implicit constructors as the real one has: trees know only its name.
#pragma once
#include <type_traits>

namespace nacre {

class Array {
 public:
  Array() = default;
  template <class S>
  requires std::is_arithmetic_v<S> Array(S value) : value_(static_cast<float>(value)), null_(false) {}
  explicit operator bool() const { return value_ != 0; }
  float value() const { return value_; }
  bool is_null() const { return null_; }

 private:
  float value_ = 0;
  bool null_ = true;
};

}  // namespace nacre
