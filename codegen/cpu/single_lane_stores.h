// A work-around for an error of LLVM 22's x86 code generator.
#pragma once
#include "llvm/IR/Module.h"

namespace nacre::cpu {

// Turns masked stores whose constant mask has one lane into stores of that lane. LLVM makes truncating stores of
// narrowed values and then reduces those with one lane to a scalar store, but of the wide element: 4 bytes of a 2-byte
// value, over what lies behind it. Run after everything that can make a mask constant.
void storeSingleLanes(llvm::Module& module);

}  // namespace nacre::cpu
