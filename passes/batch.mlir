// RUN: nacre-opt %s --nacre-vmap="func=f in=1,-1 size=5 out=0,0,1" | FileCheck %s
// RUN: nacre-opt %s --nacre-vmap="func=f in=1,-1 size=5 out=0,0,1" --mlir-print-debuginfo --mlir-print-local-scope | FileCheck %s --check-prefix=LOC

// %x is batched at axis 1, %w not: what depends on %w alone stays as it is, and is repeated where a result wants it.
// CHECK-LABEL: func.func @f.vmap(
// CHECK-SAME: %[[X:.*]]: tensor<3x5xf32>, %[[W:.*]]: tensor<3x4xf32>) -> (tensor<5x4xf32>, tensor<5x3x4xf32>, tensor<3x5xf32>)
// CHECK-NEXT: %[[XF:.*]] = nacre.transpose %[[X]], dims = [1, 0]
// CHECK-NEXT: %[[E:.*]] = nacre.exponential %[[W]] : tensor<3x4xf32>
// CHECK-NEXT: %[[P:.*]] = nacre.dot_general %[[XF]], %[[E]], batching = [] x [], contracting = [1] x [0]
// CHECK-NEXT: %[[N:.*]] = nacre.negate %[[XF]]
// CHECK-NEXT: %[[R:.*]] = nacre.broadcast_in_dim %[[E]], dims = [1, 2] : (tensor<3x4xf32>) -> tensor<5x3x4xf32>
// CHECK-NEXT: %[[NB:.*]] = nacre.transpose %[[N]], dims = [1, 0]
// CHECK-NEXT: return %[[P]], %[[R]], %[[NB]]
// LOC: nacre.dot_general {{.*}} loc("batched"("{{.*}}batch.mlir":[[# @LINE + 3]]:
func.func @f(%x: tensor<3xf32>, %w: tensor<3x4xf32>) -> (tensor<4xf32>, tensor<3x4xf32>, tensor<3xf32>) {
  %e = nacre.exponential %w : tensor<3x4xf32>
  %p = nacre.dot_general %x, %e, batching = [] x [], contracting = [0] x [0] : (tensor<3xf32>, tensor<3x4xf32>) -> tensor<4xf32>
  %n = nacre.negate %x : tensor<3xf32>
  return %p, %e, %n : tensor<4xf32>, tensor<3x4xf32>, tensor<3xf32>
}
