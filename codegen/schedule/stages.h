// Dependent passes over a row: which reductions can share a pass, which values are worth keeping between passes.
#pragma once
#include <vector>

#include "codegen/schedule/kernel.h"

namespace nacre::schedule {

bool isReduction(Operation* op);

class Stages {
 public:
  // `fullSize` is the number of elements of a value of full size.
  Stages(Kernel& kernel, int64_t fullSize);

  int64_t count() const { return reductions_.size(); }
  // Reductions whose inputs need the results of earlier stages only.
  ArrayRef<Operation*> reductions(int64_t stage) const { return reductions_[stage]; }
  // Expensive values that this stage is the first to compute and a later pass needs too.
  ArrayRef<Value> kept(int64_t stage) const { return kept_[stage]; }
  // Elementwise values, smaller than full size, that can be computed once the stage is done.
  ArrayRef<Value> rowValues(int64_t stage) const { return rowValues_[stage]; }

 private:
  std::vector<std::vector<Operation*>> reductions_;
  std::vector<std::vector<Value>> kept_, rowValues_;
};

}  // namespace nacre::schedule
