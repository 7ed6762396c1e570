// Exceptions of the runtime.
#pragma once
#include <cstdint>
#include <stdexcept>
#include <string>

namespace nacre {

// The pool cannot give the bytes asked for: more than the limit leaves, more than the system has, or a negative count.
class OutOfMemory : public std::runtime_error {
 public:
  OutOfMemory(const std::string& message, int64_t requested_bytes, int64_t live_bytes)
      : std::runtime_error(message), requested_bytes_(requested_bytes), live_bytes_(live_bytes) {}
  int64_t requested_bytes() const { return requested_bytes_; }
  int64_t live_bytes() const { return live_bytes_; }

 private:
  int64_t requested_bytes_;
  int64_t live_bytes_;
};

}  // namespace nacre
