// From a module of nacre ops to something that runs.
#pragma once
#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "runtime/executable.h"

namespace nacre {

struct CompileOptions {
  // Where numbered dumps of every phase and the report go; empty: nowhere.
  std::string dump_directory;
  // Off: every op is its own kernel (for tests).
  bool fusion = true;
  // Threads that compile kernels.
  int threads = 2;
};

// Compiles @main of the module: optimize, fuse, outline, schedule, kernels, plan. Arguments of @main may carry the
// attributes nacre.name (string: the argument's key path) and nacre.donated (unit: a result may take over its buffer).
// The module's context is used by this call only while it runs; the executable outlives both.
//
// Errors: InvalidArgument if the module has no @main or does not verify; Unimplemented for an op without a kernel;
// Internal if the compiler breaks its own rules. The message is the first diagnostic, with the op's C++ line if known.
// Thread-safe for different contexts. Kernels are shared between compilations of the process by structure and target.
absl::StatusOr<std::shared_ptr<const Executable>> compile(mlir::OwningOpRef<mlir::ModuleOp> module,
                                                          const CompileOptions& options = {});

// The same program as text: which kernels there are and how often each runs, what they read and write, FLOPs, arena and
// peak memory, and why each pair of kernels that shares a value was not fused. What a dump directory gets as
// report.txt.
absl::StatusOr<std::string> explain(mlir::OwningOpRef<mlir::ModuleOp> module, const CompileOptions& options = {});

}  // namespace nacre
