#include "codegen/cpu/loop_report.h"

#include "absl/strings/str_cat.h"
#include "llvm/Analysis/AssumptionCache.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/AsmParser/Parser.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/SourceMgr.h"

namespace nacre::cpu {

namespace {

bool isVector(const llvm::Type* type) {
  auto* vector = llvm::dyn_cast<llvm::FixedVectorType>(type);
  return vector && vector->getNumElements() > 1;
}

// Does the value only end up in vectors, or in masked one-lane accesses?
bool feedsVectors(const llvm::Value& v) {
  if (v.use_empty()) return false;
  for (const llvm::User* user : v.users()) {
    if (isVector(user->getType()) && llvm::isa<llvm::InsertElementInst>(user)) continue;
    // Through conversions: bf16 panels are widened first.
    if (llvm::isa<llvm::CastInst>(user) || llvm::isa<llvm::BinaryOperator>(user)) {
      if (feedsVectors(*user)) continue;
    }
    return false;
  }
  return true;
}

void countAccess(const llvm::Instruction& inst, InnermostLoop& loop) {
  if (auto* load = llvm::dyn_cast<llvm::LoadInst>(&inst)) {
    if (isVector(load->getType())) {
      ++loop.vectorLoads;
    } else {
      ++loop.scalarLoads;
      loop.broadcastLoads += feedsVectors(*load);
    }
  } else if (auto* store = llvm::dyn_cast<llvm::StoreInst>(&inst)) {
    ++(isVector(store->getValueOperand()->getType()) ? loop.vectorStores : loop.scalarStores);
  } else if (auto* call = llvm::dyn_cast<llvm::IntrinsicInst>(&inst)) {
    switch (call->getIntrinsicID()) {
      case llvm::Intrinsic::masked_load: ++loop.vectorLoads; break;
      case llvm::Intrinsic::masked_store: ++loop.vectorStores; break;
      case llvm::Intrinsic::masked_gather: ++loop.gathers; break;
      case llvm::Intrinsic::masked_scatter: ++loop.scatters; break;
      default: break;
    }
  }
}

}  // namespace

absl::StatusOr<std::vector<InnermostLoop>> inspectLoops(const std::string& ir) {
  llvm::LLVMContext context;
  llvm::SMDiagnostic error;
  std::unique_ptr<llvm::Module> module = llvm::parseAssemblyString(ir, error, context);
  if (!module)
    return absl::InvalidArgumentError(
        absl::StrCat("loop report: line ", error.getLineNo(), ": ", error.getMessage().str()));
  std::vector<InnermostLoop> result;
  for (llvm::Function& f : *module) {
    if (f.isDeclaration()) continue;
    llvm::DominatorTree dominators(f);
    llvm::LoopInfo loops(dominators);
    llvm::AssumptionCache assumptions(f);
    llvm::TargetLibraryInfoImpl libraryImpl(module->getTargetTriple());
    llvm::TargetLibraryInfo library(libraryImpl);
    llvm::ScalarEvolution evolution(f, library, assumptions, dominators, loops);
    for (llvm::Loop* loop : loops.getLoopsInPreorder()) {
      if (!loop->isInnermost()) continue;
      InnermostLoop report;
      report.kernel = f.getName().split(".programs").first.str();
      report.block = loop->getHeader()->getName().str();
      report.trips = evolution.getSmallConstantTripCount(loop);
      if (report.trips == 0) report.trips = -1;
      for (llvm::BasicBlock* block : loop->blocks())
        for (llvm::Instruction& inst : *block) countAccess(inst, report);
      result.push_back(std::move(report));
    }
  }
  return result;
}

std::string describe(const InnermostLoop& loop) {
  return absl::StrCat(loop.kernel, ": loop %", loop.block, loop.trips >= 0 ? absl::StrCat(" x", loop.trips) : "", ": ",
                      loop.vectorLoads, " vector loads, ", loop.vectorStores, " vector stores, ", loop.scalarLoads,
                      " scalar loads (", loop.broadcastLoads, " to fill vectors), ", loop.scalarStores,
                      " scalar stores, ", loop.gathers, " gathers, ", loop.scatters, " scatters");
}

}  // namespace nacre::cpu
