#include "passes/fuse/fuse.h"

#include "passes/fuse/clustering.h"
#include "passes/fuse/normalize.h"
#include "passes/fuse/recompute.h"
#include "passes/fuse/split_reduce.h"
#include "passes/fuse/write_fusions.h"

using namespace mlir;

namespace nacre::passes {

LogicalResult fuse(func::FuncOp f, const FuseOptions& options) {
  if (!f.getBody().hasOneBlock()) return f.emitError("fusion: @") << f.getName() << " has no body of one block";
  for (Operation& op : f.front().without_terminator())
    if (fusion::classOf(&op) == fusion::OpClass::unknown)
      return op.emitOpError("has no kernel: no schedule family covers it");

  normalizeForFusion(f);
  if (options.fusion) splitReductions(f);
  fusion::Program program(f);
  fusion::Clustering clustering(program, options.fusion);
  std::vector<bool> recomputed(program.nodes.size(), false);
  if (options.fusion) recomputed = fusion::chooseRecomputed(program, clustering);
  fusion::writeFusions(f, program, clustering, recomputed);
  return success();
}

}  // namespace nacre::passes
