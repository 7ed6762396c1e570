// Errors of compilation and of running compiled code.
#pragma once
#include "nacre/error.h"

namespace nacre {

// The compiler refused a program: an operation without a kernel, or a bug of ours (the message says which).
class CompileError : public Error {
 public:
  using Error::Error;
};

}  // namespace nacre
