// RUN: nacre-opt %s --nacre-linearize="func=f active=0" | FileCheck %s

// The residuals are cos(x) and w; the constant 2 is repeated.
// CHECK-LABEL: func.func @f.lin.primal(
// CHECK-SAME: %[[X:.*]]: tensor<f32>, %[[W:.*]]: tensor<f32>)
// CHECK-NEXT: %[[S:.*]] = nacre.sine %[[X]]
// CHECK-NEXT: %[[C:.*]] = nacre.cosine %[[X]]
// CHECK-NEXT: %[[P:.*]] = nacre.multiply %[[S]], %[[W]]
// CHECK-NEXT: %[[TWO:.*]] = nacre.constant dense<2.0
// CHECK-NEXT: %[[R:.*]] = nacre.multiply %[[P]], %[[TWO]]
// CHECK-NEXT: return %[[R]], %[[C]], %[[W]]

// CHECK-LABEL: func.func @f.lin.linear(
// CHECK-SAME: %[[C:.*]]: tensor<f32>, %[[W:.*]]: tensor<f32>, %[[T:.*]]: tensor<f32>) -> tensor<f32>
// CHECK-NEXT: %[[A:.*]] = nacre.multiply %[[T]], %[[C]]
// CHECK-NEXT: %[[B:.*]] = nacre.multiply %[[A]], %[[W]]
// CHECK-NEXT: %[[TWO:.*]] = nacre.constant dense<2.0
// CHECK-NEXT: %[[D:.*]] = nacre.multiply %[[B]], %[[TWO]]
// CHECK-NEXT: return %[[D]]
func.func @f(%x: tensor<f32>, %w: tensor<f32>) -> tensor<f32> {
  %s = nacre.sine %x : tensor<f32>
  %p = nacre.multiply %s, %w : tensor<f32>
  %two = nacre.constant dense<2.0> : tensor<f32>
  %r = nacre.multiply %p, %two : tensor<f32>
  return %r : tensor<f32>
}
