// RUN: nacre-opt %s --nacre-vjp="func=f active=0 seeded=0" --nacre-grad=func=loss | FileCheck %s
// RUN: nacre-opt %s --nacre-grad=func=loss --mlir-print-debuginfo --mlir-print-local-scope | FileCheck %s --check-prefix=LOC

// Only result 0 is seeded, so the derivative of the sine is never written.
// CHECK-LABEL: func.func @f.vjp(
// CHECK-SAME: %[[X:.*]]: tensor<3xf32>, %[[W:.*]]: tensor<3xf32>, %[[CT:.*]]: tensor<3xf32>) -> (tensor<3xf32>, tensor<3xf32>, tensor<3xf32>)
// CHECK-NEXT: %[[P:.*]] = nacre.multiply %[[X]], %[[W]]
// CHECK-NEXT: %[[S:.*]] = nacre.sine %[[X]]
// CHECK-NEXT: %[[D:.*]] = nacre.multiply %[[CT]], %[[W]]
// CHECK-NEXT: return %[[P]], %[[S]], %[[D]]
func.func @f(%x: tensor<3xf32>, %w: tensor<3xf32>) -> (tensor<3xf32>, tensor<3xf32>) {
  %p = nacre.multiply %x, %w : tensor<3xf32>
  %s = nacre.sine %x : tensor<3xf32>
  return %p, %s : tensor<3xf32>, tensor<3xf32>
}

// CHECK-LABEL: func.func @loss.grad(
// CHECK-SAME: %[[X:.*]]: tensor<4xf32>) -> tensor<4xf32>
// CHECK-NEXT: %[[ONE:.*]] = nacre.constant dense<1.0
// CHECK-NEXT: %[[B:.*]] = nacre.broadcast_in_dim %[[ONE]], dims = []
// CHECK-NEXT: %[[A:.*]] = nacre.multiply %[[B]], %[[X]]
// CHECK-NEXT: %[[C:.*]] = nacre.multiply %[[B]], %[[X]]
// CHECK-NEXT: %[[D:.*]] = nacre.add %[[A]], %[[C]]
// CHECK-NEXT: return %[[D]]
// LOC-LABEL: @loss.grad
// LOC: nacre.multiply {{.*}} loc("transpose"("tangent"("{{.*}}vjp.mlir":[[# @LINE + 2]]:
func.func @loss(%x: tensor<4xf32>) -> tensor<f32> {
  %q = nacre.multiply %x, %x : tensor<4xf32>
  %s = nacre.reduce add(%q), dims = [0] : (tensor<4xf32>) -> tensor<f32>
  return %s : tensor<f32>
}
