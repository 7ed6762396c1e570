// Text that would make MLIR's parser run out of stack is refused first.
// RUN: (printf 'func.func @f() attributes {x = '; printf '[%%.0s' $(seq 50000); echo) > %t.mlir
// RUN: not nacre-opt %t.mlir 2>&1 | FileCheck %s
// RUN: not nacre-opt %t.missing 2>&1 | FileCheck %s --check-prefix=MISSING
// CHECK: nacre_opt.mlir.tmp.mlir:1:{{[0-9]+}}: {{.*}}deep
// MISSING: nacre-opt: cannot open input file
