#include "passes/fuse/outline.h"

#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/SymbolTable.h"
#include "passes/fuse/fuse.h"
#include "passes/fuse/op_classes.h"
#include "passes/structural_hash.h"

using namespace mlir;

namespace nacre::passes {

using namespace ir;

namespace {

// The op that says most about a kernel: its product, update or reduction, else its first costly op, else its last.
StringRef headOf(FusionOp fusion) {
  Operation* head = nullptr;
  int best = -1;
  for (Operation& op : fusion.getBody().front().without_terminator()) {
    fusion::OpClass c = fusion::classOf(&op);
    int weight = c == fusion::OpClass::dot || c == fusion::OpClass::update ? 4
                 : c == fusion::OpClass::reduce                            ? 3
                 : !fusion::isCheap(&op)                                   ? 2
                                                                           : 1;
    if (weight > best || (weight == 1 && best == 1)) head = &op, best = weight;
  }
  return head ? head->getName().stripDialect() : "copy";
}

// The kernel's function, not yet in the module.
func::FuncOp kernelOf(FusionOp fusion, StringRef name) {
  OpBuilder b(fusion.getContext());
  auto type = b.getFunctionType(fusion.getInputs().getTypes(), fusion.getResultTypes());
  auto f = func::FuncOp::create(fusion.getLoc(), name, type);
  f.setPrivate();
  f->setAttr(kKernelAttr, fusion.getKindAttr());
  for (StringRef attr : {kDomainAttr, kInPlaceAttr})
    if (Attribute value = fusion->getAttr(attr)) f->setAttr(attr, value);
  f.getBody().takeBody(fusion.getBody());
  Operation* yield = f.front().getTerminator();
  b.setInsertionPoint(yield);
  func::ReturnOp::create(b, yield->getLoc(), yield->getOperands());
  yield->erase();
  return f;
}

}  // namespace

LogicalResult outline(func::FuncOp f) {
  auto module = f->getParentOfType<ModuleOp>();
  llvm::StringMap<func::FuncOp> kernels;  // by structural key
  llvm::StringSet<> taken;
  for (auto symbol : module.getOps<SymbolOpInterface>()) taken.insert(symbol.getName());
  Operation* after = f;
  for (FusionOp fusion : llvm::make_early_inc_range(f.getOps<FusionOp>())) {
    std::string stem = (fusion.getKind() + "_" + headOf(fusion)).str();
    func::FuncOp kernel = kernelOf(fusion, stem);
    auto [entry, isNew] = kernels.try_emplace(structuralKey(kernel), kernel);
    if (isNew) {
      std::string name = stem;
      for (int n = 1; !taken.insert(name).second; ++n) name = stem + "_" + std::to_string(n);
      kernel.setName(name);
      module.getBody()->getOperations().insertAfter(after->getIterator(), kernel);
      after = kernel;
    } else {
      kernel->erase();
    }
    OpBuilder b(fusion);
    auto launch =
        LaunchOp::create(b, fusion.getLoc(), fusion.getResultTypes(), entry->second.getName(), fusion.getInputs());
    launch->setAttr(kWhyAttr, fusion.getWhyAttr());
    fusion->replaceAllUsesWith(launch);
    fusion.erase();
  }
  return success();
}

}  // namespace nacre::passes
