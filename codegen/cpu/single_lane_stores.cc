#include "codegen/cpu/single_lane_stores.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"

namespace nacre::cpu {

namespace {

// The lane that a constant mask lets through, if it is exactly one.
std::optional<unsigned> onlyLane(llvm::Value* mask) {
  auto* constant = llvm::dyn_cast<llvm::Constant>(mask);
  auto* type = llvm::dyn_cast<llvm::FixedVectorType>(mask->getType());
  if (!constant || !type) return std::nullopt;
  std::optional<unsigned> lane;
  for (unsigned i = 0; i < type->getNumElements(); ++i) {
    llvm::Constant* element = constant->getAggregateElement(i);
    if (!element || !llvm::isa<llvm::ConstantInt>(element)) return std::nullopt;
    if (element->isNullValue()) continue;
    if (lane) return std::nullopt;
    lane = i;
  }
  return lane;
}

}  // namespace

void storeSingleLanes(llvm::Module& module) {
  for (llvm::Function& f : module) {
    for (llvm::Instruction& instruction : llvm::make_early_inc_range(llvm::instructions(f))) {
      auto* store = llvm::dyn_cast<llvm::IntrinsicInst>(&instruction);
      if (!store || store->getIntrinsicID() != llvm::Intrinsic::masked_store) continue;
      std::optional<unsigned> lane = onlyLane(store->getArgOperand(2));
      if (!lane) continue;
      llvm::IRBuilder<> builder(store);
      llvm::Value* element = builder.CreateExtractElement(store->getArgOperand(0), *lane);
      llvm::Value* address = builder.CreateConstInBoundsGEP1_64(element->getType(), store->getArgOperand(1), *lane);
      llvm::Align alignment = store->getParamAlign(1).valueOrOne();
      uint64_t bytes = module.getDataLayout().getTypeStoreSize(element->getType());
      builder.CreateAlignedStore(element, address, llvm::commonAlignment(alignment, *lane * bytes));
      store->eraseFromParent();
    }
  }
}

}  // namespace nacre::cpu
